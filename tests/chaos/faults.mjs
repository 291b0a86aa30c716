// SPDX-License-Identifier: MIT
//
// What each fault does. It says in the history when it begins and ends, and which workers it may have
// kept from renewing their leases; the checker forgives the loss of a run only to those.

import { decode } from '../interop/packages.mjs';
import { pause } from '../interop/servers.mjs';
import { HASTY } from './fleet.mjs';
import { FAULTS } from './plan.mjs';

const POISON_MS = 30_000;
const BUSY_MS = 2000;

/** A fresh process in the place of one that is gone, unless somebody has seen to it. */
function replace(fleet, worker) {
    if (fleet.workers[worker.place] === worker) fleet.startWorker(worker.place);
}

async function stopped(child, ms) {
    child.kill('SIGSTOP');
    await pause(ms);
    child.kill('SIGCONT');
}

async function ended(fleet, worker) {
    worker.asked ||= 'TERM';
    worker.child.kill('SIGTERM');
    await worker.gone;
    replace(fleet, worker);
}

/** Changes a setting of Redis (or of the queue) for a while. */
async function setFor(fleet, ms, set, unset) {
    await fleet.primary.ask(set);
    await pause(ms);
    await fleet.primary.ask(unset);
}

const configure = (name, value) => (redis) => redis.config('SET', name, value);
const limit = (name, value) => (redis) => redis.hset('flock:{main}:config', name, value);
const noLimit = (name) => (redis) => redis.hdel('flock:{main}:config', name);

/** What workers say of the jobs they run. */
async function running(fleet) {
    const said = await fleet.primary.ask((redis) => redis.hvalsBuffer('flock:{main}:running'), HASTY).catch(() => []);
    return said.map((bytes) => decode(bytes));
}

const runs = (worker) => (job) => job.worker.startsWith(`${worker.name}-`);

/** Waits a while for the worker to run something long, so that a fault does not only hit idle ones. */
async function busy(fleet, worker) {
    for (const last = Date.now() + BUSY_MS; Date.now() < last; await pause(20)) {
        if ((await running(fleet)).some(runs(worker))) return;
    }
}

