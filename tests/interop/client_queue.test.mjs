// SPDX-License-Identifier: MIT
//
// The queue's own functions, and bad jobs, through a real Redis and a real worker, by a client that
// knows proto/PROTOCOL.md alone.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import test, { after, before } from 'node:test';
import { decode, encode } from '@msgpack/msgpack';
import { Client, packed } from './client.mjs';
import { startServers } from './servers.mjs';

const QUEUE = 'interop.q-1';
const VECTORS = new URL('../../proto/vectors/bad/', import.meta.url);
const job = (fields) => ({ v: 1, kind: 'verify', seed: 7, at_tick: 5, params: { birds: 10 }, store: false, ...fields });
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

let servers;
let client;

before(async () => {
    servers = await startServers({ queue: QUEUE });
    client = new Client(servers.url, QUEUE);
});

after(async () => {
    client?.close();
    assert.equal(await servers?.stop(), 'exit 0', servers?.log());
});

const setConfig = (field, value) => client.redis.hset(client.key('config'), field, value);
const resetConfig = (...fields) => client.redis.hdel(client.key('config'), ...fields);

/** Runs while claim gives nothing new. */
async function paused(action) {
    await setConfig('paused', 1);
    try {
        return await action();
    } finally {
        await resetConfig('paused');
    }
}

async function until(what, ask) {
    for (let left = 2000; left > 0; left--) {
        if (await ask()) return;
        await pause(5);
    }
    assert.fail(`never: ${what}`);
}

/** A worker that waited for work when the queue was paused gets what is added next, and hands it back. */
const handedBack = (id) => until(`${id} waits`, async () => (await client.find(id)).state === 'waiting');

test('version_is_a_number', async () => {
    assert.ok(Number.isInteger(await client.version()));
});

test('enqueue_an_id_twice', async () => {
    const first = job({ id: 'twice' });
    await paused(async () => {
        const [{ state, ref }] = await client.enqueue([first]);
        assert.equal(state, 'queued');
        assert.match(ref, /^i\d+-\d+$/);
        await handedBack('twice');
        assert.deepEqual(await client.enqueue([job({ id: 'twice', seed: 8 })]), [{ state: 'waiting', ref }]);
        assert.deepEqual(await client.find('twice'), { state: 'waiting', ref, said: null });
        assert.equal(await client.redis.xlen(client.key('jobs:interactive')), 1);
    });
    const { state_hash } = await client.wait('twice');
    assert.equal(state_hash, (await client.run(job())).state_hash, 'the first one ran');
    assert.deepEqual(await client.enqueue([first]), [{ state: 'done', ref: '' }]);
    assert.deepEqual(await client.find('twice'), { state: 'done', ref: '', said: null });
});

test('enqueue_many', async () => {
    const jobs = Array.from({ length: 50 }, (_, seed) => job({ seed, ...(seed % 3 ? { id: `many-${seed}` } : {}) }));
    const queued = await client.enqueue(jobs, 'batch');
    assert.ok(queued.every(({ state, ref }) => state === 'queued' && /^b\d+-\d+$/.test(ref)));
    assert.equal(new Set(queued.map(({ ref }) => ref)).size, 50);
    for (const [i, { ref }] of queued.entries()) {
        const id = jobs[i].id ?? ref.slice(1);
        const result = await client.wait(id);
        assert.deepEqual([result.id, result.status], [id, 'ok']);
    }
});

