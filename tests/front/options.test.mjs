// SPDX-License-Identifier: MIT
//
// What the options do, and what is said about wrong ones.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { end } from '../interop/servers.mjs';
import { FRONT, Front, TOKEN, operator, until } from './front.mjs';

const ORIGIN = 'https://pages.example';

let front;
before(async () => { front = await Front.start({ token: false, options: ['--cors', ORIGIN, '--log-format', 'json', '--rate', 5] }); });
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

// A client that comes to the loopback from another address of this machine.
const FOREIGN = Object.values(networkInterfaces()).flat().find(({ internal, family }) => !internal && family === 'IPv4')?.address;

const getFrom = (localAddress, path) => new Promise((done, failed) => {
    get({ host: '127.0.0.1', port: front.port, path, localAddress, agent: false }, (response) => {
        response.resume().on('end', () => done(response));
    }).on('error', failed);
});

test('an address may send so many requests a second', { skip: !FOREIGN && 'there is no other address here' }, async () => {
    const many = (count, ...from) => Promise.all(Array.from({ length: count }, () => getFrom(...from)));
    const answers = await many(40, FOREIGN, '/api/queue');
    const refused = answers.filter(({ statusCode }) => statusCode === 429);
    assert.equal(answers.filter(({ statusCode }) => statusCode === 200).length, 40 - refused.length);
    assert.ok(refused.length >= 5 && refused.length <= 35, `${refused.length} were refused`);
    for (const { headers } of refused) assert.equal(headers['retry-after'], '1');
    for (const from of [[FOREIGN, '/'], ['127.0.0.1', '/api/queue']]) { // pages do not count, nor does the loopback
        assert.ok((await many(40, ...from)).every(({ statusCode }) => statusCode === 200));
    }
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

/** What PROTOCOL.md says that a front-end needs. */
function rights() {
    const [, text] = readFileSync(new URL('../../proto/PROTOCOL.md', import.meta.url), 'utf8').split('### Rights\n');
    const lines = text.split('\n').filter((line) => line.startsWith('    '));
    const [, more] = /^The front-end, .* `(.*)` besides/m.exec(text);
    return `${lines.join(' ').replace('{QUEUE}', '{main}')} ${more}`.trim().split(/\s+/);
}

test('a Redis user with the rights that the protocol lists is enough', async () => {
    await front.client.call('ACL', 'SETUSER', 'front', 'on', '>secret', 'resetkeys', 'nocommands', ...rights());
    const { child, port, origin } = front;
    const secret = join(front.folder, 'secret');
    writeFileSync(secret, 'secret\n');
    writeFileSync(join(front.folder, 'token'), `${TOKEN}\n`);
    front.child = await front.startChild(['--redis', front.redis.url.replace('//', '//front@'), '--password-file', secret,
                                          '--operator-token-file', join(front.folder, 'token')]);
    try {
        const { json: flock } = await front.expect(201, 'POST', '/api/sessions', { params: { birds: 10 } });
        await front.expect(200, 'PUT', `/api/sessions/${flock.id}/params`, { weights: { cohesion: 1 } });
        await front.expect(200, 'GET', `/api/sessions/${flock.id}/timeline`);
        const { json: trace } = await front.expect(201, 'POST', '/api/traces', { seed: 1, at_tick: 1 });
        await front.expect(200, 'GET', `/api/traces/${trace.id}`);
        await front.expect(200, 'GET', '/api/traces');
        const { json: job } = await front.expect(202, 'POST', '/api/traces', { seed: 1, at_tick: 1 }, { Prefer: 'respond-async' });
        await until('done', async () => (await front.expect(200, 'GET', `/api/jobs/${job.id}`)).json.state === 'done');
        await front.expect(409, 'DELETE', `/api/jobs/${job.id}`);
        for (const path of ['queue', 'workers', 'dead']) await front.expect(200, 'GET', `/api/${path}`);
        for (const path of ['queue/pause', 'queue/resume', 'dead/all/requeue']) await front.expect(200, 'POST', `/api/${path}`, undefined, operator);
        await front.expect(404, 'POST', '/api/dead/1-1/requeue', undefined, operator);
        await front.expect(200, 'DELETE', '/api/dead/all', undefined, operator);
    } finally {
        assert.equal(await end(front.child), 'exit 0');
        Object.assign(front, { child, port, origin });
    }
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
