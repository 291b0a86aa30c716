// SPDX-License-Identifier: MIT
//
// Sessions and their metrics rings through a real Redis and a real worker, by a client that knows
// proto/PROTOCOL.md alone. With the correctly rounded functions the JavaScript flock must show the
// very numbers that the server shows.

import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { Client } from './client.mjs';
import * as exact from './exact.mjs';
import { advance, createFlock, functions, metrics, step } from './flock.mjs';
import { startServers } from './servers.mjs';

const DAY = 86_400;
const BIRDS = 10;
const WEIGHTS = { cohesion: 0.5, alignment: 0.5, separation: 0.5 };

Object.assign(functions, { sin: exact.sin, cos: exact.cos, hypot: exact.hypot });

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

async function ok(job) {
    const result = await client.run({ v: 1, ...job });
    assert.equal(result.status, 'ok', JSON.stringify(result));
    return result;
}

async function rejected(job, code, field) {
    const { status, error } = await client.run({ v: 1, ...job });
    assert.deepEqual([status, error?.code, error?.field], ['rejected', code, field]);
    assert.notEqual(error.message, '');
    return error;
}

const created = async (fields) =>
    (await ok({ kind: 'session.create', seed: 42, params: { birds: BIRDS }, ...fields })).session;
const stepped = async (session, ticks, fields) =>
    (await ok({ kind: 'session.step', session, ticks, ...fields })).session;
const changed = (session, weights) => ok({ kind: 'session.params', session, params: { weights } });

/** The flock of a session body, to be continued by the other engine. */
const flockOf = ({ tick, params, x, y, vx, vy }) => ({
    tick, weights: params.weights, birds: x.map((_, i) => ({ x: x[i], y: y[i], vx: vx[i], vy: vy[i] })),
});

test('session_create_is_tick_0', async () => {
    const { id, ...session } = await created();
    const flock = createFlock({ seed: 42, birds: BIRDS });
    const column = (name) => flock.birds.map((bird) => bird[name]);
    assert.match(id, /^[A-Za-z0-9._-]{1,64}$/);
    assert.deepEqual(session, {
        v: 1, model: 'flock', seed: 42, tick: 0, params: { birds: BIRDS, weights: WEIGHTS }, changes: [],
        metrics: metrics(flock), state_hash: exact.stateHash(flock),
        x: column('x'), y: column('y'), vx: column('vx'), vy: column('vy'),
    });
    assert.deepEqual(await client.session(id), { id, ...session }, 'Redis has what the result says');
    assert.deepEqual(await client.readRing(id, 0, 1), [session.metrics, null]);
});

test('session_create_draws_a_seed', async () => {
    const seeds = await Promise.all([1, 2, 3].map(async () => (await created({ seed: undefined })).seed));
    assert.ok(seeds.every((seed) => Number.isInteger(seed) && seed >= 0 && seed <= 4294967295), `${seeds}`);
    assert.equal(new Set(seeds).size, 3, `${seeds}`);
});

test('session_step_and_params', async () => {
    const { id } = await created();
    const flock = createFlock({ seed: 42, birds: BIRDS });

    const at5 = await stepped(id, 5);
    advance(flock, [], 5);
    assert.deepEqual([at5.tick, at5.state_hash, at5.initial_params], [5, exact.stateHash(flock), undefined]);

    const once = await changed(id, { cohesion: 1 });
    assert.deepEqual(once.change, { tick: 5, params: { weights: { cohesion: 1 } } });
    assert.equal(once.session.state_hash, at5.state_hash, 'a change moves nobody');
    const twice = await changed(id, { separation: 0 });
    const now = await stepped(id, 20);

    const changes = [{ tick: 5, params: { weights: { cohesion: 1, separation: 0 } } }];
    assert.deepEqual(twice.session.changes, changes, 'two at one tick are one entry');
    assert.deepEqual(now.changes, changes);
    assert.deepEqual(now.params, { birds: BIRDS, weights: { ...WEIGHTS, cohesion: 1, separation: 0 } });
    assert.deepEqual(now.initial_params, { birds: BIRDS, weights: WEIGHTS });
    advance(flock, changes, 25);
    assert.deepEqual([now.tick, now.state_hash, now.metrics], [25, exact.stateHash(flock), metrics(flock)]);

    const claim = await ok({ kind: 'verify', seed: now.seed, params: now.initial_params, changes: now.changes,
                             at_tick: now.tick, claimed: { state_hash: now.state_hash } });
    assert.equal(claim.verdict, 'exact', 'the session as a claim');
});

test('session_continues_from_its_body', async () => {
    const { id } = await created({ seed: 5 });
    const flock = flockOf(await stepped(id, 33));
    for (let i = 0; i < 40; i++) step(flock);
    assert.equal((await stepped(id, 40)).state_hash, exact.stateHash(flock));
});

test('session_hash_fields', async () => {
    const { id } = await created();
    const key = client.key(`session:${id}`);
    const before = await client.redis.hgetall(key);
    await stepped(id, 3);
    const after = await client.redis.hgetall(key);
    assert.deepEqual([before.tick, after.tick], ['0', '3']);
    assert.notEqual(before.rev, after.rev);
    assert.deepEqual(Object.keys(after).sort(), ['body', 'rev', 'tick']);
});

