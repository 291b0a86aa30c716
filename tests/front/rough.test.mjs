// SPDX-License-Identifier: MIT
//
// Clients that are slow, rude or gone, and connections to Redis that break: nobody else notices, and nothing is left
// behind.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { after, afterEach, before, test } from 'node:test';
import { pause } from '../interop/servers.mjs';
import { Front, LONG, gauge, until } from './front.mjs';

const CLAIM = '{"seed":42,"at_tick":500}';
const WITHIN_MS = 10_000; // for requests that should not notice others, on a busy machine: silent ones are cut after 60 s
const RSS_MAX = process.env.SUSURRATION_FRONT ? Infinity : 120 << 20; // sanitizers keep what was freed

let front;
before(async () => { front = await Front.start(); });
after(() => front.stop());

// What a test leaves behind when it fails must not fail the next.
const sockets = new Set();
afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await front.resume();
});

async function connect() {
    const socket = net.connect(front.port, '127.0.0.1');
    socket.on('error', () => {}); // cut by a front-end that has had enough
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.answer = '';
    socket.setEncoding('latin1').on('data', (text) => { socket.answer += text; });
    await once(socket, 'connect');
    return socket;
}

const many = (count, open = connect) => Promise.all(Array.from({ length: count }, open));

/** The whole answer to bytes as they are. */
async function raw(...parts) {
    const socket = await connect();
    const closed = once(socket, 'close');
    for (const part of parts) {
        socket.write(part);
        await pause(20);
    }
    await until('an answer', () => socket.closed || /\r\n\r\n/.test(socket.answer.replace('HTTP/1.1 100 Continue\r\n\r\n', '')));
    socket.destroy();
    await closed;
    return socket.answer;
}

const post = (path, body, headers = '') =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`;

/** Others are served as if nothing were. */
async function othersAreServed() {
    const start = Date.now();
    await front.expect(200, 'GET', '/healthz');
    const { json } = await front.expect(201, 'POST', '/api/sessions', { params: { birds: 10 } });
    await front.expect(200, 'POST', `/api/sessions/${json.id}/step`, { ticks: 10 });
    await front.expect(200, 'GET', '/');
    assert.ok(Date.now() - start < WITHIN_MS, `${Date.now() - start} ms`);
}

/** Nobody but the one who asks. */
const isQuiet = async () => gauge(await front.metrics(), 'susurration_front_requests') === 1;

test('1,000 idle connections stop nobody', async () => {
    const clients = await many(1000);
    await othersAreServed();
    for (const socket of clients) socket.destroy();
    await until('quiet', isQuiet);
});

test('half-sent requests stop nobody', async () => {
    const clients = await many(300);
    const text = post('/api/traces', CLAIM);
    clients.forEach((socket, i) => socket.write(text.slice(0, 1 + i % (text.length - 1))));
    await othersAreServed();
    for (const socket of clients) socket.destroy();
    await until('quiet', isQuiet);
});

test('a request may come byte by byte, and several at once', async () => {
    const text = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
    const slow = await connect();
    for (const byte of text) {
        slow.write(byte);
        await pause(1);
    }
    await until('an answer', () => slow.answer.includes('"ok"'));
    slow.destroy();
    const both = await connect();
    both.write(text + text);
    await until('two answers', () => both.answer.split('HTTP/1.1 200').length === 3);
    both.destroy();
});

test('clients that hang up while they wait leave nothing behind', async () => {
    await front.pause();
    const clients = await many(100);
    for (const socket of clients) socket.write(post('/api/traces', CLAIM));
    await until('all wait', async () => await front.client.hlen(front.key('ids')) === 100);
    for (const socket of clients) socket.destroy();
    await readersAreServed();
    await front.resume();
    await until('quiet', isQuiet);
    await until('done', async () => await front.client.hlen(front.key('ids')) === 0);
});

/** What needs no worker. */
async function readersAreServed() {
    const start = Date.now();
    await front.expect(200, 'GET', '/healthz');
    await front.expect(200, 'GET', '/api/queue');
    assert.ok(Date.now() - start < WITHIN_MS);
}

test('a stream whose reader is gone ends', async () => {
    await front.pause();
    const { json } = await front.expect(202, 'POST', '/api/traces', CLAIM, { Prefer: 'respond-async' });
    const socket = await connect();
    socket.write(`GET /api/jobs/${json.id}/events HTTP/1.1\r\nHost: x\r\n\r\n`);
    await until('it speaks', () => socket.answer.includes('"waiting"'));
    assert.ok(!await isQuiet());
    socket.destroy();
    await front.resume(); // the next event finds nobody
    await until('quiet', isQuiet);
});

test('whoever does not read stops nobody', async () => {
    const { json } = await front.expect(201, 'POST', '/api/sessions', { params: { birds: 400 } });
    const clients = await many(50);
    for (const socket of clients) {
        socket.pause();
        for (let i = 0; i < 20; i++) socket.write(`GET /api/sessions/${json.id} HTTP/1.1\r\nHost: x\r\n\r\n`);
    }
    await othersAreServed();
    for (const socket of clients) socket.destroy();
    await until('quiet', isQuiet);
});

test('what is no HTTP is refused or cut', async () => {
    assert.match(await raw(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(60_000)}\r\n\r\n`), /^HTTP\/1.1 (413|431) |^$/);
    assert.match(await raw('nonsense\r\n\r\n'), /^HTTP\/1.. [45]|^$/);
    assert.match(await raw('GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n'), /^HTTP\/1.. 4|^$/);
    assert.match(await raw('OPTIONSX /healthz HTTP/1.1\r\nHost: x\r\n\r\n'), /^HTTP\/1.1 405 /);
    assert.match(await raw('GET /healthz HTTP/1.0\r\n\r\n'), /^HTTP\/1.. 200 /);
    assert.match(await raw(post('/api/traces', CLAIM, 'Expect: 100-continue\r\n')), /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 /);
    await othersAreServed();
});

