// SPDX-License-Identifier: MIT
//
// Who does what when, all of it drawn from one number: the same seed gives the same jobs, the same
// faults and the same times. What the machine makes of it differs from run to run; the history says.

import { mulberry32 } from '../interop/flock.mjs';

const FAULT_EVERY_MS = 1100;
const LONG_EVERY_MS = 3000; // several at once, so that workers run more than one
const LONG_AT_ONCE = 4;
const SEEDS = 200; // few, so that the reference can remember what it has computed
const LONG_TICKS = 20000;

/** kind: what it hits, how often it comes, how long it lasts. `faults.mjs` says what each does. */
export const FAULTS = {
    kill: { on: 'worker', weight: 5, ms: [0, 0] },
    freeze: { on: 'worker', weight: 4, ms: [2500, 4500] },
    nap: { on: 'worker', weight: 2, ms: [100, 700] },
    drain: { on: 'worker', weight: 3, ms: [0, 0] },
    hurry: { on: 'worker', weight: 2, ms: [50, 300] },
    quiet: { on: 'worker', weight: 1, ms: [300, 1200] },
    poison: { on: 'job', weight: 1, ms: [0, 0] },
    drop: { on: 'route', weight: 3, ms: [0, 0] },
    delay: { on: 'route', weight: 2, ms: [500, 2000] },
    halfopen: { on: 'route', weight: 3, ms: [800, 7500] },
    refuse: { on: 'route', weight: 2, ms: [300, 3500] },
    cut: { on: 'redis', weight: 2, ms: [0, 0] },
    clients: { on: 'redis', weight: 2, ms: [0, 0] },
    flush: { on: 'redis', weight: 2, ms: [0, 0] },
    restart: { on: 'redis', weight: 2, ms: [0, 2000] },
    crash: { on: 'redis', weight: 3, ms: [0, 2500] },
    hang: { on: 'redis', weight: 2, ms: [300, 3000] },
    failover: { on: 'redis', weight: 3, ms: [0, 500] },
    handover: { on: 'redis', weight: 2, ms: [0, 300] },
    replicas: { on: 'redis', weight: 1, ms: [300, 1500] },
    full: { on: 'redis', weight: 1, ms: [200, 800] },
    memory: { on: 'redis', weight: 1, ms: [200, 800] },
    pause: { on: 'redis', weight: 2, ms: [300, 1500] },
};

// Jobs that are no good: what is wrong with each, and the code that says so.
const BAD = [
    ['missing_field', (job) => ({ ...job, seed: undefined })],
    ['out_of_range', (job) => ({ ...job, at_tick: 0 })],
    ['wrong_type', (job) => ({ ...job, params: 7 })],
    ['unknown_kind', (job) => ({ ...job, kind: 'dance' })],
    ['unknown_model', (job) => ({ ...job, model: 'herd' })],
    ['unsupported_version', (job) => ({ ...job, v: 2 })],
    ['too_long', (job) => ({ ...job, note: 'x'.repeat(501) })],
    ['bad_changes', (job) => ({ ...job, changes: [{ tick: 400, params: { weights: { cohesion: 1 } } }] })],
];

/** Draws: all from one sequence, so the order of calls is part of the plan. */
function dice(seed) {
    const next = mulberry32(seed);
    const draw = {
        chance: (p) => next() < p,
        whole: (least, most) => least + Math.floor(next() * (most - least + 1)),
        of: (list) => list[Math.floor(next() * list.length)],
        weighted(table) {
            const total = table.reduce((sum, [, weight]) => sum + weight, 0);
            let left = next() * total;
            return table.find(([, weight]) => (left -= weight) < 0)[0];
        },
        shuffled(list) {
            const left = [...list];
            return list.map(() => left.splice(Math.floor(next() * left.length), 1)[0]);
        },
    };
    return draw;
}

const weight = (draw) => draw.whole(0, 20) / 20;
const weights = (draw) => ({ cohesion: weight(draw), alignment: weight(draw), separation: weight(draw) });

function verify(draw) {
    const job = { v: 1, kind: 'verify', seed: draw.whole(0, SEEDS - 1), at_tick: draw.whole(1, 120),
                  params: { birds: draw.whole(10, 30), weights: weights(draw) } };
    if (draw.chance(0.2)) job.at_tick = draw.whole(1, 4);
    if (draw.chance(0.02)) job.at_tick = draw.whole(1000, 2200);
    if (draw.chance(0.2)) job.changes = [{ tick: draw.whole(0, job.at_tick - 1), params: { weights: weights(draw) } }];
    if (draw.chance(0.7)) job.store = false;
    else if (draw.chance(0.3)) job.ring = true;
    if (draw.chance(0.1)) job.claimed = { state_hash: '0123456789abcdef' };
    return job;
}

const sweep = (draw) => ({ v: 1, kind: 'sweep', seeds: { first: draw.whole(0, SEEDS - 16), count: draw.whole(1, 15) },
                           params: { birds: draw.whole(10, 20) }, ticks: draw.whole(1, 60) });

// About a second on the scalar engine, some longer than a lease, so that faults hit it while it runs. Few
// seeds: the reference needs as long.
const long = (draw) => ({ v: 1, kind: 'sweep', seeds: { first: draw.whole(0, 1), count: draw.chance(0.2) ? 22 : draw.whole(6, 9) },
                          params: { birds: 10 }, ticks: LONG_TICKS });

