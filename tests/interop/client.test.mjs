// SPDX-License-Identifier: MIT
//
// Claims, traces and sweeps through a real Redis and a real worker, by a client that knows
// proto/PROTOCOL.md alone.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test, { after, before } from 'node:test';
import { decode } from '@msgpack/msgpack';
import { Client } from './client.mjs';
import { metrics, run } from './flock.mjs';
import { startServers } from './servers.mjs';

const HASH = /^[0-9a-f]{16}$/;
const ID = /^[A-Za-z0-9._-]{1,64}$/;
const CHANGES = [
    { tick: 100, params: { weights: { cohesion: 1, alignment: 0.2, separation: 0.1 } } },
    { tick: 250, params: { weights: { cohesion: 0, alignment: 1, separation: 0.5 } } },
    { tick: 400, params: { weights: { cohesion: 0.3, alignment: 0.7, separation: 1 } } },
];

/** What the golden scenes say of seed 42, 120 birds, default weights at tick 0. */
function golden(tick, changes = '-') {
    const lines = readFileSync(new URL('../golden/flock.tsv', import.meta.url), 'utf8').split('\n');
    const start = ['42', '120', '0.5', '0.5', '0.5', changes, String(tick)].join('\t') + '\t';
    const line = lines.find((one) => one.startsWith(start));
    assert.ok(line, `a golden scene of tick ${tick} and changes ${changes}`);
    const [hash, ...numbers] = line.slice(start.length).split('\t');
    const [polarization, clusters, distance] = numbers.map(Number);
    return { hash, metrics: { polarization, cluster_count: clusters, mean_neighbor_distance: distance } };
}

const scene = golden(500);
const small = (fields) => ({ v: 1, kind: 'verify', seed: 7, at_tick: 150, params: { birds: 10 }, ...fields });

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

async function ok(job, lane) {
    const result = await client.run(job, lane);
    assert.equal(result.status, 'ok', JSON.stringify(result));
    return result;
}

test('verify_by_plain_xadd', async () => {
    const entry = await client.add({ v: 1, kind: 'verify', seed: 42, at_tick: 500 });
    const { worker, engine, queued_ms, run_ms, trace, ...rest } = await client.wait(entry);
    assert.deepEqual(rest, {
        v: 1, id: entry, kind: 'verify', status: 'ok', at_tick: 500, metrics: scene.metrics,
        state_hash: '2859c10a10b68472', checkpoints: [],
    });
    assert.equal(scene.hash, '2859c10a10b68472');
    assert.match(trace, ID);
    assert.match(worker, ID);
    assert.deepEqual(Object.keys(engine).sort(), ['isa', 'version']);
    assert.ok(Object.values(engine).every((value) => typeof value === 'string' && value !== ''));
    assert.ok(Number.isInteger(queued_ms) && queued_ms >= 0, `queued_ms ${queued_ms}`);
    assert.ok(run_ms > 0, `run_ms ${run_ms}`);
});

test('verify_reply_to_gets_the_very_result', async () => {
    const jobs = ['a', 'b', 'c'].map((id, seed) => small({ id, seed, reply_to: 'node-1', traceparent: `00-${id}-01` }));
    for (const job of jobs) await client.add(job);
    const answers = new Map();
    for (const _ of jobs) {
        const bytes = await client.answer('node-1');
        answers.set(decode(bytes).id, bytes);
    }
    for (const { id, traceparent } of jobs) {
        assert.deepEqual(answers.get(id), await client.resultBytes(id), `both results of job ${id}`);
        assert.equal(decode(answers.get(id)).traceparent, traceparent);
    }
});

test('verify_in_the_batch_lane', async () => {
    const { state_hash } = await ok(small({ id: 'in-batch' }), 'batch');
    assert.equal(state_hash, (await ok(small())).state_hash);
});

test('verify_takes_any_order_width_and_unknown_keys', async () => {
    const bytes = Buffer.concat([
        Buffer.from('df00000007', 'hex'), // map32 of 7
        Buffer.from('a76174' + '5f7469636b' + 'd30000000000000096', 'hex'), // at_tick: int64 150
        Buffer.from('d904' + '6e6f7465' + 'c0', 'hex'), // note, as str8: nil
        Buffer.from('a6667574757265' + '81ff93c0c2c0', 'hex'), // future: {-1: [nil, false, nil]}
        Buffer.from('a6706172616d73' + '82' + 'a56269726473' + 'cf000000000000000a' // params: birds uint64 10
            + 'a777656967687473' + '82' + 'a8636f686573696f6e' + 'ca3f000000' // cohesion: float32 0.5
            + 'a9616c69676e6d656e74' + '00', 'hex'), // alignment: 0
        Buffer.from('da0004' + '6b696e64' + 'db00000006766572696679', 'hex'), // kind, as str16: str32 verify
        Buffer.from('a473656564' + 'ce00000007', 'hex'), // seed: uint32 7
        Buffer.from('a176' + 'd001', 'hex'), // v: int8 1
    ]);
    const params = { birds: 10, weights: { cohesion: 0.5, alignment: 0 } };
    assert.equal((await ok(bytes)).state_hash, (await ok(small({ params }))).state_hash);
});

