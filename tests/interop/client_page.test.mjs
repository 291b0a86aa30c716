// SPDX-License-Identifier: MIT
//
// What proto/PROTOCOL.md shows under "Example" runs as it is shown, but for the address of Redis.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import test, { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from './client.mjs';
import { startServers } from './servers.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const page = readFileSync(new URL('../../proto/PROTOCOL.md', import.meta.url), 'utf8');
const example = page.slice(page.indexOf('\n## Example\n'), page.indexOf('\n## Test vectors\n'));

let servers;
let client;

before(async () => {
    servers = await startServers();
    client = new Client(servers.url);
});

after(async () => {
    client?.close();
    assert.equal(await servers?.stop(), 'exit 0', servers?.log());
});

const run = (program, args, input) =>
    execFileSync(program, args, { cwd: HERE, input, encoding: 'utf8', timeout: 40_000 });

test('page_node_example', () => {
    const [first, second, ...more] = [...example.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code);
    assert.ok(second && more.length === 0, 'two blocks of JavaScript');
    const close = 'redis.disconnect();\n';
    assert.ok(first.endsWith(close) && first.includes('new Redis()'));
    const code = (first.slice(0, -close.length) + second + close).replace('new Redis()', `new Redis('${servers.url}')`);
    const lines = run(process.execPath, ['--input-type=module'], code).trimEnd().split('\n');
    assert.match(lines[0], /^true ok \{/);
    assert.match(lines.at(-2), /2859c10a10b68472$/);
    assert.match(lines.at(-1), /^queued i\d+-\d+$/);
});

test('page_shell_example', async () => {
    const lines = example.split('\n').filter((line) => line.startsWith('    ')).join('\n');
    const commands = lines.slice(lines.indexOf('    printf '));
    assert.equal(commands.match(/redis-cli/g)?.length, 2);
    run('bash', ['-ec', commands.replaceAll('redis-cli', `redis-cli -u ${servers.url}`)]);
    const { id, status, state_hash } = await client.wait('claim-1');
    assert.deepEqual([id, status, state_hash], ['claim-1', 'ok', '2859c10a10b68472']);
});