test('enqueue_refuses', async () => {
    const refused = (jobs, message) => assert.rejects(client.enqueue(jobs), { message });
    await paused(async () => {
        await setConfig('max_jobs', 2);
        await client.enqueue([job({ id: 'full-1' })]);
        await refused([job({ id: 'full-2' }), job({ id: 'full-3' })], /^QUEUEFULL .*2/);
        assert.equal(await client.redis.xlen(client.key('jobs:interactive')), 1, 'all of them or none');
        await client.enqueue([job({ id: 'full-2' })]);
        await refused([job({ id: 'full-3' })], /^QUEUEFULL /);
        await handedBack('full-1');
        assert.equal((await client.enqueue([job({ id: 'full-1' })]))[0].state, 'waiting', 'it is there already');
    });
    await client.wait('full-2');
    await until('place in the queue', async () =>
        (await client.enqueue([job({ id: 'full-3' })]).catch(() => [{}]))[0].state !== undefined);
    await setConfig('max_job_bytes', 100);
    await refused([job({ id: 'big', note: 'x'.repeat(100) })], /^JOBTOOBIG /);
    await resetConfig('max_jobs', 'max_job_bytes');

    const call = (names, ...args) => client.call('enqueue', names, ...args);
    await assert.rejects(call(['result:a'], 'interactive', 'a', packed(job({ id: 'b' }))), /^ReplyError: ERR /);
    await assert.rejects(call([], 'express', '', packed(job())), /^ReplyError: ERR /);
    await assert.rejects(call([], 'interactive', 'a', packed(job({ id: 'a' }))), /^ReplyError: ERR /);
});

test('plain_xadd_of_an_id_twice', async () => {
    const first = await client.run(job({ id: 'plain-twice' }));
    await client.add(job({ id: 'plain-twice', seed: 8, reply_to: 'second' }));
    await until('both have left', async () => await client.redis.xlen(client.key('jobs:interactive')) === 0);
    assert.deepEqual(decode(await client.resultBytes('plain-twice')), first, 'the first result stands');
    assert.equal(await client.redis.exists(client.key('reply:second')), 0, 'the second is written nowhere');
});

test('cancel_what_waits', async () => {
    await paused(async () => {
        const [{ ref }] = await client.enqueue([job({ id: 'cancel-1', reply_to: 'cancels' })]);
        await handedBack('cancel-1');
        assert.equal(await client.cancel('cancel-1'), 'cancelled');
        const { id, status, error } = await client.wait('cancel-1');
        assert.deepEqual([id, status, error.code], ['cancel-1', 'cancelled', 'cancelled']);
        assert.deepEqual(await client.answer('cancels'), await client.resultBytes('cancel-1'));
        assert.equal(await client.cancel('cancel-1'), 'done');
        assert.equal(await client.cancel(ref), 'unknown', 'the entry is gone');
        const entry = await client.add(job());
        await handedBack(`i${entry}`);
        assert.equal(await client.cancel(`i${entry}`), 'cancelled');
        assert.equal((await client.wait(entry)).status, 'cancelled');
    });
    assert.equal(await client.cancel('nobody'), 'unknown');
});

test('cancel_what_runs', async () => {
    const long = { v: 1, id: 'long', kind: 'sweep', seeds: { first: 0, count: 10000 }, ticks: 20000 };
    const [{ ref }] = await client.enqueue([long], 'batch');
    await until('it runs', async () => (await client.find('long')).state === 'running');
    assert.deepEqual(await client.enqueue([long], 'batch'), [{ state: 'running', ref }]);
    await until('its worker says so', async () => (await client.find('long')).said !== null);
    const { said } = await client.find('long');
    assert.deepEqual([said.id, said.kind, said.attempt], ['long', 'sweep', 1]);
    assert.equal(await client.cancel('long'), 'cancelling');
    const { status, error, kind } = await client.wait('long');
    assert.deepEqual([status, error.code, kind], ['cancelled', 'cancelled', 'sweep']);
});

test('expired_before_it_started', async () => {
    const entry = await paused(async () => {
        const added = await client.add(job({ ttl_ms: 1, reply_to: 'late' }));
        await pause(20);
        return added;
    });
    const { id, status, error } = decode(await client.answer('late'));
    assert.deepEqual([id, status, error.code], [entry, 'expired', 'expired']);
});

test('status_counts', async () => {
    const reply = await client.call('status', []);
    const status = new Map(reply.flatMap((name, i) => (i % 2 ? [] : [[String(name), reply[i + 1]]])));
    assert.deepEqual([...status.keys()], ['version', 'server_ms', 'paused', 'interactive', 'batch', 'dead', 'traces',
                                          'stats', 'config', 'workers', 'running']);
    const stats = status.get('stats').map(String);
    const verified = Number(stats[stats.indexOf('verify:ok') + 1]);
    assert.ok(verified >= 50, `verify:ok ${verified}`);
    const [name, beat] = status.get('workers').map(String);
    assert.equal((await client.run(job())).worker, name);
    assert.ok(Number(status.get('server_ms')) - Number(beat) < 60_000);
});