test('verify_equals_another_engine', async () => {
    const claim = { seed: 1234, params: { birds: 60, weights: { cohesion: 0.9, separation: 0.25 } } };
    const changes = [{ tick: 40, params: { weights: { alignment: 1 } } }];
    const claimed = { metrics: metrics(run({ ...claim, changes, atTick: 200 })) };
    const result = await ok({ v: 1, kind: 'verify', ...claim, changes, at_tick: 200, claimed });
    assert.equal(result.verdict, 'match', JSON.stringify({ claimed, result }));
});

test('verify_checkpoints', async () => {
    const { checkpoints, state_hash } = await ok(small({ at_tick: 3000 }));
    assert.equal(checkpoints.length, 3);
    assert.equal(checkpoints[2], state_hash);
    const first = await ok(small({ at_tick: 1999 }));
    assert.deepEqual(first.checkpoints, checkpoints.slice(0, 1));
    assert.equal((await ok(small({ at_tick: 1000 }))).state_hash, checkpoints[0]);
});

test('claim_with_changes', async () => {
    const { hash, metrics: numbers } = golden(500, '100:1,0.2,0.1;250:0,1,0.5;400:0.3,0.7,1');
    const job = { v: 1, kind: 'verify', seed: 42, at_tick: 500, changes: CHANGES };
    const exact = await ok({ ...job, claimed: { state_hash: hash } });
    assert.equal(exact.verdict, 'exact');
    assert.deepEqual(exact.metrics, numbers);
    assert.match(exact.trace, ID);
    const mismatch = await ok({ ...job, claimed: { state_hash: scene.hash } });
    assert.equal(mismatch.verdict, 'mismatch');
    assert.equal(mismatch.state_hash, hash);
    assert.equal(mismatch.trace, undefined, 'a mismatch is not stored');
});

test('claim_verdicts', async () => {
    const at = async (tick) => {
        const { metrics: ours, state_hash } = await ok(small({ at_tick: tick, store: false }));
        return { ours, state_hash };
    };
    const near = ({ polarization, ...rest }) => ({ ...rest, polarization: polarization * 1.0009 });
    const far = ({ polarization, ...rest }) => ({ ...rest, polarization: polarization * 1.0011 });
    const none = (ours) => ({ ...ours, mean_neighbor_distance: null });
    const early = await at(200);
    const late = await at(201);
    const rows = [
        ['nothing', 200, {}, undefined],
        ['the hash', 200, { state_hash: early.state_hash }, 'exact'],
        ['the hash in upper case', 200, { state_hash: early.state_hash.toUpperCase() }, 'exact'],
        ['the hash decides alone', 200, { state_hash: early.state_hash, metrics: far(early.ours) }, 'exact'],
        ['another hash decides alone', 201, { state_hash: early.state_hash, metrics: late.ours }, 'mismatch'],
        ['the metrics', 200, { metrics: early.ours }, 'match'],
        ['metrics near', 200, { metrics: near(early.ours) }, 'match'],
        ['metrics far', 200, { metrics: far(early.ours) }, 'mismatch'],
        ['null for a number', 200, { metrics: none(early.ours) }, 'mismatch'],
        ['metrics after tick 200', 201, { metrics: late.ours }, 'indicative'],
        ['metrics far after tick 200', 201, { metrics: far(late.ours) }, 'indicative'],
    ];
    for (const [what, at_tick, claimed, verdict] of rows) {
        const result = await ok(small({ at_tick, claimed, ring: true }));
        assert.equal(result.verdict, verdict, what);
        assert.equal(result.trace === undefined, verdict === 'mismatch', `${what}: stored unless it is a mismatch`);
        assert.equal(result.ring, result.trace && true, `${what}: a ring where there is a trace`);
    }
});

test('verify_over_budget', async () => {
    const stored = await client.redis.zcard(client.key('traces'));
    const job = { v: 1, kind: 'verify', seed: 1, at_tick: 20000, params: { birds: 400 }, budget_ms: 50 };
    const { status, error, trace } = await client.run(job);
    assert.deepEqual([status, error.code, error.field], ['rejected', 'budget_exceeded', 'at_tick']);
    assert.ok(Number.isInteger(error.fits) && error.fits >= 0 && error.fits < 20000, `fits ${error.fits}`);
    assert.match(error.message, /at_tick.*20000/);
    assert.equal(trace, undefined);
    assert.equal(await client.redis.zcard(client.key('traces')), stored, 'nothing is stored');
});

