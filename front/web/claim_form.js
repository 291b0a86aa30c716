// SPDX-License-Identifier: MIT
//
// The form of a claim about the session that is shown: at which tick, with which note, and whether the
// claimed state hash goes with it, which this browser's engine computes.

import { sendClaim } from './claims.js';
import { byId, tell, write } from './dom.js';
import { count, settings, whole } from './format.js';
import { FlockThread } from './flock_thread.js';

const NOTE_MAX = 500;
const TICK_MAX = 20000;

const letters = (text) => [...text].length;

/** The hash of the state at that tick, by an engine of its own. */
async function hashAt(recipe, tick) {
    const thread = new FlockThread();
    try {
        await thread.call('open', { recipe });
        return await thread.call('hash', { tick });
    } finally {
        thread.stop();
    }
}

export class ClaimForm {
    #session;
    #onTrace;
    #form = byId('claim');
    #isTickTyped = false;

    constructor(session, onTrace) {
        this.#session = session;
        this.#onTrace = onTrace;
        this.#form.addEventListener('submit', (event) => this.#send(event));
        this.#form.at_tick.addEventListener('input', () => { this.#isTickTyped = true; this.#summary(); });
        this.#form.note.addEventListener('input', () => this.#countNote());
        session.addEventListener('change', () => this.#follow());
        session.addEventListener('engine', () => this.#allowHash());
    }

    /** The tick is the session's until somebody writes another one. */
    #follow() {
        const { tick } = this.#session.data;
        if (!this.#isTickTyped || tick === 0) {
            this.#form.at_tick.value = Math.min(Math.max(tick, 1), TICK_MAX);
            this.#isTickTyped = false;
        }
        this.#summary();
    }

    #changes(atTick) {
        return this.#session.data.changes.filter((change) => change.tick < atTick);
    }

    #summary() {
        const { seed, params } = this.#session.recipe;
        const changes = this.#changes(Number(this.#form.at_tick.value));
        write(byId('claim-summary'), `Seed ${seed}, ${params.birds} birds, ${settings({ weights: params.weights })}, `
            + `${count(changes.length, 'change')} of weights before tick ${whole(Number(this.#form.at_tick.value))}.`);
    }

    #countNote() {
        const used = letters(this.#form.note.value);
        write(byId('note-left'), `${used} of ${NOTE_MAX}`);
        this.#form.note.setCustomValidity(used > NOTE_MAX ? `At most ${NOTE_MAX} characters.` : '');
    }

    #allowHash() {
        const isThere = this.#session.engine.state !== 'missing';
        this.#form.hash.disabled = !isThere;
        if (!isThere) this.#form.hash.checked = false;
    }

    async #send(event) {
        event.preventDefault();
        const atTick = Number(this.#form.at_tick.value);
        const { seed, params } = this.#session.recipe;
        const claim = { seed, params, changes: this.#changes(atTick), at_tick: atTick, note: this.#form.note.value };
        tell(byId('claim-problem'), null);
        this.#form.send.disabled = true;
        try {
            if (this.#form.hash.checked) {
                write(byId('claim-state'), 'This browser computes the state hash…');
                claim.claimed = { state_hash: await hashAt(claim, atTick) };
            }
        } catch (error) {
            tell(byId('claim-problem'), error);
            return;
        } finally {
            write(byId('claim-state'), '');
            this.#form.send.disabled = false;
        }
        const trace = await sendClaim(byId('claims'), claim);
        if (trace !== null) this.#onTrace(trace);
    }
}
