// SPDX-License-Identifier: MIT
//
// Every route and every status that the OpenAPI document lists, on a real front-end, Redis and worker. In one file, so
// that at its end can be said what nobody has seen.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { pause } from '../interop/servers.mjs';
import { Front, LONG, made, operator, until } from './front.mjs';

let front, flock;
before(async () => {
    front = await Front.start();
    flock = await session({ params: { birds: 10 } });
});
after(() => front.stop());

const digits = (value, decimals) => Math.abs(value - Number(value.toFixed(decimals))) < 1e-9;
const BODY = {
    '/api/sessions': { params: { birds: 10 } }, '/api/sessions/{id}/step': { ticks: 1 },
    '/api/sessions/{id}/params': { weights: { cohesion: 1 } }, '/api/traces': { seed: 1, at_tick: 1 },
};
const jobs = (test) => Promise.all(Object.entries(BODY).map(([path, body]) =>
    test(path.endsWith('params') ? 'PUT' : 'POST', path.replace('{id}', flock.id), body)));

const session = async (body = {}) => (await front.expect(201, 'POST', '/api/sessions', body)).json;

// --- sessions ------------------------------------------------------------------------------------

test('a session is made as the specification says', async () => {
    const answer = await front.expect(201, 'POST', '/api/sessions', { seed: 42 });
    const flock = answer.json;
    assert.equal(answer.headers.get('location'), `/api/sessions/${flock.id}`);
    assert.deepEqual([flock.model, flock.seed, flock.tick, flock.birds], ['flock', 42, 0, 120]);
    assert.deepEqual(flock.weights, { cohesion: 0.5, alignment: 0.5, separation: 0.5 });
    assert.deepEqual(flock.params, { birds: 120, weights: flock.weights });
    assert.deepEqual(flock.positions[0], [601.1, 268.97]); // 0.60110… * 1000, 0.44829… * 600
    assert.equal(flock.positions.length, 120);
    assert.ok(flock.positions.flat().every((value) => digits(value, 2)));
    assert.ok(flock.velocities.flat().every((value) => digits(value, 4)));
    assert.deepEqual((await front.expect(200, 'GET', `/api/sessions/${flock.id}`)).json, flock);
});

test('a seed that is not given is drawn', async () => {
    const seeds = new Set();
    for (const body of [undefined, {}, { seed: null }]) {
        seeds.add((await front.expect(201, 'POST', '/api/sessions', body)).json.seed);
    }
    assert.equal(seeds.size, 3);
});

test('two sessions of one seed are the same after the same steps, however they are cut', async () => {
    const one = await session({ seed: 7, params: { birds: 60 } }), two = await session({ seed: 7, params: { birds: 60 } });
    for (const ticks of [1, 10, 100]) await front.expect(200, 'POST', `/api/sessions/${one.id}/step`, { ticks });
    await front.expect(200, 'POST', `/api/sessions/${two.id}/step`, { ticks: 111 });
    const [a, b] = await Promise.all([one, two].map(async ({ id }) => (await front.expect(200, 'GET', `/api/sessions/${id}`)).json));
    assert.equal(a.tick, 111);
    assert.deepEqual({ ...a, id: '' }, { ...b, id: '' });
});

test('parameters change between steps, and the changes are logged', async () => {
    const { id } = await session({ seed: 1, params: { birds: 10 } });
    await front.expect(200, 'POST', `/api/sessions/${id}/step`, { ticks: 5 });
    const changed = (await front.expect(200, 'PUT', `/api/sessions/${id}/params`, { weights: { cohesion: 0.7 } })).json;
    assert.deepEqual(changed.changes, [{ tick: 5, params: { weights: { cohesion: 0.7 } } }]);
    assert.deepEqual(changed.weights, { cohesion: 0.7, alignment: 0.5, separation: 0.5 });
    assert.deepEqual(changed.initial_params.weights, { cohesion: 0.5, alignment: 0.5, separation: 0.5 });
});