const ACTS = {
    async kill({ fleet, worker }) {
        await busy(fleet, worker);
        await fleet.killWorker(worker);
        replace(fleet, worker);
    },
    async freeze({ fleet, worker, fault }) {
        await busy(fleet, worker);
        await stopped(worker.child, fault.ms);
    },
    nap: ({ worker, fault }) => stopped(worker.child, fault.ms),
    async drain({ fleet, worker }) {
        await busy(fleet, worker);
        await ended(fleet, worker);
    },
    async hurry({ fleet, worker, fault }) {
        await busy(fleet, worker);
        const end = ended(fleet, worker);
        await pause(fault.ms);
        worker.child.kill('SIGTERM');
        await end;
    },
    async quiet({ worker, fault }) {
        worker.child.kill('SIGTSTP');
        await pause(fault.ms);
        worker.child.kill('SIGCONT');
    },

    /** A job that kills whoever runs it, as often as it takes. */
    async poison({ fleet, shared, fault, tell }) {
        const id = `poison${fault.k}`;
        const job = { v: 1, id, kind: 'sweep', seeds: { first: 0, count: 50 }, params: { birds: 10 }, ticks: 20000 };
        await shared.poisoner.send({ kind: 'poison', via: 'enqueue', lane: 'batch', id, job, retry: true });
        let hits = 0;
        for (const last = Date.now() + POISON_MS; hits < 3 && Date.now() < last; await pause(20)) {
            const job = (await running(fleet)).find((about) => about.id === id);
            const worker = job && fleet.workers.find((one) => runs(one)(job));
            if (!worker || worker.child.ended !== null) continue;
            tell('hit', { worker: worker.name });
            await fleet.killWorker(worker);
            replace(fleet, worker);
            hits += 1;
        }
    },

    drop: async ({ route }) => route.drop(),
    async delay({ route, fault }) {
        route.delayMs = 20 + (fault.ms % 200);
        await pause(fault.ms);
        route.delayMs = 0;
    },
    async halfopen({ route, fault }) {
        route.hold(true);
        await pause(fault.ms);
        route.hold(false);
    },
    async refuse({ route, fault }) {
        route.refuses = true;
        route.drop();
        await pause(fault.ms);
        route.refuses = false;
    },

    cut: async ({ fleet }) => fleet.routes.forEach((route) => route.drop()),
    clients: ({ fleet }) => fleet.primary.ask((redis) => redis.client('KILL', 'TYPE', 'normal')),
    flush: ({ fleet }) => fleet.primary.ask((redis) => redis.function('FLUSH')),
    async restart({ fleet, fault }) {
        await fleet.primary.stop();
        await pause(fault.ms);
        await fleet.primary.start();
    },
    async crash({ fleet, fault }) {
        await fleet.primary.kill();
        await pause(fault.ms);
        await fleet.primary.start();
    },
    hang: ({ fleet, fault }) => stopped(fleet.primary.child, fault.ms),

    /**
     * The primary dies, the replica takes over. What it had acknowledged and not passed on is lost, so
     * producers ask by WAIT whether the replica has it; only that counts as accepted (and what was
     * there when the replica was `synced`). min-replicas keeps a primary without a replica from accepting.
     */
    async failover({ fleet, shared, fault, tell }) {
        shared.wantsReplica = true;
        const replica = await fleet.startReplica();
        await fleet.primary.ask(configure('min-replicas-to-write', 1));
        const at = fleet.history.now();
        await fleet.synced(replica);
        tell('synced', { at });
        await pause(fault.ms);
        await fleet.primary.kill();
        await replica.ask((redis) => redis.replicaof('NO', 'ONE'));
        fleet.promote(replica);
        tell('promoted');
        shared.wantsReplica = false;
    },

    /** The same as an operator does it: Redis pauses writers until the replica has everything. Nothing is lost. */
    async handover({ fleet, fault }) {
        const replica = await fleet.startReplica();
        await fleet.primary.ask((redis) => redis.call('FAILOVER', 'TO', '127.0.0.1', replica.port));
        while ((await replica.info('replication')).role !== 'master') await pause(5);
        await pause(fault.ms); // the workers meet READONLY
        const old = fleet.primary;
        fleet.promote(replica);
        await old.stop();
    },

    replicas: ({ fleet, fault }) =>
        setFor(fleet, fault.ms, configure('min-replicas-to-write', 1), configure('min-replicas-to-write', 0)),
    full: ({ fleet, fault }) => setFor(fleet, fault.ms, limit('max_jobs', 2), noLimit('max_jobs')),
    memory: ({ fleet, fault }) => setFor(fleet, fault.ms, configure('maxmemory', '1mb'), configure('maxmemory', 0)),
    pause: ({ fleet, fault }) => setFor(fleet, fault.ms, limit('paused', 1), noLimit('paused')),
};

/** Carries out the faults of the plan, each at its time; one thing at a time on each thing that is hit. */
export class Faults {
    constructor(fleet, shared) {
        Object.assign(this, { fleet, shared, locks: new Map(), done: [] });
    }

    /** Which lock a fault needs, and whom it may cost the lease ('*': everybody). */
    #target(fault) {
        const { workers, routes } = this.fleet;
        switch (FAULTS[fault.kind].on) {
        case 'worker': return { lock: `w${fault.worker}`, name: () => workers[fault.worker].name };
        case 'route': return { lock: `r${fault.route}`, name: () => workers[fault.route]?.name ?? routes[fault.route].name };
        case 'redis': return { lock: 'redis', name: () => '*' };
        default: return { lock: fault.kind, name: () => '-' };
        }
    }

    async #carryOut(fault, target) {
        const { fleet, shared } = this;
        const worker = target.name();
        const tell = (phase, what = {}) =>
            fleet.history.add('fault', { k: fault.k, kind: fault.kind, phase, worker, ...what });
        tell('begin', { ms: fault.ms });
        try {
            await ACTS[fault.kind]({ fleet, shared, fault, tell,
                                     worker: fleet.workers[fault.worker], route: fleet.routes[fault.route] });
            tell('end');
        } catch (error) {
            tell('failed', { why: error.stack });
            throw error;
        }
    }

    /** Begins it when its turn has come. */
    begin(fault) {
        const target = this.#target(fault);
        const before = this.locks.get(target.lock) ?? Promise.resolve();
        const turn = before.then(() => this.#carryOut(fault, target));
        this.locks.set(target.lock, turn.catch(() => {}));
        this.done.push(turn);
    }

    async run(faults) {
        for (const fault of faults) {
            const early = fault.at - this.fleet.history.now();
            if (early > 0) await pause(early);
            this.begin(fault);
        }
        await Promise.all(this.done);
    }
}