test('trace_read_back_and_verified_again', async () => {
    const note = 'Möwen über dem Hafen 🐦';
    const params = { birds: 33, weights: { separation: 1 } };
    const changes = [{ tick: 10, params: { weights: { cohesion: 0.125 } } }];
    const claimed = { state_hash: (await ok(small({ params, changes, at_tick: 1100, store: false }))).state_hash };
    const result = await ok(small({ params, changes, at_tick: 1100, note, claimed }));

    const { verified_at_ms, ...trace } = await client.trace(result.trace);
    assert.deepEqual(trace, {
        v: 1, id: result.trace, model: 'flock', seed: 7,
        params: { birds: 33, weights: { cohesion: 0.5, alignment: 0.5, separation: 1 } },
        changes, at_tick: 1100, note, metrics: result.metrics, state_hash: claimed.state_hash,
        checkpoints: result.checkpoints, verdict: 'exact', engine: result.engine,
    });
    assert.ok(Math.abs(verified_at_ms - Date.now()) < 600_000, `verified_at_ms ${verified_at_ms}`);
    assert.ok((await client.traces(10)).includes(result.trace));
    const stored_at_ms = Number(await client.redis.zscore(client.key('traces'), result.trace));
    assert.ok(Math.abs(verified_at_ms - stored_at_ms) < 600_000, `stored at ${stored_at_ms}`);

    const { model, seed, at_tick } = trace;
    const again = await ok({
        v: 1, kind: 'verify', model, seed, params: trace.params, changes: trace.changes, at_tick,
        claimed: { state_hash: trace.state_hash },
    });
    assert.equal(again.verdict, 'exact');
    assert.deepEqual(again.metrics, trace.metrics);
});

test('trace_not_stored_on_demand', async () => {
    const stored = await client.redis.zcard(client.key('traces'));
    const { trace, ring } = await ok(small({ store: false, ring: true }));
    assert.deepEqual([trace, ring], [undefined, undefined]);
    assert.equal(await client.redis.zcard(client.key('traces')), stored);
});

test('trace_ring', async () => {
    const short = await ok(small({ at_tick: 300, ring: true }));
    assert.equal(short.ring, true);
    const all = await client.readRing(short.trace, 0, 310);
    assert.ok(all.slice(0, 301).every((there) => there !== null), 'ticks 0 to 300');
    assert.ok(all.slice(301).every((there) => there === null), 'none later');
    assert.deepEqual(all[300], short.metrics);
    assert.deepEqual(all[150], (await ok(small())).metrics);

    const long = await ok(small({ at_tick: 6000, ring: true }));
    const last = await client.readRing(long.trace, 1001, 6000);
    assert.ok(last.every((there) => there !== null), 'the last 5000 ticks');
    assert.deepEqual(last[4999], long.metrics);
    assert.deepEqual(await client.readRing(long.trace, 999, 1000), [null, null], 'none earlier');
    assert.equal((await ok(small())).ring, undefined);
});

test('sweep_rows_are_columns', async () => {
    const changes = [{ tick: 30, params: { weights: { alignment: 0 } } }];
    const seeds = { first: 4294967292, count: 4 };
    const job = { v: 1, kind: 'sweep', seeds, ticks: 60, params: { birds: 20 }, changes };
    const { rows } = await ok(job, 'batch');
    assert.deepEqual(Object.keys(rows).sort(),
                     ['cluster_count', 'mean_neighbor_distance', 'polarization', 'seed', 'state_hash']);
    assert.deepEqual(rows.seed, [4294967292, 4294967293, 4294967294, 4294967295]);
    for (const [i, seed] of rows.seed.entries()) {
        const alone = await ok(small({ seed, at_tick: 60, params: job.params, changes }));
        const row = Object.fromEntries(Object.keys(alone.metrics).map((name) => [name, rows[name][i]]));
        assert.deepEqual(row, alone.metrics, `seed ${seed}`);
        assert.equal(rows.state_hash[i], alone.state_hash, `seed ${seed}`);
    }
});

test('sweep_of_a_list', async () => {
    const seeds = [9, 0, 9, 4294967295];
    const { rows } = await ok({ v: 1, kind: 'sweep', seeds, ticks: 1, params: { birds: 10 } });
    assert.deepEqual(rows.seed, seeds);
    assert.ok(Object.values(rows).every((column) => column.length === 4));
    assert.ok(rows.state_hash.every((hash) => HASH.test(hash)));
    assert.equal(rows.state_hash[0], rows.state_hash[2]);
    assert.notEqual(rows.state_hash[0], rows.state_hash[1]);
});

test('sweep_over_budget', async () => {
    const job = { v: 1, kind: 'sweep', seeds: { first: 0, count: 10000 }, ticks: 1000, budget_ms: 100 };
    const { status, error, rows } = await client.run(job, 'batch');
    assert.deepEqual([status, error.code, error.field], ['rejected', 'budget_exceeded', 'seeds']);
    assert.ok(Number.isInteger(error.fits) && error.fits >= 0 && error.fits < 10000, `fits ${error.fits}`);
    assert.equal(rows, undefined);
});