test('a bad parameter is named as it stands in the body', async () => {
    const { id } = await session({ params: { birds: 10 } });
    for (const [body, field] of [
        [{ weights: { cohesion: 1.5 } }, 'weights.cohesion'], [{ weights: { cohesoin: 1 } }, 'weights.cohesoin'],
        [{ birds: 20 }, 'birds'], [{ weights: { cohesion: 'x' } }, 'weights.cohesion'], [{}, 'params'], [{ weights: {} }, 'params'],
    ]) {
        const { json } = await front.expect(400, 'PUT', `/api/sessions/${id}/params`, body);
        assert.equal(json.field, field);
        assert.ok(json.detail.startsWith(field), json.detail);
    }
    assert.deepEqual((await front.expect(200, 'GET', `/api/sessions/${id}`)).json.changes, []);
});

test('expect_tick guards against stepping twice', async () => {
    const { id } = await session({ params: { birds: 10 } });
    await front.expect(200, 'POST', `/api/sessions/${id}/step`, { ticks: 3, expect_tick: 0 });
    const { json } = await front.expect(409, 'POST', `/api/sessions/${id}/step`, { ticks: 3, expect_tick: 0 });
    assert.equal(json.code, 'tick_conflict');
});

test('two steps at once both count', async () => {
    const { id } = await session({ params: { birds: 10 } });
    await Promise.all([7, 11, 13].map((ticks) => front.expect(200, 'POST', `/api/sessions/${id}/step`, { ticks })));
    assert.equal((await front.expect(200, 'GET', `/api/sessions/${id}`)).json.tick, 31);
});

test('a timeline has the ticks that are asked for, and the last 5,000 at most', async () => {
    const { id, metrics } = await session({ seed: 42, params: { birds: 10 } });
    const read = async (query) => (await front.expect(200, 'GET', `/api/sessions/${id}/timeline${query}`)).json;
    assert.deepEqual(await read(''), {
        id, from: 0, to: 0, tick: [0], polarization: [metrics.polarization], cluster_count: [metrics.cluster_count],
        mean_neighbor_distance: [metrics.mean_neighbor_distance],
    });
    for (let i = 0; i < 6; i++) await front.expect(200, 'POST', `/api/sessions/${id}/step`, { ticks: 1000 });
    const all = await read('');
    assert.deepEqual([all.from, all.to, all.tick.length, all.tick[0], all.tick.at(-1)], [1001, 6000, 5000, 1001, 6000]);
    assert.ok(all.tick.every((tick, i) => tick === 1001 + i));
    for (const name of ['polarization', 'cluster_count', 'mean_neighbor_distance']) assert.equal(all[name].length, 5000);
    assert.ok(all.polarization.every((value) => digits(value, 4)));
    const around = await read('?from=4998&to=5002'); // the ring's end lies between them
    assert.deepEqual(around.tick, [4998, 4999, 5000, 5001, 5002]);
    assert.deepEqual(around.polarization, all.polarization.slice(3997, 4002));
    assert.deepEqual((await read('?from=0&to=1000')).tick, []);
    assert.deepEqual((await read('?from=990&to=1002')).tick, [1001, 1002]);
    assert.deepEqual((await read('?from=5999&to=7000')).tick, [5999, 6000]);
    assert.deepEqual((await read('?from=9000')).tick, []);
    assert.deepEqual((await read('?to=1003')).tick, [1001, 1002, 1003]);
});

test('reading renews a life of 24 hours', async () => {
    const { id } = await session({ params: { birds: 10 } });
    for (const path of [`/api/sessions/${id}`, `/api/sessions/${id}/timeline`]) {
        await front.client.expire(front.key(`session:${id}`), 100);
        await front.client.expire(front.key(`ring:${id}`), 100);
        await front.expect(200, 'GET', path);
        for (const name of ['session', 'ring']) {
            await until('renewed', async () => await front.client.ttl(front.key(`${name}:${id}`)) > 86000);
        }
    }
});

