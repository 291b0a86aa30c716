// SPDX-License-Identifier: MIT
//
// The checker must find what it is there to find. A small history in which all is well is spoilt in
// one way at a time.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as exact from '../interop/exact.mjs';
import { encode } from '../interop/packages.mjs';
import { scenes } from '../interop/scenes.mjs';
import { check } from './check.mjs';
import { follow, hypot, swept, verified } from './reference.mjs';

const HOUR = 3_600_000;
const NAME = 'w0g1-4711-0000abcd';
const engine = { version: '0', isa: 'scalar' };

const packed = (value) => Buffer.from(encode(value)).toString('base64');
const text = (value) => Buffer.from(String(value)).toString('base64');

const CLAIM = { v: 1, id: 'claim', kind: 'verify', seed: 7, params: { birds: 10 }, at_tick: 30, store: false, reply_to: 'r' };
const SWEEP = { v: 1, id: 'sweep', kind: 'sweep', seeds: { first: 3, count: 2 }, params: { birds: 10 }, ticks: 5 };
const CREATE = { v: 1, id: 'create', kind: 'session.create', seed: 9, params: { birds: 10 } };
const step = (id, ticks, more = {}) => ({ v: 1, id, kind: 'session.step', session: 'aa', ticks, ...more });
const CHANGE = { v: 1, id: 'change', kind: 'session.params', session: 'aa', params: { weights: { cohesion: 1 } } };
const LATE = { ...CLAIM, id: 'late', at_tick: 2, ttl_ms: 50, reply_to: undefined };
const GONE = { ...CLAIM, id: 'gone', at_tick: 3, reply_to: undefined };

const CHANGES = [{ tick: 5, params: { weights: { cohesion: 1 } } }];

/** The session and its ring at a tick. */
function sessionAt(toTick, changes) {
    const session = { v: 1, id: 'aa', model: 'flock', seed: 9, tick: toTick, params: { birds: 10 }, changes };
    const ring = Buffer.alloc(24 * (toTick + 1));
    follow({ seed: 9, params: { birds: 10 }, changes }, toTick, (tick, now) => {
        const metrics = now.metrics();
        ring.writeDoubleLE(metrics.polarization, 24 * tick);
        ring.writeDoubleLE(metrics.mean_neighbor_distance ?? NaN, 24 * tick + 8);
        ring.writeUInt32LE(metrics.cluster_count, 24 * tick + 16);
        ring.writeUInt32LE(tick, 24 * tick + 20);
        if (tick === toTick) Object.assign(session, { metrics, state_hash: now.hash() });
    });
    return { session, ring };
}

const result = ({ id, kind }, what, status = 'ok') =>
    ({ v: 1, id, kind, status, worker: NAME, engine, queued_ms: 60, run_ms: 1, ...what });