function bad(draw) {
    const [code, spoil] = draw.of(BAD);
    const job = spoil({ v: 1, kind: 'verify', seed: 1, params: { birds: 10 }, at_tick: draw.whole(1, 9) });
    return { job, code };
}

/** What a producer sends: the job, and how. Sessions are named by their number; ids come at the time. */
function order(draw, i, sessions) {
    const kind = draw.weighted([['verify', 55], ['sweep', 8], ['step', 24], ['params', 3], ['create', 1], ['bad', 5],
                                ['tight', 1], ['torn', 1]]);
    const made = { what: 'send', kind, lane: 'interactive', id: `j${i}`, via: 'enqueue' };
    if (kind === 'verify') made.job = verify(draw);
    if (kind === 'sweep') Object.assign(made, { job: sweep(draw), lane: draw.chance(0.9) ? 'batch' : 'interactive' });
    if (kind === 'create') made.job = { v: 1, kind: 'session.create', seed: draw.whole(0, SEEDS - 1), params: { birds: 10 } };
    if (kind === 'step') {
        Object.assign(made, { session: draw.whole(0, sessions - 1), expect: draw.chance(0.15),
                              job: { v: 1, kind: 'session.step', ticks: draw.whole(1, 20) } });
    }
    if (kind === 'params') {
        const some = draw.of(['cohesion', 'alignment', 'separation']);
        Object.assign(made, { session: draw.whole(0, sessions - 1),
                              job: { v: 1, kind: 'session.params', params: { weights: { [some]: weight(draw) } } } });
    }
    if (kind === 'bad') Object.assign(made, bad(draw));
    if (kind === 'tight') { // more than its budget allows on any engine
        made.job = { v: 1, kind: 'verify', seed: 1, params: { birds: 400 }, at_tick: 20000, store: false,
                     budget_ms: draw.whole(1, 20) };
    }
    if (draw.chance(0.15)) made.via = 'xadd';
    if (made.via === 'xadd' && made.lane === 'interactive' && draw.chance(0.5)) made.id = null;
    if (kind === 'torn') Object.assign(made, { via: 'xadd', id: null, torn: '82a17601a46b696e64a676', code: 'malformed' });
    if (made.job && draw.chance(0.3)) made.job.reply_to = `r${draw.whole(0, 3)}`;
    if (made.job && draw.chance(0.04)) made.job.ttl_ms = draw.whole(1, 1500);
    made.retry = draw.chance(0.7); // after no answer: again by the same id, or never to be known
    return made;
}

/** The orders with their times, and what follows some of them: the same again, a cancel, a look at the result. */
function makeActions(draw, { jobs, length, producers, sessions }) {
    const actions = [];
    const add = (at, action) => actions.push({ at: Math.round(at), producer: draw.whole(0, producers - 1), ...action });
    for (let i = 0; i < jobs; i++) {
        const at = draw.whole(0, length);
        const action = order(draw, i, sessions);
        add(at, action);
        if (action.id === null) continue;
        if (draw.chance(0.05) && action.session === undefined) add(at + draw.whole(0, 1500), { ...action, what: 'send' });
        if (draw.chance(0.05)) add(at + draw.whole(0, 400), { what: 'cancel', id: action.id });
        if (draw.chance(0.1)) add(at + draw.whole(20, 3000), { what: 'look', id: action.id });
    }
    for (let i = 0; i * LONG_EVERY_MS < LONG_AT_ONCE * length; i++) {
        const id = `long${i}`;
        const at = Math.floor(i / LONG_AT_ONCE) * LONG_EVERY_MS;
        const job = { ...long(draw), reply_to: 'long' };
        add(at, { what: 'send', kind: 'long', lane: 'batch', id, via: 'enqueue', job, retry: true });
        if (draw.chance(0.3)) add(at + draw.whole(200, 1000), { what: 'cancel', id });
    }
    return actions.sort((a, b) => a.at - b.at);
}

/** Every kind once, in any order; then by weight. */
function makeFaults(draw, { faults, workers }) {
    const kinds = Object.keys(FAULTS);
    const table = kinds.map((kind) => [kind, FAULTS[kind].weight]);
    const first = draw.shuffled(kinds).slice(0, faults);
    return Array.from({ length: faults }, (_, i) => {
        const kind = first[i] ?? draw.weighted(table);
        return { k: i, at: 500 + i * FAULT_EVERY_MS + draw.whole(0, FAULT_EVERY_MS / 2), kind,
                 worker: draw.whole(0, workers - 1), route: draw.whole(0, workers), ms: draw.whole(...FAULTS[kind].ms) };
    });
}

export function makePlan({ seed, jobs, faults }) {
    const draw = dice(seed);
    const size = { seed, jobs, faults, workers: 3, producers: 4, sessions: 6, slots: 2, lease_s: 2,
                   length: 1000 + faults * FAULT_EVERY_MS };
    const starts = Array.from({ length: size.sessions }, (_, i) => (
        { id: `s${i}`, job: { v: 1, kind: 'session.create', seed: draw.whole(0, SEEDS - 1),
                              params: { birds: draw.whole(10, 14), weights: weights(draw) } } }));
    return { ...size, starts, actions: makeActions(draw, size), faults: makeFaults(draw, size) };
}