test('no distance is null', async () => {
    const { id } = await session({ params: { birds: 10 } });
    const nan = Buffer.alloc(8);
    nan.writeDoubleLE(NaN);
    await front.client.setrange(front.key(`ring:${id}`), 8, nan); // tick 0 is in the first slot
    const { json } = await front.expect(200, 'GET', `/api/sessions/${id}/timeline`);
    assert.deepEqual([json.tick, json.mean_neighbor_distance], [[0], [null]]);
});

// --- traces --------------------------------------------------------------------------------------

test('a claim is verified, kept and found again', async () => {
    const note = 'hé <script>alert(1)</script> "\\ \u0001';
    const answer = await front.expect(201, 'POST', '/api/traces', { seed: 42, at_tick: 500, note });
    const trace = answer.json;
    assert.equal(made(answer), trace.id);
    assert.deepEqual([trace.state_hash, trace.note, trace.verdict, trace.at_tick], ['2859c10a10b68472', note, null, 500]);
    const again = await front.expect(200, 'GET', `/api/traces/${trace.id}`);
    assert.deepEqual(again.json, trace);
    const { traces } = (await front.expect(200, 'GET', '/api/traces?limit=1')).json;
    assert.deepEqual(traces, [trace]);
    const etag = again.headers.get('etag');
    for (const match of [etag, `"x", W/${etag}`, '*']) {
        const { text } = await front.expect(304, 'GET', `/api/traces/${trace.id}`, undefined, { 'If-None-Match': match });
        assert.equal(text, '');
    }
    await front.expect(200, 'GET', `/api/traces/${trace.id}`, undefined, { 'If-None-Match': '"x"' });
});

test('its timeline is there for a day', async () => {
    const { id, metrics } = (await front.expect(201, 'POST', '/api/traces', { seed: 3, at_tick: 6000, params: { birds: 10 } })).json;
    const all = (await front.expect(200, 'GET', `/api/traces/${id}/timeline`)).json;
    assert.deepEqual([all.from, all.to, all.tick.length], [1001, 6000, 5000]);
    assert.equal(all.polarization.at(-1), metrics.polarization);
    assert.deepEqual((await front.expect(200, 'GET', `/api/traces/${id}/timeline?from=5999`)).json.tick, [5999, 6000]);
    await front.expect(400, 'GET', `/api/traces/${id}/timeline?from=2&to=1`);
    await front.client.del(front.key(`ring:${id}`));
    assert.equal((await front.expect(404, 'GET', `/api/traces/${id}/timeline`)).json.code, 'timeline_gone');
});

test('what was claimed decides', async () => {
    const claim = { seed: 42, at_tick: 500 };
    const exact = await front.expect(201, 'POST', '/api/traces', { ...claim, claimed: { state_hash: '2859C10A10B68472' } });
    assert.equal(exact.json.verdict, 'exact');
    const { metrics } = exact.json;
    const vague = await front.expect(201, 'POST', '/api/traces', { ...claim, claimed: { metrics } });
    assert.equal(vague.json.verdict, 'indicative');
    const early = { seed: 42, at_tick: 100 };
    const { metrics: right } = (await front.expect(201, 'POST', '/api/traces', early)).json;
    assert.equal((await front.expect(201, 'POST', '/api/traces', { ...early, claimed: { metrics: right } })).json.verdict, 'match');
    const count = await front.client.zcard(front.key('traces'));
    const { json } = await front.expect(422, 'POST', '/api/traces', { ...claim, claimed: { state_hash: '0'.repeat(16) } });
    assert.deepEqual([json.code, json.state_hash, json.metrics], ['mismatch', '2859c10a10b68472', metrics]);
    assert.equal(await front.client.zcard(front.key('traces')), count);
});

test('a claim that exceeds the budget is rejected with advice', async () => {
    const { json } = await front.expect(422, 'POST', '/api/traces', { ...LONG, budget_ms: 20 });
    assert.equal(json.code, 'budget_exceeded');
    assert.match(json.advice, /lower at_tick to \d+/);
});

