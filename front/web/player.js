// SPDX-License-Identifier: MIT
//
// Plays frames at an even pace. It asks its source for more before it runs out, waits where there are none, and
// never draws anything that it was not given.
//
//   source.more(ticks)   a promise of {frames, ...} of about so many ticks, or null at the end
//
// Events: `play`, `pause`, `show` (a frame was drawn; its detail is the answer that it came with, if it was the last of
// it), `problem` (the source failed).

const LONGEST_GAP_MS = 100; // a page that was in the background does not run after the time it missed
const STILL_MS = 500;       // reduced motion: two still pictures a second
const AHEAD = 1.5;          // batches
const LEAST_BATCH_MS = 120;

export const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

export class Player extends EventTarget {
    #source;
    #canvas;
    #waiting = []; // {frame, answer}
    #isAsking = false;
    #answerMs = LEAST_BATCH_MS;
    #lastMs = null;
    #owed = 0; // ticks, a fraction too
    playing = false;
    ticksPerSecond = 60;

    constructor(source, canvas) {
        super();
        this.#source = source;
        this.#canvas = canvas;
    }

    play() {
        if (this.playing) return;
        this.playing = true;
        this.#lastMs = null;
        this.#owed = 0;
        this.dispatchEvent(new Event('play'));
        requestAnimationFrame((now) => this.#pass(now));
    }

    /** What has been computed is shown before it stands. */
    pause() {
        if (!this.playing) return;
        this.playing = false;
        this.#show(this.#waiting.length);
        this.dispatchEvent(new Event('pause'));
    }

    toggle() {
        if (this.playing) this.pause();
        else this.play();
    }

    /** Forgets what was to be shown: the source is at another place now. */
    clear() {
        this.#waiting = [];
    }

    /** Shows what came outside of playing, after what waits. */
    show(answer) {
        this.#take(answer);
        if (!this.playing) this.#show(this.#waiting.length);
    }

    #take(answer) {
        answer.frames.forEach((frame, i) => {
            this.#waiting.push({ frame, answer: i === answer.frames.length - 1 ? answer : null });
        });
    }

    #show(count) {
        const shown = this.#waiting.splice(0, count);
        if (shown.length === 0) return;
        this.#canvas.draw(shown.map(({ frame }) => frame));
        for (const { answer } of shown) {
            if (answer !== null) this.dispatchEvent(new CustomEvent('show', { detail: answer }));
        }
        if (shown.at(-1).answer === null) this.dispatchEvent(new CustomEvent('show', { detail: null }));
    }

    #pass(now) {
        if (!this.playing) return;
        const passed = this.#lastMs === null ? 0 : Math.min(now - this.#lastMs, LONGEST_GAP_MS);
        this.#lastMs = now;
        if (reducedMotion.matches) this.#show(this.#waiting.length);
        else {
            this.#owed = Math.min(this.#owed + (passed * this.ticksPerSecond) / 1000, this.#waiting.length + 1);
            const due = Math.min(Math.floor(this.#owed), this.#waiting.length);
            this.#owed -= due;
            this.#show(due);
        }
        this.#ask();
        requestAnimationFrame((next) => this.#pass(next));
    }

    async #ask() {
        const batchMs = reducedMotion.matches ? STILL_MS : Math.max(LEAST_BATCH_MS, 2 * this.#answerMs);
        const batch = Math.ceil((batchMs * this.ticksPerSecond) / 1000);
        if (this.#isAsking || this.#waiting.length > AHEAD * batch) return;
        this.#isAsking = true;
        const start = performance.now();
        try {
            const answer = await this.#source.more(Math.min(batch, 1000));
            if (answer === null) this.pause();
            else this.show(answer);
            this.#answerMs = 0.7 * this.#answerMs + 0.3 * (performance.now() - start);
            if (reducedMotion.matches) await new Promise((done) => setTimeout(done, STILL_MS));
        } catch (problem) {
            this.dispatchEvent(new CustomEvent('problem', { detail: problem }));
        } finally {
            this.#isAsking = false;
        }
    }
}
