// SPDX-License-Identifier: MIT
//
// Each accepted job has its one result, and what it says is right.

import { swept, verified } from './reference.mjs';

const MOST_MS = 10_000; // the budget of a job that names none

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const sorted = (map) => JSON.stringify(Object.entries(map).sort());

function checkVerify(job, result) {
    const want = verified(job);
    if (result.state_hash !== want.state_hash) return `state_hash ${result.state_hash}, should be ${want.state_hash}`;
    if (sorted(result.metrics) !== sorted(want.metrics)) return `metrics ${sorted(result.metrics)}, should be ${sorted(want.metrics)}`;
    if (!same(result.checkpoints, want.checkpoints)) return `checkpoints ${result.checkpoints}, should be ${want.checkpoints}`;
    const verdict = job.claimed && (job.claimed.state_hash === want.state_hash ? 'exact' : 'mismatch');
    if (result.verdict !== verdict) return `verdict ${result.verdict}, should be ${verdict}`;
    const isStored = job.store !== false && verdict !== 'mismatch';
    if ((result.trace !== undefined) !== isStored) return `trace is ${result.trace}`;
    return null;
}

function checkSweep(job, result) {
    const want = swept(job);
    const wrong = Object.keys(want).find((column) => !same(result.rows[column], want[column]));
    return wrong ? `column ${wrong} is ${result.rows[wrong]}, should be ${want[wrong]}` : null;
}

// Sessions are checked as a whole, by check_sessions.mjs.
const CHECKS = { verify: checkVerify, sweep: checkSweep, 'session.create': () => null, 'session.step': () => null,
                 'session.params': () => null };

/** Why a result that is not ok must not be, or null. */
const EXCUSES = {
    cancelled: ({ cancels }, result, story) =>
        (cancels.some(({ n }) => story.fate(n) !== 'no') ? null : 'nobody cancelled it'),
    expired: ({ sent }, result) => (result.queued_ms > sent.job?.ttl_ms ? null : `ttl_ms is ${sent.job?.ttl_ms}`),
    budget_exceeded: ({ sent }, result) =>
        (result.run_ms >= (sent.job.budget_ms ?? MOST_MS) ? null : `it ran for ${result.run_ms} ms only`),
    tick_conflict: ({ sent }) => (sent.job.expect_tick === undefined ? 'it expects no tick' : null),
    session_not_found: ({ sent }, result, story, keys) =>
        (keys.has(`session:${sent.job.session}`) ? 'the session is there' : null),
    // Its budget may have gone by while it waited for a Redis that was away.
    session_conflict: ({ sent }, result, story) =>
        (sent.job.session && story.lossesBetween(sent.t, Infinity) > 0 ? null : 'there was time to try again'),
    worker_lost: ({ sends }, result, story) => {
        const from = sends[0].t;
        const could = story.lossesBetween(from, from + result.queued_ms + MOST_MS);
        return could >= story.plan.max_lost ? null : `only ${could} losses can be explained`;
    },
};

/** What is wrong with the result of a job that was sent like this; null if nothing. */
function checkResult(job, result, story, keys) {
    const { sent } = job;
    const code = result.error?.code;
    if (result.id !== job.id) return `it says that it is of ${result.id}`;
    if (result.status === 'ok') {
        if (sent.code) return `it is ok, should be ${sent.code}`;
        return CHECKS[sent.job.kind](sent.job, result);
    }
    if (sent.code && sent.code === code) return result.status === 'rejected' ? null : `${code} is ${result.status}`;
    if (!EXCUSES[code]) return `${result.status}, ${code}: ${result.error?.message}`;
    const why = EXCUSES[code](job, result, story, keys);
    return why && `${code}, but ${why}`;
}

/** Results whose job is known only by what is in them: sends without an id that got no answer. */
function matchNameless(story, results) {
    const found = new Map();
    const torn = story.nameless.filter((send) => send.torn);
    for (const [id, { value }] of results) {
        if (story.jobs.has(id)) continue;
        const at = story.nameless.findIndex((send) => send.job?.traceparent && send.job.traceparent === value.traceparent);
        const sent = at >= 0 ? story.nameless.splice(at, 1)[0] : value.error?.code === 'malformed' ? torn.pop() : undefined;
        if (sent) found.set(id, { id, sends: [sent], cancels: [], fate: 'unsure' });
    }
    return found;
}

export function checkResults(story, { results, keys }, violate) {
    for (const [id, job] of matchNameless(story, results)) story.jobs.set(id, job);
    for (const job of story.jobs.values()) {
        const result = results.get(job.id);
        job.sent = job.sends[0];
        if (!result && job.fate === 'accepted') violate(job.id, 'accepted, and there is no result');
        if (result && job.fate === 'no') violate(job.id, 'every time refused, and there is a result');
        const wrong = result && checkResult(job, result.value, story, keys);
        if (wrong) violate(job.id, `wrong result: ${wrong}`);
        // An answer that promises an end is kept.
        const isCancelled = job.cancels.some(({ n }) => story.fate(n) === 'accepted' && story.outcomes.get(n).state === 'cancelled');
        if (result && isCancelled && result.value.status !== 'cancelled') {
            violate(job.id, `cancel said "cancelled", and the result is ${result.value.status}`);
        }
    }
    for (const id of results.keys()) if (!story.jobs.has(id)) violate(id, 'there is a result, and nobody sent the job');
}

/** A result that somebody has read is the one that stays. */
export function checkSeen(story, { results }, violate) {
    for (const { id, digest, t } of story.of('seen')) {
        if (story.isLossy(t)) continue;
        if (results.get(id)?.digest !== digest) violate(id, 'its result was read, and is another one now');
    }
}

/** Each reply list has the results of its jobs, each once, byte for byte. */
export function checkReplies(story, { results, lists }, violate) {
    const wanted = new Map();
    for (const job of story.jobs.values()) {
        const to = job.sent.job?.reply_to;
        if (to && results.has(job.id)) wanted.set(to, [...(wanted.get(to) ?? []), job.id]);
    }
    for (const name of new Set([...wanted.keys(), ...lists.keys()])) {
        const left = new Map((wanted.get(name) ?? []).map((id) => [results.get(id).digest, id]));
        for (const { digest, id } of lists.get(name) ?? []) {
            if (!left.delete(digest)) violate(id, `reply list ${name} has a result of it that is not its own, or has it twice`);
        }
        for (const id of left.values()) violate(id, `reply list ${name} misses its result`);
    }
}

/** The counters count each result once. */
export function checkStats(story, { results, stats }, violate) {
    const want = {};
    const count = (name) => { want[name] = (want[name] ?? 0) + 1; };
    for (const { value } of results.values()) {
        if (value.engine) count(`${value.kind && CHECKS[value.kind] ? value.kind : 'unknown'}:${value.status}`);
        else count(value.status === 'failed' ? 'buried' : value.status);
    }
    const names = Object.keys(stats).filter((name) => name.includes(':') || ['cancelled', 'buried', 'rejected'].includes(name));
    for (const name of new Set([...names, ...Object.keys(want)])) {
        const [have, should] = [Number(stats[name] ?? 0), want[name] ?? 0];
        if (have !== should) violate('', `stats ${name} is ${have}, and there are ${should} such results`);
    }
}