test('traces come in pages', async () => {
    for (let i = 0; i < 5; i++) await front.expect(201, 'POST', '/api/traces', { seed: i, at_tick: 1, params: { birds: 10 } });
    const all = (await front.expect(200, 'GET', '/api/traces?limit=100')).json;
    assert.equal(all.next, null);
    const ids = [];
    for (let path = '/api/traces?skip=0&limit=2'; path;) {
        const page = (await front.expect(200, 'GET', path)).json;
        assert.ok(page.traces.length <= 2);
        ids.push(...page.traces.map(({ id }) => id));
        path = page.next;
    }
    assert.deepEqual(ids, all.traces.map(({ id }) => id));
    await front.expect(400, 'GET', '/api/traces?limit=101');
    assert.equal((await front.expect(400, 'GET', '/api/traces?skip=x')).json.field, 'skip');
});

// --- jobs ----------------------------------------------------------------------------------------

const later = { Prefer: 'respond-async' };

test('whoever does not want to wait asks for the job', async () => {
    const { id } = await session({ params: { birds: 10 } });
    for (const [method, path, body, kind, part] of [
        ['POST', '/api/sessions', { seed: 9, params: { birds: 10 } }, 'session.create', 'session'],
        ['POST', `/api/sessions/${id}/step`, { ticks: 10 }, 'session.step', 'session'],
        ['PUT', `/api/sessions/${id}/params`, { weights: { alignment: 1 } }, 'session.params', 'session'],
        ['POST', '/api/traces', { seed: 9, at_tick: 10 }, 'verify', 'trace'],
    ]) {
        const answer = await front.expect(202, method, path, body, later);
        assert.deepEqual([answer.json.state, answer.json.kind], ['waiting', kind]);
        assert.equal(made(answer), answer.json.id);
        let job;
        await until('done', async () => {
            job = (await front.expect(200, 'GET', `/api/jobs/${made(answer)}`)).json;
            return job.state === 'done';
        });
        assert.deepEqual([job.kind, job.result.status, job.result.error], [kind, 'ok', null]);
        const own = `/api/${part}s/${job.result[part].id}`;
        assert.deepEqual(job.result[part], (await front.expect(200, 'GET', own)).json);
    }
});

test('the events of a job show its progress and end with its result', async () => {
    const id = made(await front.expect(202, 'POST', '/api/traces', { ...LONG, at_tick: 4000 }, later));
    const { status, headers, text } = await front.call('GET', `/api/jobs/${id}/events`);
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/event-stream']);
    const jobs = text.trim().split('\n\n').map((event) => JSON.parse(/^event: job\ndata: (.*)$/.exec(event)[1]));
    assert.equal(jobs.at(-1).result.trace.at_tick, 4000);
    assert.ok(jobs.slice(0, -1).every(({ state }) => state !== 'done'));
    assert.equal(new Set(jobs.map((job) => JSON.stringify(job))).size, jobs.length);
});

test('a job is cancelled, waiting or running', async () => {
    await front.pause();
    const waiting = made(await front.expect(202, 'POST', '/api/traces', LONG, later));
    assert.equal((await front.expect(200, 'DELETE', `/api/jobs/${waiting}`)).json.state, 'cancelled');
    await front.resume();
    assert.equal((await front.expect(200, 'GET', `/api/jobs/${waiting}`)).json.result.status, 'cancelled');
    await front.expect(409, 'DELETE', `/api/jobs/${waiting}`);

    const running = made(await front.expect(202, 'POST', '/api/traces', LONG, later));
    await until('it runs', async () => (await front.expect(200, 'GET', `/api/jobs/${running}`)).json.tick > 0);
    assert.equal((await front.expect(202, 'DELETE', `/api/jobs/${running}`)).json.state, 'cancelling');
    await until('it has stopped', async () => (await front.expect(200, 'GET', `/api/jobs/${running}`)).json.state === 'done');
});

test('who waits for a job that is cancelled hears of it', async () => {
    await front.pause();
    const answers = jobs((method, path, body) => front.expect(409, method, path, body));
    let ids;
    await until('they wait', async () => {
        ids = await front.client.hkeys(front.key('ids'));
        return ids.length === 4;
    });
    for (const id of ids) await front.expect(200, 'DELETE', `/api/jobs/${id}`);
    await front.resume();
    for (const { json } of await answers) assert.deepEqual([json.code, ids.includes(json.job)], ['cancelled', true]);
});

