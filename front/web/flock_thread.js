// SPDX-License-Identifier: MIT
//
// The page's side of flock_worker.js: a call is a promise.

export class FlockThread {
    #worker = new Worker('/flock_worker.js', { type: 'module' });
    #calls = new Map();
    #last = 0;

    constructor() {
        this.#worker.addEventListener('message', ({ data }) => {
            const call = this.#calls.get(data.id);
            if (call === undefined) return;
            if ('progress' in data) return void call.onProgress?.(data.progress);
            this.#calls.delete(data.id);
            if ('error' in data) call.reject(new Error(data.error));
            else call.resolve(data.answer);
        });
        this.#worker.addEventListener('error', () => this.#fail('The engine for browsers could not be started.'));
    }

    #fail(message) {
        for (const { reject } of this.#calls.values()) reject(new Error(message));
        this.#calls.clear();
    }

    call(what, fields = {}, onProgress = null) {
        const id = ++this.#last;
        return new Promise((resolve, reject) => {
            this.#calls.set(id, { resolve, reject, onProgress });
            this.#worker.postMessage({ ...fields, id, what });
        });
    }

    /** Ends what runs, at once: its call fails. */
    stop() {
        this.#worker.terminate();
        this.#fail('Stopped.');
    }
}
