// SPDX-License-Identifier: MIT
//
// What the options do, and what is said about wrong ones.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { FRONT, Front, until } from './front.mjs';

const ORIGIN = 'https://pages.example';

let front;
before(async () => { front = await Front.start({ token: false, options: ['--cors', ORIGIN, '--log-format', 'json'] }); });
after(() => front.stop());

test('pages of one other origin may use the API', async () => {
    const get = await front.expect(200, 'GET', '/api/queue', undefined, { Origin: ORIGIN });
    assert.equal(get.headers.get('access-control-allow-origin'), ORIGIN);
    assert.equal(get.headers.get('vary'), 'Origin');
    assert.match(get.headers.get('access-control-expose-headers'), /Location/);
    const ask = await front.expect(204, 'OPTIONS', '/api/sessions', undefined, {
        Origin: ORIGIN, 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'content-type',
    });
    assert.match(ask.headers.get('access-control-allow-methods'), /POST/);
    assert.match(ask.headers.get('access-control-allow-headers'), /content-type/);
    const wrong = await front.expect(404, 'GET', '/api/sessions/nope', undefined, { Origin: ORIGIN });
    assert.equal(wrong.headers.get('access-control-allow-origin'), ORIGIN); // so that the page can read why
});

test('log lines may be JSON', async () => {
    await front.expect(200, 'GET', '/api/queue', undefined, { 'X-Request-Id': 'this-one' });
    let line;
    await until('its line', () => {
        line = front.child.log.split('\n').find((text) => text.includes('this-one'));
        return line !== undefined;
    });
    const { request, path, status } = JSON.parse(line);
    assert.deepEqual([request, path, status], ['this-one', '/api/queue', 200]);
});

test('without a token there are no operators', async () => {
    const { json } = await front.expect(403, 'POST', '/api/queue/pause', undefined, { Authorization: 'Bearer ' });
    assert.equal(json.code, 'no_token_set');
});

test('help and version are printed', () => {
    const help = execFileSync(FRONT, ['--help'], { encoding: 'utf8' });
    for (const option of ['redis', 'queue', 'listen', 'wait', 'operator-token-file', 'rate', 'cors']) {
        assert.match(help, new RegExp(`^  --${option} `, 'm'));
    }
    assert.match(execFileSync(FRONT, ['--version'], { encoding: 'utf8' }), /^susurration-front \d/);
});

test('wrong options end it with 2, an address that is taken with 3', () => {
    const empty = join(front.folder, 'empty');
    writeFileSync(empty, '\n');
    for (const [args, code, words] of [
        [['--wait', '0'], 2, '--wait: a whole number from 1 to 300, not "0"'], [['--queue', 'a b'], 2, '--queue'],
        [['--redis', 'http://x'], 2, '--redis: '], [['--listen', 'nowhere'], 2, '"nowhere" is not HOST:PORT'],
        [['--operator-token-file', '/nowhere'], 2, '/nowhere'], [['--operator-token-file', empty], 2, 'is empty'],
        [['--cors', ''], 2, '--cors'], [['--nonsense'], 2, 'there is no option --nonsense'], [['x'], 2, 'what is "x"?'],
        [['--listen', `127.0.0.1:${front.port}`], 3, 'Address already in use'],
    ]) {
        const { status, stderr } = spawnSync(FRONT, args, { encoding: 'utf8', timeout: 10_000 });
        assert.deepEqual([status, stderr.includes(words)], [code, true], `${args}: ${stderr}`);
    }
});