test('ids and trace contexts go through', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const answer = await front.expect(201, 'POST', '/api/traces', { seed: 1, at_tick: 1 }, { 'X-Request-Id': 'mine.1', traceparent });
    assert.equal(answer.headers.get('x-request-id'), 'mine.1');
    await until('logs', () => [front.child, front.worker].every(({ log }) => log.includes(traceparent)));
    assert.match(front.child.log, new RegExp(`request=mine.1 .*path=/api/traces status=201 traceparent=${traceparent}`));
    for (const bad of ['a b', 'x'.repeat(65), 'é']) {
        const { headers } = await front.expect(200, 'GET', '/healthz', undefined, { 'X-Request-Id': encodeURI(bad).replace('%20', ' ') });
        assert.match(headers.get('x-request-id'), /^[0-9a-f]{32}$/);
    }
    await front.expect(201, 'POST', '/api/traces', { seed: 1, at_tick: 1 }, { traceparent: '00-zz-1-01' });
    assert.ok(!front.worker.log.includes('00-zz'));
});

// --- operators -----------------------------------------------------------------------------------

/** A job in the dead letters; its dead_id. */
async function letter() {
    await front.pause();
    const id = made(await front.expect(202, 'POST', '/api/traces', { seed: 1, at_tick: 1 }, later));
    const ref = await front.client.hget(front.key('ids'), id);
    const keys = ['jobs:interactive', 'jobs:batch', 'ids', 'running', 'cancelled', 'workers', 'dead', 'stats', 'config', 'traces'];
    await front.client.call('FCALL', 'susurration_v1_bury', 10, ...keys.map((name) => front.key(name)), ref, 'too loud', '', '');
    await front.resume();
    const { dead } = (await front.expect(200, 'GET', '/api/dead?limit=1')).json;
    assert.deepEqual([dead[0].id, dead[0].reason, dead[0].kind], [id, 'too loud', 'verify']);
    return dead[0];
}

test('the queue is paused and goes on', async () => {
    await front.expect(200, 'POST', '/api/queue/pause', undefined, operator);
    assert.equal((await front.expect(200, 'GET', '/api/queue')).json.paused, true);
    await front.expect(200, 'POST', '/api/queue/resume', undefined, operator);
    assert.equal((await front.expect(200, 'GET', '/api/queue')).json.paused, false);
    await front.expect(204, 'GET', '/api/operator', undefined, operator);
});

test('dead letters are put back or dropped, one or all', async () => {
    const one = await letter();
    assert.equal((await front.expect(200, 'POST', `/api/dead/${one.dead_id}/requeue`, undefined, operator)).json.state, 'queued');
    await until('done', async () => (await front.expect(200, 'GET', `/api/jobs/${one.id}`)).json.result?.status === 'ok');
    const two = await letter();
    assert.equal((await front.expect(200, 'DELETE', `/api/dead/${two.dead_id}`, undefined, operator)).json.purged, 1);
    await letter();
    await letter();
    assert.equal((await front.expect(200, 'POST', '/api/dead/all/requeue', undefined, operator)).json.requeued, 2);
    await letter();
    assert.equal((await front.expect(200, 'DELETE', '/api/dead/all', undefined, operator)).json.purged, 1);
    assert.deepEqual((await front.expect(200, 'GET', '/api/dead')).json.dead, []);
    for (const id of [one.dead_id, 'nope', '1-', '-1', '99999999999999999999999-0']) {
        await front.expect(404, 'POST', `/api/dead/${id}/requeue`, undefined, operator);
        await front.expect(404, 'DELETE', `/api/dead/${id}`, undefined, operator);
    }
    await front.expect(400, 'GET', '/api/dead?limit=0');
});