/** Claims, a sweep, a session with two steps and a change between them, one job too late and one cancelled. */
function allWell() {
    const lines = [
        { t: 0, ev: 'plan', seed: 1, wall: 1_800_000_000_000, lease_ms: 2000, max_lost: 3, result_ttl: 3600, session_ttl: 86400 },
        { t: 1, ev: 'up', worker: 'w0g1' },
    ];
    let n = 0;
    const send = (job, outcome = { ev: 'answer', state: 'queued', ref: `i1-${n}` }) => {
        n += 1;
        lines.push({ t: 10 * n, ev: 'send', n, via: 'enqueue', lane: 'interactive', id: job.id, job, kind: job.kind });
        lines.push({ t: 10 * n + 1, n, at: 10 * n + 1, ...outcome });
    };
    for (const job of [CLAIM, SWEEP, CREATE, step('step1', 5), CHANGE, step('step2', 4, { expect_tick: 5 }), LATE, GONE]) send(job);
    send({ ...CLAIM, id: 'full' }, { ev: 'refused', why: 'QUEUEFULL' });
    n += 1;
    lines.push({ t: 200, ev: 'cancel', n, id: 'gone' }, { t: 201, ev: 'answer', n, at: 201, state: 'cancelled' });
    lines.push({ t: 205, ev: 'held', ref: 'i1-1', consumer: NAME, count: 1 });
    lines.push({ t: 400, ev: 'calm' }, { t: 401, ev: 'roll', ids: ['claim'], workers: ['w0g1'] });
    lines.push({ t: 900, ev: 'drained', empty: true, left: 0 });
    lines.push({ t: 1000, ev: 'gone', worker: 'w0g1', how: 'exit 0', asked: 'TERM' }, { t: 1100, ev: 'end' });

    const { session, ring } = sessionAt(9, CHANGES);
    const claim = result(CLAIM, verified(CLAIM));
    const results = [
        claim, result(SWEEP, { rows: swept(SWEEP) }), result(CREATE, { session: sessionAt(0, []).session }),
        result(step('step1'), { session: sessionAt(5, []).session }),
        result(CHANGE, { change: CHANGES[0], session: sessionAt(5, CHANGES).session }), result(step('step2'), { session }),
        result(LATE, { error: { code: 'expired', message: '' } }, 'expired'),
        { ...result(GONE, { error: { code: 'cancelled', message: '' } }, 'cancelled'), worker: undefined, engine: undefined },
    ];
    const group = { workers: { pending: 0, consumers: { [NAME]: 0, [`${NAME}:next`]: 0, released: 0 } } };
    const stats = { 'verify:ok': 1, 'sweep:ok': 1, 'session.create:ok': 1, 'session.step:ok': 2, 'session.params:ok': 1,
                    'verify:expired': 1, cancelled: 1, bytes_waiting: 0 };
    const rows = [
        ...results.map((value) => ({ name: `result:${value.id}`, type: 'string', ttl_ms: HOUR - 5, value: packed(value) })),
        { name: 'reply:r', type: 'list', ttl_ms: HOUR - 5, value: [packed(claim)] },
        { name: 'session:aa', type: 'hash', ttl_ms: HOUR, value: { rev: text(4), tick: text(9), body: packed(session) } },
        { name: 'ring:aa', type: 'string', ttl_ms: HOUR, value: ring.toString('base64') },
        { name: 'jobs:interactive', type: 'stream', ttl_ms: -1, value: { entries: [], groups: group } },
        { name: 'jobs:batch', type: 'stream', ttl_ms: -1, value: { entries: [], groups: group } },
        { name: 'stats', type: 'hash', ttl_ms: -1,
          value: Object.fromEntries(Object.entries(stats).map(([name, value]) => [name, text(value)])) },
        { name: 'workers', type: 'zset', ttl_ms: -1, value: [[NAME, 1_800_000_000_900]] },
        { name: `worker:${NAME}`, type: 'string', ttl_ms: 4000, value: text('') },
    ];
    return { lines, rows, stats };
}

const row = ({ rows }, name) => rows.find((one) => one.name === name);
const without = (state, name) => { state.rows = state.rows.filter((one) => one.name !== name); };
const line = ({ lines }, ev, id) => lines.find((one) => one.ev === ev && (id === undefined || one.id === id));
const put = (state, value) => { row(state, `result:${value.id}`).value = packed(value); };
const lane = (state) => row(state, 'jobs:interactive').value;
const told = (state, ...events) => state.lines.push(...events);

