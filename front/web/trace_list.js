// SPDX-License-Identifier: MIT
//
// The stored traces, newest first, a page at a time.

import { get } from './server.js';
import { byId, cell, element, show, tell } from './dom.js';
import { fixed, time, whole } from './format.js';

const FIRST = '/api/traces?skip=0&limit=10';

function row(trace) {
    const link = element('a', { href: `/traces/${encodeURIComponent(trace.id)}` }, String(trace.seed));
    return element('tr', {},
        cell('Seed', link, 'number'),
        cell('Birds', whole(trace.params.birds ?? trace.params.boids), 'number'),
        cell('Tick', whole(trace.at_tick), 'number'),
        cell('Changes', whole(trace.changes.length), 'number'),
        cell('Polarization', fixed(trace.metrics.polarization, 4), 'number'),
        cell('Verdict', verdictMark(trace.verdict)),
        cell('Note', trace.note, 'note'),
        cell('Verified', element('time', { datetime: trace.verified_at }, time(trace.verified_at)), 'when'));
}

/** What the server said of what was claimed; of a trace without a claimed hash or metrics nothing. */
export function verdictMark(verdict) {
    return element('span', { class: 'mark', 'data-verdict': verdict ?? 'verified' }, verdict ?? 'verified');
}

export class TraceList {
    #path = FIRST;
    #before = []; // the pages that lead here

    constructor() {
        byId('newer').addEventListener('click', () => this.#go(this.#before.pop()));
        byId('older').addEventListener('click', () => { this.#before.push(this.#path); this.#go(this.#next); });
    }

    #next = null;

    refresh() {
        this.#before = [];
        return this.#go(FIRST);
    }

    async #go(path) {
        this.#path = path;
        try {
            const { traces, next } = await get(path);
            this.#next = next;
            tell(byId('traces-problem'), null);
            byId('traces').replaceChildren(...traces.map(row));
            show(byId('no-traces'), traces.length === 0 && this.#before.length === 0);
            show(byId('traces-table'), traces.length > 0);
        } catch (problem) {
            tell(byId('traces-problem'), problem);
        }
        byId('newer').disabled = this.#before.length === 0;
        byId('older').disabled = this.#next === null;
        show(byId('pages'), this.#before.length > 0 || this.#next !== null);
        byId('page').textContent = `Page ${this.#before.length + 1}`;
    }
}