test('workers, history and counters are shown', async () => {
    const { workers } = (await front.expect(200, 'GET', '/api/workers')).json;
    assert.deepEqual([workers.length, workers[0].alive, workers[0].slots], [1, true, 1]);
    const history = (await front.expect(200, 'GET', '/api/queue/history')).json;
    for (const name of ['waiting', 'running', 'done_per_s', 'queued_ms', 'run_ms']) {
        assert.equal(history[name].length, history.at.length);
    }
    assert.ok(history.at.length > 0 && history.run_ms.some((ms) => ms > 0));
    const { text } = await front.expect(200, 'GET', '/metrics');
    assert.match(text, /^susurration_front_requests_total\{method="POST",route="\/api\/sessions",status="2xx"\} \d+$/m);
    await front.expect(200, 'GET', '/healthz');
    assert.deepEqual((await front.expect(200, 'GET', '/openapi.json')).json, front.document.doc);
});

const UNKNOWN = '1-1'; // an id of anything, dead letters too
const each = (status, test) => Promise.all(front.document.operations()
    .filter(([, , operation]) => operation.responses[status])
    .map(([method, path]) => test(method, path.replace('{id}', UNKNOWN))));

test('what operators do needs their token', async () => {
    for (const headers of [{}, { Authorization: 'Bearer ' }, { Authorization: 'Bearer only-for-these-test' },
                           { Authorization: 'Bearer only-for-these-testsx' }, { Authorization: 'Basic only-for-these-tests' }]) {
        await each(401, (method, path) => front.expect(401, method, path, undefined, headers));
    }
    assert.equal((await front.expect(200, 'GET', '/api/queue')).json.paused, false);
});

// --- what is wrong -------------------------------------------------------------------------------

test('what is not there is 404', async () => {
    await each(404, (method, path) => front.expect(404, method, path, method === 'GET' || method === 'DELETE' ? undefined
        : path.endsWith('step') ? { ticks: 1 } : { weights: { cohesion: 1 } }, operator));
    for (const id of ['x'.repeat(65), 'a%2Fb', 'a%00b', '%C3%A9', 'a b', '..%2f..%2fetc', '']) {
        await front.expect(404, 'GET', `/api/sessions/${id}`);
        await front.expect(404, 'GET', `/api/traces/${id}/timeline`);
    }
});

const bodies = (test) => Promise.all(front.document.operations().filter(([, , { requestBody }]) => requestBody)
    .map(([method, path]) => test(method, path.replace('{id}', flock.id))));

test('bodies are JSON of a limited size, and say so', async () => {
    const huge = `{"note":"${'x'.repeat(300_000)}"}`;
    await bodies((method, path) => front.expect(413, method, path, huge));
    await bodies((method, path) => front.expect(415, method, path, '{}', { 'Content-Type': 'text/plain' }));
    await bodies((method, path) => front.expect(415, method, path, '{}', { 'Content-Type': 'application/jsonx' }));
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    for (const bad of ['{', '[]', '1', 'null', '"x"', '{"seed":1,"seed":1}', '{"a":"\\u0000"}', '{"a":NaN}', '{"a":1e999}', '\u{feff}{}',
                       '{"a":1}x', '{"\\ud800":1}', deep, '{"unknown":1}', '\u0000']) {
        await bodies(async (method, path) => {
            const { json } = await front.expect(400, method, path, bad);
            assert.match(json.code, /^(malformed|unknown_field|missing_field)$/);
        });
    }
    await front.expect(201, 'POST', '/api/sessions', '{"params":{"birds":10}}', { 'Content-Type': 'application/json; charset=utf-8' });
});