/** what is spoilt, how, and what the checker must say. */
const DEFECTS = [
    ['a job lost', (s) => without(s, 'result:sweep'), /job sweep: accepted, and there is no result/],
    ['a result of a job that was refused', (s) => s.rows.push({ ...row(s, 'result:claim'), name: 'result:full' }),
     /job full: every time refused/],
    ['a result of nobody', (s) => s.rows.push({ ...row(s, 'result:claim'), name: 'result:x' }), /job x: there is a result, and nobody/],
    ['a wrong hash', (s) => put(s, result(CLAIM, { ...verified(CLAIM), state_hash: '0123456789abcdef' })), /job claim: wrong result: state_hash/],
    ['a wrong last bit of a metric', (s) => {
        const right = verified(CLAIM);
        const metrics = { ...right.metrics, polarization: right.metrics.polarization + 2 ** -53 };
        put(s, result(CLAIM, { ...right, metrics }));
    }, /job claim: wrong result: metrics/],
    ['a wrong row of a sweep', (s) => put(s, result(SWEEP, { rows: { ...swept(SWEEP), cluster_count: [1, 1] } })), /job sweep: wrong result: column/],
    ['a failure', (s) => put(s, result(CLAIM, { error: { code: 'internal', message: 'x' } }, 'failed')), /job claim: wrong result: failed, internal/],
    ['a cancel of a job that nobody cancelled', (s) => put(s, result(CLAIM, { error: { code: 'cancelled' } }, 'cancelled')), /nobody cancelled it/],
    ['a job that ran although it was cancelled', (s) => put(s, result(GONE, verified(GONE))), /cancel said "cancelled"/],
    ['an expiry without ttl', (s) => put(s, result(CLAIM, { error: { code: 'expired' } }, 'expired')), /expired, but ttl_ms is undefined/],
    ['a job lost three times with no fault', (s) => put(s, result(CLAIM, { error: { code: 'worker_lost' } }, 'failed')), /only 0 losses can be explained/],
    ['a result twice in the stats', (s) => { row(s, 'stats').value['verify:ok'] = text(2); }, /stats verify:ok is 2, and there are 1/],
    ['a reply twice', (s) => row(s, 'reply:r').value.push(row(s, 'reply:r').value[0]), /job claim: reply list r .* twice/],
    ['a reply lost', (s) => without(s, 'reply:r'), /job claim: reply list r misses its result/],
    ['a result that changes', (s) => told(s, { t: 300, ev: 'seen', id: 'claim', digest: '00' }), /job claim: its result was read, and is another one/],
    ['a step doubled', (s) => {
        const { session, ring } = sessionAt(13, CHANGES);
        row(s, 'session:aa').value.body = packed(session);
        row(s, 'ring:aa').value = ring.toString('base64');
    }, /session aa is at tick 13, its steps end at 9/],
    ['a step lost', (s) => put(s, result(step('step2'), { session: sessionAt(8, CHANGES).session })), /job step2: session aa: it stepped from 4 to 8/],
    ['a step from a tick that was not expected', (s) => { line(s, 'send', 'step2').job.expect_tick = 4; }, /it expected tick 4 and stepped from 5/],
    ['a change lost', (s) => {
        row(s, 'session:aa').value.body = packed(sessionAt(9, []).session);
    }, /job change: session aa has lost its change/],
    ['a session lost', (s) => without(s, 'session:aa'), /session aa is gone/],
    ['a session of nobody', (s) => s.rows.push({ ...row(s, 'session:aa'), name: 'session:bb' }), /session bb: 0 jobs say they created it/],
    ['a slot of the ring', (s) => {
        const ring = Buffer.from(row(s, 'ring:aa').value, 'base64');
        ring.writeUInt32LE(99, 24 * 3 + 16);
        row(s, 'ring:aa').value = ring.toString('base64');
    }, /session aa: tick 3 of its ring/],
    ['a key left behind', (s) => s.rows.push({ name: 'ids', type: 'hash', ttl_ms: -1, value: {} }), /key ids is left behind/],
    ['a ring of nobody', (s) => s.rows.push({ ...row(s, 'ring:aa'), name: 'ring:bb' }), /key ring:bb belongs to nothing/],
    ['a result for ever', (s) => { row(s, 'result:claim').ttl_ms = -1; }, /key result:claim lives for -1 ms/],
    ['a key of another queue', (s) => s.rows.push({ name: '/flock:{x}:stats', type: 'hash', ttl_ms: -1, value: {} }), /key \/flock/],
    ['an entry left', (s) => lane(s).entries.push(['1-0', {}]), /jobs:interactive still has 1 entries/],
    ['a pending entry left', (s) => { lane(s).groups.workers.pending = 1; }, /still has 1 pending/],
    ['a consumer left', (s) => { lane(s).groups.workers.consumers['w9g9-1-00000000'] = 0; }, /the stray consumer w9g9/],
    ['a dead letter of a job that is well', (s) => s.rows.push({ name: 'dead', type: 'stream', ttl_ms: -1, value: {
        entries: [['1-0', { id: text('claim'), losses: text(3) }]], groups: {} } }), /job claim: there is a dead letter/],
    ['bytes that wait for ever', (s) => { row(s, 'stats').value.bytes_waiting = text(7); }, /bytes_waiting is 7/],
    ['a worker that crashes', (s) => { line(s, 'gone').asked = false; line(s, 'gone').how = 'SIGABRT'; }, /ended by itself, with SIGABRT/],
    ['a worker that fails to drain', (s) => { line(s, 'gone').how = 'exit 3'; }, /ended with exit 3/],
    ['a worker that has stopped', (s) => { line(s, 'roll').workers.push('w1g2'); }, /worker w1g2 has stopped taking jobs/],
    ['a queue that is stuck', (s) => { line(s, 'drained').empty = false; }, /the queue got no shorter/],
    ['a run lost without a fault', (s) => told(s, { t: 700, ev: 'held', ref: 'i1-1', consumer: 'w1g2-1-00000000', count: 2 }),
     /had i1-1, whose run was lost without a fault/],
    ['a release that counts as a loss', (s) => told(s, { t: 700, ev: 'held', ref: 'i1800000000100-0', consumer: 'released', count: 1 }),
     /sooner than its leases end/],
    ['losses forgotten', (s) => told(s, { t: 700, ev: 'held', ref: 'i1-1', consumer: NAME, count: 3 },
                                     { t: 800, ev: 'held', ref: 'i1-1', consumer: NAME, count: 1 }), /had 2 losses and has 0/],
];

