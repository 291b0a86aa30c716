// SPDX-License-Identifier: MIT
//
// Depth, throughput and latency of the last minutes, as the server sampled them. Where there are no charts,
// a table of the newest samples.

import { Chart, charts } from './chart.js';
import { element } from './dom.js';
import { NOTHING, fixed } from './format.js';

const ROWS = 15;

const FIGURES = [
    { title: 'Depth', unit: 'jobs', digits: 0, series: [{ name: 'waiting', label: 'waiting', color: '--ember' },
                                                        { name: 'running', label: 'running', color: '--teal' }] },
    { title: 'Throughput', unit: 'jobs a second', digits: 1, series: [{ name: 'done_per_s', label: 'done', color: '--violet' }] },
    { title: 'Latency', unit: 'ms', digits: 1, series: [{ name: 'queued_ms', label: 'queued', color: '--ember' },
                                                        { name: 'run_ms', label: 'running', color: '--teal' }] },
];

const fromZero = (_, most) => [0, Math.max(1, (most ?? 0) * 1.1)];
const clock = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23' });

export class History {
    #place;
    #past = null;
    #figures = [];
    #isTable = false;

    constructor(place) {
        this.#place = place;
        charts().then((Plot) => this.#start(Plot));
    }

    set(past) {
        this.#past = past;
        this.#show();
    }

    #start(Plot) {
        if (Plot === null) this.#isTable = true;
        else this.#figures = FIGURES.map((figure) => this.#figure(Plot, figure));
        this.#place.append(...this.#figures.map(({ root }) => root));
        for (const figure of this.#figures) figure.draw();
        this.#show();
    }

    #figure(Plot, { title, unit, digits, series }) {
        const values = series.map(({ color }) => element('span', { 'data-color': color.slice(2) }, NOTHING));
        const keys = series.flatMap(({ label }, i) => [values[i], element('span', { class: 'key' }, label)]);
        const place = element('div', { class: 'plot' });
        const at = element('span', { class: 'at' }, unit);
        const caption = element('figcaption', {}, element('span', { class: 'label' }, title), at,
                                element('span', { class: 'values' }, ...keys));
        const root = element('figure', { class: 'chart' }, caption, place);
        const figure = { root, place, series, digits, values, point: null, chart: null };
        figure.draw = () => {
            figure.chart = new Chart(Plot, place, {
                series, isTime: true, isWhole: digits === 0, range: fromZero, height: 150, together: 'time',
                onPoint: (index) => { figure.point = index; this.#head(figure); },
            });
        };
        return figure;
    }

    #head({ series, digits, values, point }) {
        const column = (name) => this.#past?.[name] ?? [];
        series.forEach(({ name }, i) => {
            values[i].textContent = fixed(point === null ? column(name).at(-1) : column(name)[point], digits);
        });
    }

    #show() {
        if (this.#past === null) return;
        if (this.#isTable) this.#place.replaceChildren(this.#table());
        for (const figure of this.#figures) {
            figure.chart.set(this.#past.at, ...figure.series.map(({ name }) => this.#past[name]));
            this.#head(figure);
        }
    }

    #table() {
        const columns = FIGURES.flatMap(({ title, digits, series }) => series.map((one) => ({ ...one, title, digits })));
        const heads = ['Time', ...columns.map(({ title, label }) => `${title}: ${label}`)];
        const last = this.#past.at.map((_, i) => i).slice(-ROWS).reverse();
        const rows = last.map((i) => element('tr', {}, element('th', { scope: 'row' }, clock.format(this.#past.at[i])),
            ...columns.map(({ name, digits }) => element('td', {}, fixed(this.#past[name][i], digits)))));
        return element('table', { class: 'numbers' },
            element('thead', {}, element('tr', {}, ...heads.map((head) => element('th', { scope: 'col' }, head)))),
            element('tbody', {}, ...rows));
    }
}
