// SPDX-License-Identifier: MIT
//
// What happened, a JSON object a line: {t, ev, ...}, t in ms since the beginning. It is written at
// once, so that it is complete whatever happens to this process.
//
// ev        what it has
// plan      seed, wall (ms since 1970 at t = 0), lease_ms, max_lost, result_ttl, session_ttl
// send      n, via, lane, id (null: the entry's), job or torn (hex), code (of a job that is bad on purpose),
//           kind (in the plan)
// answer    n, state, ref, at (when it came), replicas (that have it for sure): Redis took it, or has it already
// refused   n, why: Redis said no, or it was never sent
// unknown   n, why: no answer, it may be there or not
// cancel    n, id; then answer, refused or unknown, as above
// seen      id, digest: of a result that somebody read
// held      ref, consumer, count: the pending list, whenever a look at it shows something new
// fault     k, kind, phase (begin, end), worker ('*': all), and what the kind has to say
// up, gone  worker: a process; how it ended, and whether it had been asked to
// stall     ms: this process or Redis was that late, so the workers may have been
// calm      no more faults
// drained   empty: whether the queue is
// roll      ids of the jobs that are to show who still works, workers: who should
// end

import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, openSync, readFileSync } from 'node:fs';

export class History {
    constructor(file) {
        this.descriptor = openSync(file, 'w');
        this.began = performance.now();
        this.count = 0; // of sends and cancels
    }

    now() {
        return Math.round((performance.now() - this.began) * 10) / 10;
    }

    add(ev, what = {}) {
        appendFileSync(this.descriptor, `${JSON.stringify({ t: this.now(), ev, ...what })}\n`);
    }

    /** A number for what is asked of Redis, by which the answer refers to it. */
    ask(ev, what) {
        this.count += 1;
        this.add(ev, { n: this.count, ...what });
        return this.count;
    }

    close() {
        closeSync(this.descriptor);
    }
}

export const readLines = (file) => readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));

/** By which the history names the bytes of a result. */
export const digest = (bytes) => createHash('sha256').update(bytes).digest('hex').slice(0, 16);
