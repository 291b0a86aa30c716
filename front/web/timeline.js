// SPDX-License-Identifier: MIT
//
// The metrics of the last 5,000 ticks: a chart for each, and a table of some of the ticks, which is all
// there is where the server has no charts.

import { Chart, charts } from './chart.js';
import { element, show, write } from './dom.js';
import { METRICS, NOTHING, fixed, whole } from './format.js';

const SLOTS = 5000;
const ROWS = 20;

const RANGES = {
    polarization: () => [0, 1],
    cluster_count: (least, most) => [0, Math.max(4, Math.ceil((most ?? 0) * 1.15))],
    mean_neighbor_distance: (least, most) => [0, Math.max(10, Math.ceil((most ?? 0) * 1.15))],
};

const empty = () => ({ tick: [], polarization: [], cluster_count: [], mean_neighbor_distance: [] });

export class Timeline {
    #data = empty();
    #figures;
    #table;
    #now = null; // {tick, metrics}

    constructor(place) {
        this.#figures = METRICS.map((metric) => this.#figure(metric));
        this.#table = element('details', { class: 'as-table' });
        place.append(element('div', { class: 'charts' }, ...this.#figures.map(({ figure }) => figure)), this.#table);
        this.#table.addEventListener('toggle', () => this.#fillTable());
        charts().then((Plot) => this.#start(Plot));
    }

    get last() {
        return this.#data.tick.at(-1) ?? null;
    }

    clear() {
        this.#data = empty();
        this.#redraw();
    }

    /** More ticks, as the server's timeline gives them, after those that are there. */
    add(more) {
        const skip = more.tick.findIndex((tick) => this.last === null || tick > this.last);
        if (skip < 0) return;
        for (const name of Object.keys(this.#data)) {
            const all = this.#data[name].concat(more[name].slice(skip));
            this.#data[name] = all.slice(-SLOTS);
        }
        this.#redraw();
    }

    /** The metrics that stand in the headings while no point of a chart is looked at. */
    showNow(tick, metrics) {
        this.#now = { tick, metrics };
        this.#head(null);
    }

    #figure({ name, label }) {
        const value = element('span', { class: 'value' }, NOTHING);
        const at = element('span', { class: 'at' });
        const place = element('div', { class: 'plot', 'data-metric': name });
        const caption = element('figcaption', {}, element('span', { class: 'label' }, label), at, value);
        return { value, at, place, figure: element('figure', { class: 'chart', 'data-metric': name }, caption, place) };
    }

    #start(Plot) {
        this.#table.append(element('summary', {}, 'As a table'));
        if (Plot === null) {
            this.#table.open = true;
            for (const { place } of this.#figures) show(place, false);
            return;
        }
        METRICS.forEach(({ name, label, color }, i) => {
            this.#figures[i].chart = new Chart(Plot, this.#figures[i].place, {
                series: [{ label, color }], range: RANGES[name], isWhole: name === 'cluster_count', together: 'ticks',
                onPoint: (index) => this.#head(index),
            });
        });
        this.#redraw();
    }

    #redraw() {
        METRICS.forEach(({ name }, i) => this.#figures[i].chart?.set(this.#data.tick, this.#data[name]));
        if (this.#table.open) this.#fillTable();
    }

    #head(index) {
        const isPast = index !== null && index < this.#data.tick.length;
        METRICS.forEach(({ name, digits }, i) => {
            const shown = isPast ? this.#data[name][index] : this.#now?.metrics[name];
            write(this.#figures[i].value, fixed(shown, digits));
            const tick = isPast ? this.#data.tick[index] : this.#now?.tick;
            write(this.#figures[i].at, tick === undefined ? '' : `tick ${whole(tick)}`);
        });
    }

    /** Ticks with even distances between them, and the last one. */
    #fillTable() {
        const { tick } = this.#data;
        const every = Math.max(1, Math.ceil(tick.length / ROWS));
        const indexes = tick.map((_, i) => i).filter((i) => (tick.length - 1 - i) % every === 0);
        const rows = indexes.map((i) => element('tr', {}, element('th', { scope: 'row' }, whole(tick[i])),
            ...METRICS.map(({ name, digits }) => element('td', {}, fixed(this.#data[name][i], digits)))));
        const heads = ['Tick', ...METRICS.map(({ label }) => label)];
        const table = element('table', { class: 'numbers' },
            element('thead', {}, element('tr', {}, ...heads.map((head) => element('th', { scope: 'col' }, head)))),
            element('tbody', {}, ...rows));
        this.#table.querySelector('table')?.remove();
        this.#table.append(table);
    }
}
