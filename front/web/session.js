// SPDX-License-Identifier: MIT
//
// A session of the server, and this browser's engine beside it. The server steps; the engine runs the same ticks
// from the same seed and changes, so it knows the ticks between two answers. Each answer is compared with where the engine
// is: as long as they agree the frames in between are the engine's, else there are only the server's.
//
// Events: `change` (a new answer: tick, weights, changes, metrics), `engine` (what is known of it).

import { get, request } from './server.js';
import { FlockThread } from './flock_thread.js';

const MOST_FRAMES = 60; // of one answer: a second's worth at the usual pace

/** What an answer itself says, to be drawn. */
function frameOf({ tick, positions, velocities }) {
    const column = (pairs, axis) => Float32Array.from(pairs, (pair) => pair[axis]);
    return { tick, x: column(positions, 0), y: column(positions, 1), vx: column(velocities, 0), vy: column(velocities, 1) };
}

export class Session extends EventTarget {
    #turn = Promise.resolve();
    #thread = null;
    #isFollowing = false;
    data = null;
    engine = { state: 'off', compared: 0, message: '' }; // off, behind, exact, different, missing

    /** One call after the other, so that answers come in the order of ticks. */
    #inTurn(call) {
        const mine = this.#turn.then(call);
        this.#turn = mine.catch(() => {});
        return mine;
    }

    get path() {
        return `/api/sessions/${encodeURIComponent(this.data.id)}`;
    }

    /** What a claim or another engine needs to run the same flock. */
    get recipe() {
        const { seed, changes, initial_params: params } = this.data;
        return { seed, params, changes };
    }

    /** seed undefined: the server draws one. */
    create({ seed, birds, weights }) {
        return this.#inTurn(async () => this.#begin(
            await request('POST', '/api/sessions', { body: { seed, params: { birds, weights } } })));
    }

    open(id) {
        return this.#inTurn(async () => this.#begin(await get(`/api/sessions/${encodeURIComponent(id)}`)));
    }

    step(ticks) {
        return this.#inTurn(async () => this.#take(await request('POST', `${this.path}/step`, { body: { ticks } })));
    }

    setWeights(weights) {
        return this.#inTurn(async () => this.#take(await request('PUT', `${this.path}/params`, { body: { weights } })));
    }

    /** For a Player. */
    more(ticks) {
        return this.step(ticks);
    }

    timeline(from) {
        return get(`${this.path}/timeline?from=${from}&to=${this.data.tick}`);
    }

    #begin(data) {
        this.#thread?.stop();
        this.#thread = new FlockThread();
        this.#isFollowing = false;
        this.engine = { state: 'behind', compared: 0, message: '' };
        this.data = data;
        const thread = this.#thread;
        thread.call('open', { recipe: this.recipe }).catch((error) => this.#without(thread, 'missing', error.message));
        return this.#take(data);
    }

    #without(thread, state, message) {
        if (thread !== this.#thread) return;
        thread.stop();
        this.#thread = null;
        this.engine = { ...this.engine, state, message };
        this.dispatchEvent(new Event('engine'));
    }

    async #take(data) {
        this.data = data;
        this.dispatchEvent(new Event('change'));
        return { frames: await this.#framesTo(data), data };
    }

    /** While the engine is far behind, it runs and nobody waits for it. */
    async #framesTo(data) {
        const theirs = [frameOf(data)];
        const thread = this.#thread;
        if (thread === null || this.#isFollowing) return theirs;
        this.#isFollowing = true;
        const following = thread.call('follow', { session: data, most: MOST_FRAMES })
            .then((answer) => this.#followed(thread, answer), () => null)
            .finally(() => { if (thread === this.#thread) this.#isFollowing = false; });
        const ours = this.engine.state === 'exact' ? await following : null;
        return ours ?? theirs;
    }

    #followed(thread, { equal, frames }) {
        if (thread !== this.#thread) return null;
        if (!equal) {
            this.#without(thread, 'different', `This browser's engine differs from the server at tick ${this.data.tick}.`);
            return null;
        }
        this.engine = { state: 'exact', compared: this.engine.compared + 1, message: '' };
        this.dispatchEvent(new Event('engine'));
        return frames;
    }
}