test('what is out of range is named, with the range', async () => {
    const claim = { seed: 1, at_tick: 10 };
    for (const [path, body, field, words] of [
        ['/api/sessions', { seed: -1 }, 'seed', '0 to 4294967295'], ['/api/sessions', { seed: 4294967296 }, 'seed', '4294967296'],
        ['/api/sessions', { seed: 1.5 }, 'seed', '1.5'], ['/api/sessions', { seed: '1' }, 'seed', ''],
        ['/api/sessions', { params: { birds: 9 } }, 'params.birds', '10 to 400'],
        ['/api/sessions', { params: { birds: 401 } }, 'params.birds', '401'],
        ['/api/sessions', { params: { weights: { separation: 1.01 } } }, 'params.weights.separation', '0 to 1'],
        ['/api/sessions', { params: [] }, 'params', ''], ['/api/sessions', { model: 'geese' }, 'model', 'geese'],
        ['/api/sessions', { brids: 10 }, 'brids', 'params'], ['/api/sessions', { params: { brids: 10 } }, 'params.brids', 'flock'],
        ['STEP', { ticks: 0 }, 'ticks', '1 to 1000'], ['STEP', { ticks: 1001 }, 'ticks', '1001'], ['STEP', {}, 'ticks', 'required'],
        ['/api/traces', { at_tick: 10 }, 'seed', 'required'], ['/api/traces', { seed: 1 }, 'at_tick', 'required'],
        ['/api/traces', { seed: 1, at_tick: 20001 }, 'at_tick', '20000'], ['/api/traces', { seed: 1, at_tick: 0 }, 'at_tick', '0'],
        ['/api/traces', { ...claim, note: 'é'.repeat(501) }, 'note', '500'],
        ['/api/traces', { ...claim, changes: [{ tick: 10, params: { weights: { cohesion: 1 } } }] }, 'changes', ''],
        ['/api/traces', { ...claim, changes: [{ tick: 1, params: { birds: 10 } }] }, 'changes[0].params.birds', ''],
        ['/api/traces', { ...claim, changes: [{ tick: 1, params: { weights: {} } }] }, 'changes[0].params', ''],
        ['/api/traces', { ...claim, claimed: { state_hash: 'xyz' } }, 'claimed.state_hash', ''],
        ['/api/traces', { ...claim, claimed: { metrics: { polarization: 1 } } }, 'claimed.metrics.cluster_count', ''],
    ]) {
        const { json } = await front.expect(400, 'POST', path.replace('STEP', `/api/sessions/${flock.id}/step`), body);
        assert.equal(json.field, field, json.detail);
        assert.ok(json.detail.includes(words), json.detail);
    }
    await front.expect(201, 'POST', '/api/traces', { ...claim, note: 'é'.repeat(500) });
    for (const [query, field] of [['from=-1', 'from'], ['to=4294967296', 'to'], ['from=', 'from'], ['from=5&to=4', 'from']]) {
        assert.equal((await front.expect(400, 'GET', `/api/sessions/${flock.id}/timeline?${query}`)).json.field, field);
    }
});

test('a thousand changes fit, one more does not', async () => {
    const change = (tick) => ({ tick, params: { weights: { cohesion: 0.12345678901234567, alignment: 1e-17, separation: 1 / 3 } } });
    const changes = Array.from({ length: 1000 }, (_, i) => change(i));
    const { json } = await front.expect(201, 'POST', '/api/traces', { seed: 1, at_tick: 1000, params: { birds: 10 }, changes });
    assert.deepEqual(json.changes, changes); // to the last digit
    await front.expect(400, 'POST', '/api/traces', { seed: 1, at_tick: 1001, changes: [...changes, change(1000)] });
});

test('methods that a path has not are 405 with those that it has', async () => {
    for (const [method, path, allow] of [
        ['DELETE', '/api/sessions', 'POST, OPTIONS'], ['POST', '/api/queue', 'GET, HEAD, OPTIONS'],
        ['PUT', '/api/traces', 'POST, GET, HEAD, OPTIONS'], ['PATCH', '/api/jobs/abc', 'GET, HEAD, DELETE, OPTIONS'], ['POST', '/', 'GET, HEAD, OPTIONS'],
    ]) {
        const { headers, json } = await front.expect(405, method, path, method === 'DELETE' ? undefined : {});
        assert.equal(headers.get('allow'), allow);
        assert.equal(json.code, 'method_not_allowed');
        assert.equal((await front.expect(204, 'OPTIONS', path)).headers.get('allow'), allow);
    }
    const get = await front.expect(200, 'GET', '/api/queue'), head = await front.expect(200, 'HEAD', '/api/queue');
    assert.equal(head.text, '');
    assert.equal(head.headers.get('content-type'), get.headers.get('content-type'));
    assert.equal((await front.expect(404, 'OPTIONS', '/nope')).json.code, 'not_found');
});

