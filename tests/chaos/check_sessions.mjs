// SPDX-License-Identifier: MIT
//
// Each session is what its jobs made of it: their steps, one after another, reach from tick 0 to its
// own without a gap or an overlap, and every state on the way is the reference's.

import { follow } from './reference.mjs';

const SLOTS = 5000;
const SLOT_BYTES = 24;

const ascending = (a, b) => a - b;
const names = (metrics) => JSON.stringify([metrics.polarization, metrics.mean_neighbor_distance, metrics.cluster_count]);

function readSlot(ring, tick) {
    const at = (tick % SLOTS) * SLOT_BYTES;
    if (at + SLOT_BYTES > ring.length || ring.readUInt32LE(at + 20) !== tick) return null;
    const distance = ring.readDoubleLE(at + 8);
    return { polarization: ring.readDoubleLE(at), mean_neighbor_distance: Number.isNaN(distance) ? null : distance,
             cluster_count: ring.readUInt32LE(at + 16) };
}

/** Ticks from..to of a ring against the reference, the flock being followed anyway. */
export function ringReader(ring, last, complain) {
    return (tick, now) => {
        if (tick < last - SLOTS + 1) return;
        const slot = ring && readSlot(ring, tick);
        if (!slot) complain(`its ring has no tick ${tick}`);
        else if (names(slot) !== names(now.metrics())) complain(`tick ${tick} of its ring is ${names(slot)}`);
    };
}

/** The steps that were ok stand in a row. */
function checkSteps(session, steps, violate) {
    const spans = steps.map(({ id, job, session: after }) => ({ id, from: after.tick - job.ticks, to: after.tick }));
    spans.sort((a, b) => a.from - b.from);
    let tick = 0;
    for (const { id, from, to } of spans) {
        if (from !== tick) violate(id, `session ${session.id}: it stepped from ${from} to ${to}, the one before it ended at ${tick}`);
        tick = to;
    }
    if (tick !== session.tick) violate('', `session ${session.id} is at tick ${session.tick}, its steps end at ${tick}`);
    for (const { id, job, session: after } of steps) {
        if (job.expect_tick !== undefined && job.expect_tick !== after.tick - job.ticks) {
            violate(id, `session ${session.id}: it expected tick ${job.expect_tick} and stepped from ${after.tick - job.ticks}`);
        }
    }
}

/** The log has every change that was ok, and no other. */
function checkChanges(session, made, violate) {
    const flat = ({ tick, params }) => Object.entries(params.weights).map(([name, value]) => `${tick} ${name} ${value}`);
    const slots = ({ tick, params }) => Object.keys(params.weights).map((name) => `${tick} ${name}`);
    const asked = new Set(made.flatMap(({ change }) => flat(change)));
    const logged = new Set(session.changes.flatMap(slots));
    for (const entry of session.changes.flatMap(flat)) {
        if (!asked.has(entry)) violate('', `session ${session.id} has the change ${entry}, which no job made`);
    }
    for (const { id, change } of made) {
        const missing = slots(change).find((slot) => !logged.has(slot));
        if (missing) violate(id, `session ${session.id} has lost its change ${missing}`);
    }
}

/** Every state that a job said it left, and the ring, against the reference. */
function checkStates(session, ring, done, violate) {
    const told = new Map(done.map((result) => [result.session.tick, []]));
    for (const result of done) told.get(result.session.tick).push(result);
    told.set(session.tick, [...(told.get(session.tick) ?? []), { id: '', session }]);
    const complaints = [];
    const look = ringReader(ring, session.tick, (what) => complaints.push(what));
    const start = { seed: session.seed, params: session.initial_params ?? session.params, changes: session.changes };
    follow(start, session.tick, (tick, now) => {
        look(tick, now);
        for (const { id, session: said } of told.get(tick) ?? []) {
            if (said.state_hash !== now.hash()) violate(id, `session ${session.id}: at tick ${tick} its hash is ${said.state_hash}, should be ${now.hash()}`);
            if (names(said.metrics) !== names(now.metrics())) violate(id, `session ${session.id}: at tick ${tick} its metrics are ${names(said.metrics)}`);
        }
    });
    if (complaints.length > 0) violate('', `session ${session.id}: ${complaints[0]}, and ${complaints.length - 1} more such`);
}

export function checkSessions(story, { results, sessions, rings }, violate) {
    const done = new Map();
    for (const job of story.jobs.values()) {
        const result = results.get(job.id)?.value;
        if (result?.status !== 'ok' || !result.session) continue;
        const list = done.get(result.session.id) ?? [];
        list.push({ ...result, job: job.sent.job });
        done.set(result.session.id, list);
    }
    for (const [id, session] of sessions) {
        const list = done.get(id) ?? [];
        const made = list.filter(({ kind }) => kind === 'session.create').map(({ session: { seed } }) => seed).sort(ascending);
        if (made.length !== 1 || made[0] !== session.seed) violate('', `session ${id}: ${made.length} jobs say they created it`);
        checkSteps(session, list.filter(({ kind }) => kind === 'session.step'), violate);
        checkChanges(session, list.filter(({ kind }) => kind === 'session.params'), violate);
        checkStates(session, rings.get(id), list, violate);
    }
    for (const [id, list] of done) if (!sessions.has(id)) violate(list[0].id, `session ${id} is gone`);
}