const said = ({ lines, rows }) =>
    check(lines, rows).violations.map(({ id, what }) => `${id ? `job ${id}: ` : ''}${what}`);

test('check_all_well', () => assert.deepEqual(said(allWell()), []));

for (const [name, spoil, words] of DEFECTS) {
    test(`check_finds ${name}`, () => {
        const state = allWell();
        spoil(state);
        const found = said(state);
        assert.ok(found.some((what) => words.test(what)), `${words} is not among:\n${found.join('\n')}`);
    });
}

const silent = (t, kind, worker) => [{ t, ev: 'fault', k: t, kind, phase: 'begin', worker },
                                     { t: t + 2500, ev: 'fault', k: t, kind, phase: 'end', worker }];
const taken = { t: 3000, ev: 'held', ref: 'i1-1', consumer: 'w1g2-1-00000000', count: 2 };

test('check_forgives a loss to the worker that was hit, and to no other', () => {
    const hit = allWell();
    told(hit, ...silent(300, 'freeze', 'w0g1'), taken);
    assert.deepEqual(said(hit), []);
    const other = allWell();
    told(other, ...silent(300, 'freeze', 'w1g2'), taken);
    assert.match(said(other).join('\n'), /had i1-1, whose run was lost without a fault/);
});

/** A failover from 15 to 60, with an answer in between that no replica was waited for. */
function failover(replicas) {
    const state = allWell();
    told(state, { t: 16, ev: 'fault', k: 1, kind: 'failover', phase: 'synced', worker: '*', at: 15 },
         { t: 60, ev: 'fault', k: 1, kind: 'failover', phase: 'promoted', worker: '*' });
    const { n } = line(state, 'send', 'sweep');
    state.lines.find((one) => one.ev === 'answer' && one.n === n).replicas = replicas;
    without(state, 'result:sweep');
    return said(state).filter((what) => what.startsWith('job sweep'));
}

test('check_forgives a failover what it had not promised, and only that', () => {
    assert.deepEqual(failover(0), []);
    assert.equal(failover(1).length, 1);
});

test('check_unknown outcomes may be there or not', () => {
    for (const isThere of [true, false]) {
        const state = allWell();
        const { n } = line(state, 'send', 'sweep');
        Object.assign(state.lines.find((one) => one.n === n && one.ev === 'answer'), { ev: 'unknown', why: 'x', ref: undefined });
        if (!isThere) {
            without(state, 'result:sweep');
            delete row(state, 'stats').value['sweep:ok'];
        }
        assert.deepEqual(said(state), []);
    }
});

test('reference_hypot is correctly rounded', () => {
    for (let i = 1; i <= 20_000; i++) {
        const [x, y] = [Math.sin(i) * 10 ** (i % 7 - 3), Math.cos(3 * i) * 10 ** (i % 5 - 2)];
        assert.equal(hypot(x, y), exact.hypot(x, y));
        assert.equal(hypot(i / 4, (i % 97) / 8), exact.hypot(i / 4, (i % 97) / 8)); // also squares, and ties
    }
});

test('reference_golden scenes', () => {
    for (const { name, flock: { seed, ...params }, changes, tick, hash } of scenes.filter((s) => s.flock.birds ** 2 * s.tick <= 2e7)) {
        assert.equal(verified({ seed, params, changes, at_tick: tick }).state_hash, hash, name);
    }
});