// --- pages ---------------------------------------------------------------------------------------

test('pages may use nothing but what comes from here, and are not sent twice', async () => {
    for (const path of ['/', '/operators', '/traces/abc', '/openapi.json']) {
        const { headers, text } = await front.expect(200, 'GET', path);
        assert.match(headers.get('content-security-policy'), /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval';/);
        assert.deepEqual([headers.get('x-content-type-options'), headers.get('referrer-policy')], ['nosniff', 'no-referrer']);
        assert.equal(headers.get('etag'), `"${createHash('sha256').update(text).digest('hex').slice(0, 16)}"`);
        assert.equal(headers.get('access-control-allow-origin'), null);
        await front.expect(304, 'GET', path, undefined, { 'If-None-Match': headers.get('etag') });
    }
    for (const path of ['/traces/', '/traces/a%2Fb', '/index.html/', '/../etc/passwd', '/nope.js']) await front.expect(404, 'GET', path);
});

// --- when things are away ------------------------------------------------------------------------

test('a full queue is 503 with Retry-After', async () => {
    await front.client.hset(front.key('config'), 'max_jobs', '0');
    await jobs(async (method, path, body) => {
        const { headers, json } = await front.expect(503, method, path, body);
        assert.equal(json.code, 'queue_full');
        assert.ok(Number(headers.get('retry-after')) > 0);
    });
    await front.client.hdel(front.key('config'), 'max_jobs');
    await jobs((method, path, body) => front.call(method, path, body).then(({ status }) => assert.ok(status < 300)));
});

test('who has waited long enough gets 504 and the id of the job', async () => {
    const patient = front.child, { port, origin } = front;
    front.child = await front.startChild(['--wait', 1]);
    try {
        await front.pause();
        const ids = [];
        await jobs(async (method, path, body) => ids.push((await front.expect(504, method, path, body)).json.job));
        await front.resume();
        for (const id of ids) {
            await until('done', async () => (await front.expect(200, 'GET', `/api/jobs/${id}`)).json.state === 'done');
        }
        await each(403, (method, path) => front.expect(403, method, path, undefined, operator));
    } finally {
        front.child.kill('SIGTERM');
        await until('it ends', () => front.child.ended === 'exit 0');
        Object.assign(front, { child: patient, port, origin });
    }
});

test('Redis away is 503, and whoever waits is served when it is back', async () => {
    await front.pause();
    const waiting = front.call('POST', '/api/traces', { seed: 42, at_tick: 500 });
    await until('it waits', async () => await front.client.hlen(front.key('ids')) > 0);
    await front.killRedis();
    await until('it is seen', async () => (await front.call('GET', '/healthz')).status === 503);
    await each(503, async (method, path) => {
        const body = method === 'GET' ? undefined : BODY[path.replace(UNKNOWN, '{id}')];
        const { headers, json } = await front.expect(503, method, path, body, operator);
        assert.equal(json.code, 'redis_unavailable');
        assert.ok(Number(headers.get('retry-after')) > 0);
    });
    await front.startRedisAgain();
    const { status, json } = await waiting;
    assert.deepEqual([status, json.state_hash], [201, '2859c10a10b68472']);
});

test('no worker is 503, until there is one', async () => {
    const { end, startWorker } = await import('../interop/servers.mjs');
    assert.equal(await end(front.worker), 'exit 0');
    await until('it is seen', async () => (await front.call('POST', '/api/traces', { seed: 1, at_tick: 1 })).json.code === 'no_worker');
    front.worker = await startWorker(front.folder, front.redis.url, 'main', 1);
    await pause(100);
    await front.expect(201, 'POST', '/api/traces', { seed: 1, at_tick: 1 });
});

test('the document promises nothing that was not seen', () => {
    assert.deepEqual(front.document.unseen(), []);
});
