// SPDX-License-Identifier: MIT
//
// What may be in Redis when all is done, and for how long; nothing else is.

import { ringReader } from './check_sessions.mjs';
import { follow } from './reference.mjs';

const FOREVER = -1;
const FORGET_MS = 300_000; // a silent worker leaves the registry
const WORKER_MS = 5000;

const isWithin = (ttl, most) => ttl > 0 && ttl <= most;

/** [what the name looks like, how long it may live (plan -> ms), what its part behind the colon must be in]. */
const ALLOWED = [
    [/^result:(.+)$/, ({ result_ttl }) => 1000 * result_ttl, null],
    [/^reply:(.+)$/, ({ result_ttl }) => 1000 * result_ttl, null],
    [/^session:(.+)$/, ({ session_ttl }) => 1000 * session_ttl, null],
    [/^ring:(.+)$/, ({ session_ttl }) => 1000 * session_ttl, 'owners'],
    [/^trace:(.+)$/, () => FOREVER, 'traces'],
    [/^worker:(.+)$/, () => WORKER_MS, 'alive'],
    [/^(traces|stats|config|workers|dead|jobs:interactive|jobs:batch)$/, () => FOREVER, null],
];

function checkNames(rows, story, known, violate) {
    for (const { name, ttl_ms: ttl } of rows) {
        const rule = ALLOWED.find(([pattern]) => pattern.test(name));
        if (!rule) {
            violate('', `key ${name} is left behind`);
            continue;
        }
        const [pattern, life, among] = rule;
        const most = life(story.plan);
        if (most === FOREVER ? ttl !== FOREVER : !isWithin(ttl, most)) violate('', `key ${name} lives for ${ttl} ms, should be ${most}`);
        if (among && !known[among](name.match(pattern)[1])) violate('', `key ${name} belongs to nothing`);
    }
}

/** Both lanes are empty, nobody holds anything, and only workers of late are known. */
function checkLanes({ streams, workers }, story, isAlive, violate) {
    const now = story.plan.wall + story.of('end')[0].t;
    const heard = new Map(workers);
    for (const [name, { entries, groups }] of streams) {
        if (name === 'dead') continue;
        if (entries.length > 0) violate('', `${name} still has ${entries.length} entries`);
        for (const group of Object.values(groups)) {
            if (group.pending > 0) violate('', `${name} still has ${group.pending} pending entries`);
            for (const consumer of Object.keys(group.consumers)) {
                const worker = consumer.replace(/:next$/, '');
                const isLate = heard.has(worker) && now - heard.get(worker) < FORGET_MS + WORKER_MS;
                if (consumer !== 'released' && !isAlive(worker) && !isLate) violate('', `${name} has the stray consumer ${consumer}`);
            }
        }
    }
    for (const [worker, at] of heard) {
        if (!isAlive(worker) && now - at > FORGET_MS + WORKER_MS) violate('', `worker ${worker} is still in the registry`);
    }
}

/** Dead letters are the jobs that were answered as worker_lost. */
function checkDead({ streams, results }, story, violate) {
    const lost = new Set([...results].filter(([, { value }]) => value.error?.code === 'worker_lost').map(([id]) => id));
    for (const [, letter] of streams.get('dead')?.entries ?? []) {
        const id = letter.id.toString();
        if (!lost.delete(id)) violate(id, 'there is a dead letter of it, and its result is not worker_lost, or there are two');
        if (letter.losses.toString() !== String(story.plan.max_lost)) violate(id, `buried after ${letter.losses} losses`);
    }
    for (const id of lost) violate(id, 'it is worker_lost, and there is no dead letter');
}

/** A stored trace says what its result said, and so does its ring. */
function checkTraces({ traces, results, rings, index }, story, violate) {
    const listed = new Set(index.map(([id]) => id));
    const owners = new Map();
    for (const job of story.jobs.values()) {
        const trace = results.get(job.id)?.value.trace;
        if (trace) owners.set(trace, job);
    }
    for (const id of listed) if (!traces.has(id)) violate('', `trace ${id} is listed and not there`);
    for (const [id, { sent, id: jobId }] of owners) {
        const trace = traces.get(id);
        const result = results.get(jobId).value;
        if (!trace || !listed.has(id)) {
            violate(jobId, `its trace ${id} is not there, or not listed`);
            continue;
        }
        if (trace.state_hash !== result.state_hash || JSON.stringify(trace.metrics) !== JSON.stringify(result.metrics)) {
            violate(jobId, `its trace ${id} says something else`);
        }
        if ((sent.job.ring === true) !== rings.has(id)) violate(jobId, `the ring of its trace ${id} ${rings.has(id) ? 'is there' : 'is not there'}`);
        if (!rings.has(id)) continue;
        const look = ringReader(rings.get(id), sent.job.at_tick, (what) => violate(jobId, what));
        follow({ seed: sent.job.seed, params: sent.job.params, changes: sent.job.changes ?? [] }, sent.job.at_tick, look);
    }
    return (id) => owners.has(id);
}

export function checkKeys(story, state, violate) {
    const gone = new Set(story.of('gone').filter(({ t }) => t < (story.of('drained')[0]?.t ?? 0)).map(({ worker }) => worker));
    const isAlive = (name) => [...story.silences.keys()].some((worker) => name.startsWith(`${worker}-`) && !gone.has(worker));
    const isTrace = checkTraces(state, story, violate);
    const known = { alive: isAlive, traces: isTrace, owners: (id) => isTrace(id) || state.sessions.has(id) };
    checkNames(state.rows, story, known, violate);
    checkLanes(state, story, isAlive, violate);
    checkDead(state, story, violate);
    const bytes = Number(state.stats.bytes_waiting ?? 0);
    if (bytes !== 0) violate('', `stats bytes_waiting is ${bytes}, and the queue is empty`);
}
