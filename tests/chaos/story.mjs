// SPDX-License-Identifier: MIT
//
// A history put in order: each job with everything that was said of it, each worker with the times in
// which it could not renew a lease.

const SOON_MS = 500;          // a reconnect, a beat
const BACKOFF_MOST_MS = 5000; // of a worker that finds no Redis
const BEAT_MS = 700;          // a third of the shortest lease

// Faults that keep whoever they hit from renewing leases for as long as they last.
const SILENCING = new Set(['freeze', 'nap', 'drop', 'delay', 'halfopen', 'refuse', 'cut', 'clients', 'flush', 'restart', 'crash',
                           'hang', 'failover', 'handover', 'replicas']);

/** Joins what overlaps. Intervals are [from, to]. */
function joined(intervals) {
    const all = [...intervals].sort((a, b) => a[0] - b[0]);
    const out = [];
    for (const [from, to] of all) {
        const last = out.at(-1);
        if (last && from <= last[1]) last[1] = Math.max(last[1], to);
        else out.push([from, to]);
    }
    return out;
}

/**
 * Outages with the time that it takes to connect again: a worker waits about as long as it has been
 * without Redis, and longer after the next outage unless the connection has held for a while.
 */
function withReturn(outages) {
    let end = -Infinity, wait = 0;
    return [...outages].sort((a, b) => a[0] - b[0]).map(([from, to]) => {
        if (from - end > 2 * wait + SOON_MS) wait = 0;
        const back = Math.min(BACKOFF_MOST_MS, Math.max(wait, to - from));
        wait = Math.min(BACKOFF_MOST_MS, 2 * back + SOON_MS);
        end = Math.max(end, to + back);
        return [from, to + back + 2 * SOON_MS];
    });
}

export class Story {
    constructor(lines) {
        this.lines = lines;
        this.plan = lines.find(({ ev }) => ev === 'plan');
        this.outcomes = new Map(lines.filter(({ ev }) => ['answer', 'refused', 'unknown'].includes(ev)).map((line) => [line.n, line]));
        this.of = (ev) => lines.filter((line) => line.ev === ev);
        this.#findFailovers();
        this.#findJobs();
        this.#findSilences();
    }

    /** Times [from, to] in which an acknowledged write may have been lost, for nobody waited for the replica. */
    #findFailovers() {
        const faults = this.of('fault').filter(({ kind }) => kind === 'failover');
        const ends = new Map(faults.filter(({ phase }) => phase === 'promoted').map(({ k, t }) => [k, t]));
        this.lossy = faults.filter(({ phase }) => phase === 'synced').map(({ k, at }) => [at, ends.get(k) ?? Infinity]);
    }

    isLossy(t) {
        return this.lossy.some(([from, to]) => t >= from && t <= to);
    }

    /** 'accepted', 'unsure' or 'no': whether what was asked under that number was done. */
    fate(n) {
        const outcome = this.outcomes.get(n);
        if (outcome?.ev === 'refused') return 'no';
        if (outcome?.ev !== 'answer') return 'unsure';
        return this.isLossy(outcome.at) && !(outcome.replicas >= 1) ? 'unsure' : 'accepted';
    }

    /** jobs: by id {id, sends, fate, cancels}; nameless: the sends without id of which no entry is known. */
    #findJobs() {
        this.jobs = new Map();
        this.nameless = [];
        for (const send of this.of('send')) {
            const fate = this.fate(send.n);
            const outcome = this.outcomes.get(send.n);
            const id = send.id ?? outcome?.ref?.slice(1);
            if (id === undefined) {
                if (fate === 'unsure') this.nameless.push(send);
                continue;
            }
            const job = this.jobs.get(id) ?? { id, sends: [], cancels: [], fate: 'no' };
            job.sends.push(send);
            if (fate === 'accepted' || job.fate === 'no') job.fate = fate;
            this.jobs.set(id, job);
        }
        for (const cancel of this.of('cancel')) this.jobs.get(cancel.id)?.cancels.push(cancel);
    }

    /** silences: of each worker: [from, to], longer than a fault by what it takes to come back. */
    #findSilences() {
        const faults = new Map([['*', []]]); // [from, to]
        const ends = new Map();              // from when on a worker is no more
        const add = (map, worker, what) => map.set(worker, [...(map.get(worker) ?? []), what]);
        const begins = new Map();
        for (const line of this.lines) {
            if (line.ev === 'stall') add(faults, '*', [line.t - line.ms - BEAT_MS, line.t]);
            if (line.ev === 'gone' && line.asked === 'KILL') add(ends, line.worker, [line.t, Infinity]);
            if (line.ev !== 'fault' || !SILENCING.has(line.kind)) continue;
            if (line.phase === 'begin') begins.set(line.k, line.t);
            if (line.phase === 'end' || line.phase === 'failed') add(faults, line.worker, [begins.get(line.k), line.t]);
        }
        this.silences = new Map();
        for (const { worker } of this.of('up')) {
            this.silences.set(worker, withReturn([...(faults.get(worker) ?? []), ...faults.get('*')]));
        }
        // One that ended while it had no Redis could not hand its jobs back.
        for (const { worker, asked, t } of this.of('gone')) {
            const isCut = this.silences.get(worker).some(([from, to]) => from <= t && to >= t - BACKOFF_MOST_MS);
            if (asked !== 'KILL' && isCut) add(ends, worker, [t, Infinity]);
        }
        for (const [worker, list] of this.silences) this.silences.set(worker, joined([...list, ...(ends.get(worker) ?? [])]));
    }

    /** Silences that could have cost a lease between two moments: of a worker, or of all where its name is ''. */
    #costly(worker, from, to) {
        const least = this.plan.lease_ms - BEAT_MS;
        const lists = worker ? [this.silences.get(worker) ?? []] : [...this.silences.values()];
        return lists.flat().filter(([a, b]) => b - a >= least && a + least <= to && b >= from);
    }

    couldLose(worker, from, to) {
        return this.#costly(worker, from, to).length > 0;
    }

    /** How many runs could have been lost between two moments. */
    lossesBetween(from, to) {
        return this.#costly('', from, to).length;
    }

    /** All that was written down about a job, to be shown. */
    tell(id, ref) {
        const job = this.jobs.get(id);
        const numbers = new Set([...(job?.sends ?? []), ...(job?.cancels ?? [])].map(({ n }) => n));
        const refs = new Set([ref, ...[...numbers].map((n) => this.outcomes.get(n)?.ref)].filter(Boolean));
        return this.lines.filter((line) => numbers.has(line.n) || line.id === id || refs.has(line.ref));
    }
}
