// SPDX-License-Identifier: MIT
//
// The engine on a thread of its own, so that the page stays live. Takes {id, what, ...} one after the other and
// answers {id, answer} or {id, error}, and in between {id, progress}.

import { Flock, loadEngine } from './engine.js';
import { verify } from './verify.js';

const SAVE_EVERY = 500; // ticks: what a jump back has to run again, at most
const PROGRESS_MS = 60;

const engine = loadEngine();
engine.catch(() => {}); // whoever opens a flock is told
let flock = null;
let saved = [];

/** To any tick: back by the last state that was kept before it. */
function goTo(tick) {
    if (tick < flock.tick) flock.restore(saved.findLast((one) => one.tick <= tick));
    while (flock.tick < tick) {
        const save = saved.at(-1).tick + SAVE_EVERY;
        flock.stepTo(Math.min(save, tick));
        if (flock.tick === save) saved.push(flock.save());
    }
}

/** Runs a generator to its end and tells now and then what it gave. */
function told(id, steps) {
    let last = performance.now();
    for (;;) {
        const { value, done } = steps.next();
        if (done) return value;
        if (performance.now() - last < PROGRESS_MS) continue;
        last = performance.now();
        postMessage({ id, progress: value });
    }
}

const does = {
    async open({ recipe }) {
        flock = new Flock(await engine, recipe);
        saved = [flock.save()];
    },

    /** The frames of the ticks from `from` to `to`, in any order of calls. */
    frames({ from, to }) {
        const frames = [];
        for (let tick = from; tick <= to; tick++) {
            goTo(tick);
            frames.push(flock.frame());
        }
        return frames;
    },

    /** Follows a session to where the server has it: {equal, frames} with the last ones, at most `most`. */
    follow({ session, most }) {
        flock.changes = session.changes;
        flock.stepTo(session.tick - most);
        const frames = [];
        while (flock.tick < session.tick) {
            flock.stepTo(flock.tick + 1);
            frames.push(flock.frame());
        }
        return { equal: flock.tick === session.tick && flock.hash() === session.state_hash, frames };
    },

    hash({ tick }) {
        goTo(tick);
        return flock.hash();
    },

    /** In the place of what was open: there is one flock in an engine. */
    async verify({ id, trace, timeline }) {
        return told(id, verify(new Flock(await engine, trace), trace, timeline));
    },
};

let turn = Promise.resolve();
self.addEventListener('message', ({ data }) => {
    turn = turn.then(async () => {
        try {
            postMessage({ id: data.id, answer: await does[data.what](data) });
        } catch (error) {
            postMessage({ id: data.id, error: error.message });
        }
    });
});
