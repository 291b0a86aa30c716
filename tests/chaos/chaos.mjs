// SPDX-License-Identifier: MIT
//
// chaos.mjs [--seed N] [--jobs N] [--faults N] [--keep]
//
// Runs the plan of a seed against real workers and a real Redis, then lets the checker read what was
// written down. Exit status 0: everything held. With --keep (and after a violation) the folder with
// the history, the snapshot and all logs stays.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { pause } from '../interop/servers.mjs';
import { Faults } from './faults.mjs';
import { Fleet } from './fleet.mjs';
import { History } from './history.mjs';
import { makePlan } from './plan.mjs';
import { Producer } from './producers.mjs';
import { snapshot } from './snapshot.mjs';
import { Watcher } from './watcher.mjs';

const RESULT_TTL = 21600; // longer than a run takes
const STUCK_MS = 40_000;  // without any job done after the last fault
const ROLL_JOBS = 8;      // for each slot

const options = { seed: { type: 'string', default: '1' }, jobs: { type: 'string', default: '1200' },
                  faults: { type: 'string', default: '24' }, keep: { type: 'boolean', default: false } };

async function backlog(fleet) {
    return fleet.primary.ask(async (redis) => {
        const lengths = await Promise.all(['interactive', 'batch'].map((lane) => redis.xlen(`flock:{main}:jobs:${lane}`)));
        return lengths[0] + lengths[1];
    });
}

/** Waits until nothing is queued; false when it gets no shorter. */
async function drained(fleet) {
    let least = Infinity;
    for (let since = Date.now(); Date.now() - since < STUCK_MS; await pause(50)) {
        const left = await backlog(fleet);
        if (left === 0) return true;
        if (left < least) {
            least = left;
            since = Date.now();
        }
    }
    return false;
}

/** Work for all: whoever takes none of it has stopped to consume. */
async function rollCall(fleet, producer, plan) {
    const count = ROLL_JOBS * plan.slots * plan.workers;
    const ids = Array.from({ length: count }, (_, i) => `roll${i}`);
    fleet.history.add('roll', { ids, workers: fleet.workers.map(({ name }) => name) });
    const job = { v: 1, kind: 'sweep', seeds: { first: 0, count: 1 }, params: { birds: 10 }, ticks: 15000 };
    for (const id of ids) await producer.send({ kind: 'roll', via: 'enqueue', lane: 'batch', id, job: { ...job, id }, retry: true });
    return drained(fleet);
}

async function startSessions(producer, plan, shared) {
    for (const [place, { id, job }] of plan.starts.entries()) {
        const result = await producer.run({ kind: 'create', via: 'enqueue', lane: 'interactive', id, job: { ...job, id }, retry: true });
        shared.sessions[place] = result.session.id;
    }
}

async function play(fleet, plan, history) {
    const shared = { wantsReplica: false, sessions: [], nameless: 0 };
    const producers = Array.from({ length: plan.producers }, () => new Producer(fleet.producersUrl, history, shared));
    shared.poisoner = new Producer(fleet.producersUrl, history, shared);
    const watcher = new Watcher(fleet, history);
    const watching = watcher.watch();
    try {
        await startSessions(producers[0], plan, shared);
        const began = history.now();
        const later = (list) => list.map((item) => ({ ...item, at: item.at + began }));
        await Promise.all([
            new Faults(fleet, shared).run(later(plan.faults)),
            ...producers.map((producer, i) => producer.act(later(plan.actions.filter((a) => a.producer === i)))),
        ]);
        history.add('calm');
        const isEmpty = await drained(fleet) && await rollCall(fleet, producers[0], plan);
        history.add('drained', { empty: isEmpty, left: await backlog(fleet) });
        // With the queue empty enqueue sets its counters right; this is the job that makes it do so.
        const job = { v: 1, id: 'last', kind: 'verify', seed: 1, at_tick: 1, params: { birds: 10 }, store: false };
        if (isEmpty) await producers[0].run({ kind: 'last', via: 'enqueue', lane: 'interactive', id: 'last', job, retry: true });
        await pause(1000); // a beat: of what runs nothing is left
    } finally {
        watcher.isOver = true;
        for (const producer of [...producers, shared.poisoner]) producer.close();
        await watching;
    }
}

async function run(folder, plan) {
    const history = new History(join(folder, 'history.jsonl'));
    const fleet = new Fleet(folder, history, plan);
    history.add('plan', { seed: plan.seed, jobs: plan.jobs, faults: plan.faults.length, wall: Date.now(), lease_ms: plan.lease_s * 1000,
                          max_lost: 3, result_ttl: plan.result_ttl, session_ttl: 86400 });
    try {
        await fleet.start();
        await play(fleet, plan, history);
        const rows = await fleet.primary.ask((redis) => snapshot(redis, 'main'));
        writeFileSync(join(folder, 'snapshot.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    } finally {
        await fleet.stop();
        history.add('end');
        history.close();
    }
}

const { values } = parseArgs({ options });
const plan = makePlan({ seed: Number(values.seed), jobs: Number(values.jobs), faults: Number(values.faults) });
plan.result_ttl = RESULT_TTL;
const folder = mkdtempSync(join(tmpdir(), 'susurration-chaos-'));
console.log(`seed ${plan.seed}: ${plan.actions.length} actions, ${plan.faults.length} faults, ${plan.length / 1000} s; ${folder}`);
await run(folder, plan);
const check = spawnSync(process.execPath, [fileURLToPath(new URL('./check.mjs', import.meta.url)), folder], { stdio: 'inherit' });
if (check.status === 0 && !values.keep) rmSync(folder, { recursive: true, force: true });
process.exitCode = check.status ?? 1;