// Bad jobs, written from the page: what it says of them, the job, code and field.
const map = (...pairs) => Buffer.concat([Buffer.from([0x80 | pairs.length]),
                                         ...pairs.flatMap(([key, value]) => [Buffer.from(encode(key)), value])]);
const good = Object.entries(job()).map(([key, value]) => [key, Buffer.from(encode(value))]);
const float = (x) => {
    const bytes = Buffer.alloc(9, 0xcb);
    bytes.writeDoubleBE(x, 1);
    return bytes;
};
const raw = (key, value) => map(...good.filter(([name]) => name !== key), [key, value]);
const without = (name) => job({ [name]: undefined });
const weights = (cohesion) => job({ params: { weights: { cohesion } } });
const sweep = (seeds) => ({ v: 1, kind: 'sweep', seeds, ticks: 1 });
const change = (tick, params = { weights: { cohesion: 1 } }) => ({ tick, params });

const BAD = [
    ['text', Buffer.from('hello'), 'malformed'],
    ['nothing', Buffer.alloc(0), 'malformed'],
    ['a list', packed([1, 2]), 'malformed'],
    ['truncated', packed(job()).subarray(0, -3), 'malformed'],
    ['two messages', Buffer.concat([packed(job()), packed(job())]), 'malformed'],
    ['a megabyte of lists', Buffer.alloc(1 << 20, 0x91), 'malformed'],
    ['a key twice', map(...good, good[2]), 'malformed', 'seed'],
    ['an extension', raw('seed', Buffer.from('d40100', 'hex')), 'malformed'],
    ['v absent', without('v'), 'missing_field', 'v'],
    ['v 2', job({ v: 2 }), 'unsupported_version', 'v'],
    ['id with a newline', job({ id: 'a\nb' }), 'bad_text', 'id'],
    ['id of 65', job({ id: 'x'.repeat(65) }), 'bad_text', 'id'],
    ['kind unknown', job({ kind: 'dance' }), 'unknown_kind', 'kind'],
    ['kind absent', without('kind'), 'missing_field', 'kind'],
    ['model unknown', job({ model: 'herd' }), 'unknown_model', 'model'],
    ['seed absent', without('seed'), 'missing_field', 'seed'],
    ['seed nil', job({ seed: null }), 'missing_field', 'seed'],
    ['seed -1', job({ seed: -1 }), 'out_of_range', 'seed'],
    ['seed 2^32', job({ seed: 2 ** 32 }), 'out_of_range', 'seed'],
    ['seed 1.5', job({ seed: 1.5 }), 'out_of_range', 'seed'],
    ['seed a float', raw('seed', float(42)), 'out_of_range', 'seed'],
    ['seed a string', job({ seed: '42' }), 'wrong_type', 'seed'],
    ['at_tick 0', job({ at_tick: 0 }), 'out_of_range', 'at_tick'],
    ['at_tick 20001', job({ at_tick: 20001 }), 'out_of_range', 'at_tick'],
    ['birds 9', job({ params: { birds: 9 } }), 'out_of_range', 'params.birds'],
    ['birds 401', job({ params: { birds: 401 } }), 'out_of_range', 'params.birds'],
    ['params a list', job({ params: [10] }), 'wrong_type', 'params'],
    ['weight -0.1', weights(-0.1), 'out_of_range', 'params.weights.cohesion'],
    ['weight 1.1', weights(1.1), 'out_of_range', 'params.weights.cohesion'],
    ['weight NaN', weights(NaN), 'out_of_range', 'params.weights.cohesion'],
    ['weight a string', weights('1'), 'wrong_type', 'params.weights.cohesion'],
    ['note of 501', job({ note: 'ü'.repeat(501) }), 'too_long', 'note'],
    ['note not UTF-8', raw('note', Buffer.from('a2c328', 'hex')), 'bad_text', 'note'],
    ['note with NUL', job({ note: 'a\0b' }), 'bad_text', 'note'],
    ['note bytes', job({ note: new Uint8Array(3) }), 'wrong_type', 'note'],
    ['changes descending', job({ changes: [change(3), change(2)] }), 'bad_changes', 'changes'],
    ['a change at at_tick', job({ changes: [change(5)] }), 'bad_changes', 'changes'],
    ['a change of birds', job({ changes: [change(1, { birds: 20 })] }), 'bad_changes', 'changes[0].params.birds'],
    ['1001 changes', job({ changes: Array(1001).fill(change(1)) }), 'too_long', 'changes'],
    ['hash of 15', job({ claimed: { state_hash: '0'.repeat(15) } }), 'bad_text', 'claimed.state_hash'],
    ['two metrics of three', job({ claimed: { metrics: { polarization: 1, cluster_count: 1 } } }), 'missing_field',
     'claimed.metrics.mean_neighbor_distance'],
    ['reply_to with a colon', job({ reply_to: 'a:b' }), 'bad_text', 'reply_to'],
    ['budget_ms 10001', job({ budget_ms: 10001 }), 'out_of_range', 'budget_ms'],
    ['10001 seeds', sweep({ first: 0, count: 10001 }), 'out_of_range', 'seeds.count'],
    ['seeds past the last', sweep({ first: 4294967295, count: 2 }), 'out_of_range', 'seeds.first'],
];

