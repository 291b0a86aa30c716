// SPDX-License-Identifier: MIT
//
// A trace from tick 0 to its last one by this browser's engine, for a Player: any tick can be gone to.

import { FlockThread } from './flock_thread.js';

const TRAIL = 40; // ticks before the one that is gone to, so that its trails are there

export class Replay {
    #thread = new FlockThread();
    #next = 0;
    #wanted = null;
    #isGoing = false;

    constructor(trace) {
        this.trace = trace;
    }

    open() {
        return this.#thread.call('open', { recipe: this.trace });
    }

    async #frames(from, to) {
        return { frames: await this.#thread.call('frames', { from, to }) };
    }

    /** For a Player. */
    async more(ticks) {
        const from = this.#next;
        if (from > this.trace.at_tick) return null;
        this.#next = Math.min(from + ticks, this.trace.at_tick + 1);
        return this.#frames(from, this.#next - 1);
    }

    /**
     * Goes to a tick and calls `onFrames` with what is to be shown. Of several wishes while it is on its way
     * only the last counts.
     */
    async goTo(tick, onFrames) {
        this.#wanted = tick;
        if (this.#isGoing) return;
        this.#isGoing = true;
        while (this.#wanted !== null) {
            const to = this.#wanted;
            this.#wanted = null;
            this.#next = to + 1;
            onFrames(await this.#frames(Math.max(0, to - TRAIL), to));
        }
        this.#isGoing = false;
    }
}