test('who asks before a body that is too big hears at once', async () => {
    const head = (length, more) => `POST /api/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${more}\r\n`;
    assert.match(await raw(head(300_000, 'Expect: 100-continue\r\n')), /^HTTP\/1.1 413 /);
    assert.match(await raw(head(1 << 30, '')), /^HTTP\/1.1 413 /);
});

test('a body may come in chunks', async () => {
    const head = 'POST /api/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    const chunk = (text) => `${text.length.toString(16)}\r\n${text}\r\n`;
    assert.match(await raw(head, chunk(CLAIM.slice(0, 5)), chunk(CLAIM.slice(5)), '0\r\n\r\n'), /^HTTP\/1.1 201 /);
});

test('bodies without end are cut, and cost no memory', async () => {
    const big = Buffer.alloc(1 << 20, 32);
    const clients = await many(40);
    const gone = clients.map((socket) => new Promise((done) => socket.on('close', done)));
    for (const socket of clients) {
        socket.write('POST /api/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n');
        for (let i = 0; i < 20; i++) {
            socket.write(`${big.length.toString(16)}\r\n`);
            socket.write(big);
            socket.write('\r\n');
        }
    }
    await othersAreServed();
    await Promise.all(gone);
    const rss = gauge(await front.metrics(), 'process_resident_memory_bytes');
    assert.ok(rss < RSS_MAX, `${rss} bytes`);
    await until('quiet', isQuiet);
});

test('a broken connection to Redis costs no one its result', async () => {
    for (const end of [':read', '']) {
        await front.pause();
        const answers = Promise.all(Array.from({ length: 20 }, () => front.expect(201, 'POST', '/api/traces', CLAIM)));
        await until('all wait', async () => await front.client.hlen(front.key('ids')) === 20);
        const list = await front.client.client('LIST');
        const [, id] = new RegExp(`^id=(\\d+) .* name=[0-9a-f]{32}${end} `, 'm').exec(list);
        await front.client.client('KILL', 'ID', id);
        await front.resume();
        for (const { json } of await answers) assert.equal(json.state_hash, '2859c10a10b68472');
    }
});

test('Redis that is frozen for a while stops nobody for longer', async () => {
    front.redis.child.kill('SIGSTOP');
    const answer = front.call('GET', '/api/queue');
    await pause(500);
    front.redis.child.kill('SIGCONT');
    assert.equal((await answer).status, 200);
});

test('results of others, and what is no result, are passed over', async () => {
    const [name] = /front="([0-9a-f]{32})"/.exec(await front.metrics()).slice(1);
    for (const bytes of ['', 'x', Buffer.from([0x80]), Buffer.from([0xdf, 255, 255, 255, 255])]) {
        await front.client.rpush(front.key(`reply:${name}`), bytes);
    }
    await othersAreServed();
});

test('what lies broken in Redis is an error of its own', async () => {
    await front.client.hset(front.key('session:broken'), 'rev', '1', 'tick', '3', 'body', 'x');
    await front.client.set(front.key('trace:broken'), 'x');
    await front.client.zadd(front.key('traces'), Date.now() + 1e6, 'broken', Date.now() + 1e6, 'b/d');
    await front.client.set(front.key('result:broken'), 'x');
    await front.client.set(front.key('session:odd'), 'x');
    assert.equal((await front.call('GET', '/api/sessions/broken')).status, 500);
    assert.equal((await front.call('GET', '/api/traces/broken')).status, 500);
    assert.ok((await front.call('GET', '/api/sessions/odd')).status >= 500);
    assert.ok((await front.call('GET', '/api/jobs/broken')).status >= 500);
    const { traces } = (await front.expect(200, 'GET', '/api/traces?limit=2')).json;
    assert.ok(traces.length <= 2 && traces.every(({ id }) => id !== 'broken'));
    await front.client.zrem(front.key('traces'), 'broken', 'b/d');
});

test('TERM answers who waits, and ends', async () => {
    await front.pause();
    const answers = Promise.all(Array.from({ length: 20 }, () => front.call('POST', '/api/traces', LONG)));
    await until('all wait', async () => await front.client.hlen(front.key('ids')) === 20);
    front.child.kill('SIGTERM');
    for (const { status, json } of await answers) {
        assert.deepEqual([status, json.code], [503, 'shutting_down']);
        assert.match(json.job, /^[0-9a-f]{32}$/);
    }
    await until('it ends', () => front.child.ended !== null);
    assert.equal(front.child.ended, 'exit 0');
});
