// SPDX-License-Identifier: MIT
//
// Lines over ticks or time, by uPlot where the server has it.

const module = import('/uPlot.esm.js').catch(() => null);

/** uPlot, or null. */
export const charts = () => module.then((loaded) => loaded?.default ?? null);

const TEXT = '11px system-ui, sans-serif';
const schemes = matchMedia('(prefers-color-scheme: dark)');
const colorOf = (place, name) => getComputedStyle(place).getPropertyValue(name).trim();

/** An axis whose colours are those of the page, also when these change. */
function axisOf(place, more) {
    const line = { stroke: () => colorOf(place, '--line'), width: 1, size: 4 };
    return { stroke: () => colorOf(place, '--quiet'), font: TEXT, grid: line, ticks: { ...line, show: false }, gap: 4, ...more };
}

function seriesOf(place, { label, color, dash }) {
    return { label, width: 1.5, dash, stroke: () => colorOf(place, color), points: { show: false }, spanGaps: false };
}

const WHOLE = new Intl.NumberFormat('en');
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 });
const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
const MINUTES = new Intl.DateTimeFormat('en', CLOCK);
const SECONDS = new Intl.DateTimeFormat('en', { ...CLOCK, second: '2-digit' });
const MINUTE_MS = 60_000;

const WHOLE_STEPS = [1, 10, 100, 1000, 10_000, 100_000].flatMap((ten) => [ten, 2 * ten, 5 * ten]);

const written = (format) => (_, values) => values.map((value) => format.format(value));
const clock = (_, times, axis, space, step) => written(step < MINUTE_MS ? SECONDS : MINUTES)(_, times);

/**
 * A chart inside `place`, which keeps it as wide as it is itself.
 *
 *   series    [{label, color: name of a custom property, dash?}]
 *   isTime    x are ms since 1970, else ticks
 *   isWhole   y are whole numbers
 *   range     of y: (least, most) => [from, to]
 *   onPoint   called with the index of the point under the pointer, or null
 *   together  charts with the same key move their pointers together
 */
export class Chart {
    #plot;

    constructor(Plot, place, { series, height = 120, isTime = false, isWhole = false, range, onPoint, together }) {
        const options = {
            width: place.clientWidth || 300,
            height,
            ms: 1,
            legend: { show: false },
            padding: [8, 20, 0, 0],
            scales: { x: { time: isTime }, y: { range: range && ((_, least, most) => range(least, most)) } },
            axes: [axisOf(place, { size: 24, space: 64, values: isTime ? clock : written(WHOLE) }),
                   axisOf(place, { size: 44, space: 32, values: written(SHORT), ...(isWhole ? { incrs: WHOLE_STEPS } : {}) })],
            series: [{}, ...series.map((one) => seriesOf(place, one))],
            cursor: { y: false, drag: { setScale: false, x: false }, points: { size: 7 },
                      ...(together ? { sync: { key: together } } : {}) },
            hooks: { setCursor: [(plot) => onPoint?.(plot.cursor.idx ?? null)] },
        };
        this.#plot = new Plot(options, [[], ...series.map(() => [])], place);
        new ResizeObserver(() => this.#plot.setSize({ width: place.clientWidth, height })).observe(place);
        schemes.addEventListener('change', () => this.#plot.redraw());
    }

    set(x, ...values) {
        this.#plot.setData([x, ...values]);
    }
}