for (const [what, bad, code, field] of BAD) {
    test(`bad_job: ${what}`, async () => {
        const entry = await client.add(bad);
        const { v, id, status, error } = await client.wait(entry);
        assert.deepEqual([v, id, status], [1, entry, 'rejected']);
        assert.deepEqual([error.code, error.field], [code, field], error.message);
        assert.ok(error.message.includes(field ?? 'job'), error.message);
    });
}

test('bad_job: no field job', async () => {
    const entry = await client.redis.xadd(client.key('jobs:interactive'), '*', 'jbo', packed(job()));
    const { id, status, error } = await client.wait(entry);
    assert.deepEqual([id, status, error.code, error.field], [entry, 'rejected', 'missing_field', 'job']);
});

test('bad_job: answered under its own id and to its reply_to', async () => {
    await client.add(job({ id: 'bad-1', seed: -1, reply_to: 'bad', traceparent: '00-bad-01' }));
    const result = decode(await client.answer('bad'));
    assert.deepEqual([result.id, result.kind, result.status, result.traceparent],
                     ['bad-1', 'verify', 'rejected', '00-bad-01']);
    assert.deepEqual(decode(await client.resultBytes('bad-1')), result);
    await client.add(job({ id: 'a b', reply_to: 'bad' }));
    assert.equal(decode(await client.answer('bad')).error.field, 'id');
});

test('bad_job: what is no complete map has no id', async () => {
    const entry = await client.add(packed(job({ id: 'bad-2' })).subarray(0, -1));
    const { id, kind, error } = await client.wait(entry);
    assert.deepEqual([id, kind, error.code, error.field], [entry, undefined, 'malformed', undefined]);
    assert.equal(await client.resultBytes('bad-2'), null);
});

test('bad_job: every vector', async () => {
    const names = readdirSync(VECTORS).filter((file) => file.endsWith('.msgpack')).map((file) => file.slice(0, -8));
    assert.ok(names.length >= 50, `${names.length} vectors`);
    const read = (file) => readFileSync(new URL(file, VECTORS));
    const entries = await Promise.all(names.map((name) => client.add(read(`${name}.msgpack`))));
    for (const [i, name] of names.entries()) {
        const { error: expected } = JSON.parse(read(`${name}.json`));
        const { status, error } = await client.wait(entries[i]);
        const { code, field } = error;
        assert.deepEqual({ status, code, field }, { status: 'rejected', field: undefined, ...expected }, name);
    }
});

test('worker_lives_on', async () => {
    assert.equal((await client.run(job())).status, 'ok', servers.log());
});