test('session_two_steps_at_once_both_count', async () => {
    const { id } = await created({ params: { birds: 120 } });
    const steps = await Promise.all([10, 10, 10, 10].map((ticks) => stepped(id, ticks)));
    assert.deepEqual(steps.map(({ tick }) => tick).sort(), [10, 20, 30, 40], 'each step comes after another');
    const other = await created({ params: { birds: 120 } });
    assert.equal((await client.session(id)).state_hash, (await stepped(other.id, 40)).state_hash);
});

test('session_expect_tick', async () => {
    const { id } = await created();
    const results = await Promise.all([1, 2].map(() =>
        client.run({ v: 1, kind: 'session.step', session: id, ticks: 10, expect_tick: 0 })));
    const [winner, loser] = results.sort((a, b) => a.status.localeCompare(b.status));
    assert.deepEqual([winner.status, winner.session?.tick], ['ok', 10]);
    assert.deepEqual([loser.status, loser.error?.code], ['rejected', 'tick_conflict']);
    await rejected({ kind: 'session.step', session: id, ticks: 10, expect_tick: 11 }, 'tick_conflict', 'expect_tick');
    assert.equal((await client.session(id)).tick, 10, 'who is rejected changes nothing');
    assert.equal((await stepped(id, 10, { expect_tick: 10 })).tick, 20);
});

test('session_rejects', async () => {
    const { id } = await created();
    const body = await client.redis.hgetallBuffer(client.key(`session:${id}`));
    const params = (what) => ({ kind: 'session.params', session: id, params: what });
    await rejected({ kind: 'session.step', session: 'nobody', ticks: 1 }, 'session_not_found', 'session');
    await rejected({ ...params({ weights: { cohesion: 0 } }), session: 'nobody' }, 'session_not_found', 'session');
    await rejected(params({ birds: 20 }), 'bad_changes', 'params.birds');
    await rejected(params({}), 'missing_field', 'params');
    await rejected(params({ weights: { alignment: 1.5 } }), 'out_of_range', 'params.weights.alignment');
    await rejected({ kind: 'session.step', session: id, ticks: 1001 }, 'out_of_range', 'ticks');
    assert.deepEqual(await client.redis.hgetallBuffer(client.key(`session:${id}`)), body, 'nothing changed');
});

test('session_step_over_budget', async () => {
    const { id, state_hash } = await created({ params: { birds: 400 } });
    const job = { kind: 'session.step', session: id, ticks: 1000, budget_ms: 5 };
    const { fits } = await rejected(job, 'budget_exceeded', 'ticks');
    assert.ok(Number.isInteger(fits) && fits >= 0 && fits < 1000, `fits ${fits}`);
    const { tick, state_hash: now } = await client.session(id);
    assert.deepEqual([tick, now], [0, state_hash]);
});

test('session_lives_a_day_after_it_was_read', async () => {
    const { id } = await created();
    const keys = ['session', 'ring'].map((name) => client.key(`${name}:${id}`));
    const lives = () => Promise.all(keys.map((key) => client.redis.ttl(key)));
    assert.ok((await lives()).every((left) => left > DAY - 600 && left <= DAY), 'when it was made');
    for (const key of keys) await client.redis.expire(key, 100);
    assert.equal(await client.touch(id), 2);
    assert.ok((await lives()).every((left) => left > DAY - 600 && left <= DAY), 'when it was read');
    assert.equal(await client.touch('nobody'), 0);
});

test('ring_before_it_has_gone_round', async () => {
    const { id } = await created({ seed: 3 });
    await stepped(id, 200);
    const flock = createFlock({ seed: 3, birds: BIRDS });
    const expected = [metrics(flock)];
    while (flock.tick < 200) {
        step(flock);
        expected.push(metrics(flock));
    }
    assert.deepEqual(await client.readRing(id, 0, 200), expected, 'every tick, bit for bit');
    assert.deepEqual(await client.readRing(id, 199, 202), [expected[199], expected[200], null, null]);
    assert.deepEqual(await client.readRing('nobody', 0, 1), [null, null]);
});

test('ring_that_has_gone_round', async () => {
    const { id } = await created({ seed: 8 });
    const ends = [];
    for (let tick = 0; tick < 7000; tick += 1000) ends.push((await stepped(id, 1000, { expect_tick: tick })).metrics);

    const wrapping = await client.readRing(id, 4500, 5500); // slots 4500 to 4999, then 0 to 500
    assert.ok(wrapping.every((there) => there !== null));
    assert.deepEqual(wrapping[500], ends[4]);
    const straight = await client.readRing(id, 5000, 7000);
    assert.deepEqual([straight[0], straight[1000], straight[2000]], ends.slice(4));
    assert.deepEqual(straight.slice(0, 501), wrapping.slice(500), 'both ways of reading');

    const whole = await client.readRing(id, 2001, 7000);
    assert.ok(whole.every((there) => there !== null), 'the last 5000 ticks');
    assert.deepEqual(whole.slice(2499, 3500), wrapping);
    assert.deepEqual(await client.readRing(id, 1999, 2001), [null, null, whole[0]], 'older ones are gone');
    assert.deepEqual((await client.readRing(id, 6999, 7002)).slice(1), [ends[6], null, null]);
    assert.equal(await client.redis.strlen(client.key(`ring:${id}`)), 120_000);

    // The metrics of ticks in the middle of a step are those that a claim about them gives.
    for (const at_tick of [2001, 4999, 5001]) {
        const claim = await ok({ kind: 'verify', seed: 8, params: { birds: BIRDS }, at_tick, store: false });
        assert.deepEqual(whole[at_tick - 2001], claim.metrics, `tick ${at_tick}`);
    }
});
