// SPDX-License-Identifier: MIT
//
// Claims: what was sent is shown as a card that says how far its verification is, and what came out of it.

import { followJob, jobPath, request } from './server.js';
import { element, show, tell, write } from './dom.js';
import { whole } from './format.js';

const STORED = {
    none: 'Verified and stored.',
    exact: 'Verified: the state hash is exactly the claimed one.',
};

const STATES = {
    waiting: () => 'Waiting for a worker…',
    running: ({ tick, of, worker }) => [
        tick === null ? 'Running' : `Tick ${whole(tick)} of ${whole(of)}`, worker && ` on ${worker}`].join(''),
};

/** What is told of a job that is done. */
function outcome({ status, trace, verdict, state_hash: hash }) {
    if (status === 'cancelled') return 'Cancelled.';
    if (status !== 'ok') return null;
    if (trace) return STORED[trace.verdict] ?? STORED.none;
    return `Refuted (${verdict}): the server gets the state hash ${hash}. Nothing was stored.`;
}

/** The card of one claim. */
class Card {
    #claim;
    #state = element('p', { class: 'state', role: 'status' }, 'Sending…');
    #bar = element('progress', { max: '1', 'aria-label': 'Progress of the verification' });
    #problem = element('p', { class: 'problem', role: 'alert', hidden: true });
    #cancel = element('button', { type: 'button', class: 'small', hidden: true }, 'Cancel');
    #link = element('a', { hidden: true }, 'Open its page');
    root;

    constructor(claim) {
        this.#claim = claim;
        const title = `Seed ${claim.seed}, ${claim.params.birds} birds, tick ${whole(claim.at_tick)}`;
        this.root = element('li', { class: 'claim' },
            element('h3', {}, title), this.#state, this.#bar, this.#problem,
            element('div', { class: 'row' }, this.#cancel, this.#link));
    }

    /** Resolves with the trace, or null if there is none. */
    async run() {
        try {
            const job = await request('POST', '/api/traces', { body: this.#claim, prefer: 'respond-async' });
            this.#cancel.addEventListener('click', () => this.#askToCancel(job.id));
            show(this.#cancel, true);
            return this.#done(await followJob(job.id, (now) => this.#progress(now)));
        } catch (problem) {
            return this.#failed(problem);
        }
    }

    async #askToCancel(id) {
        this.#cancel.disabled = true;
        write(this.#state, 'Cancelling…');
        try {
            await request('DELETE', jobPath(id));
        } catch (problem) {
            tell(this.#problem, problem);
            this.#cancel.disabled = false;
        }
    }

    #progress(job) {
        if (job.state === 'done' || this.#cancel.disabled) return;
        write(this.#state, STATES[job.state](job));
        if (job.of > 0 && job.tick !== null) this.#bar.value = job.tick / job.of;
    }

    #done({ result }) {
        const text = outcome(result);
        if (text === null) return this.#failed(result.error);
        const trace = result.trace ?? null;
        this.#end(trace?.verdict ?? result.verdict ?? (trace ? 'verified' : result.status));
        write(this.#state, text);
        if (trace !== null) this.#link.href = `/traces/${encodeURIComponent(trace.id)}`;
        show(this.#link, trace !== null);
        return trace;
    }

    #failed(problem) {
        this.#end('rejected');
        write(this.#state, 'Not verified.');
        tell(this.#problem, problem);
        return null;
    }

    #end(how) {
        show(this.#bar, false);
        show(this.#cancel, false);
        this.root.dataset.how = how;
    }
}

/** Sends a claim and shows its card first in `list`. */
export function sendClaim(list, claim) {
    const card = new Card(claim);
    list.prepend(card.root);
    return card.run();
}
