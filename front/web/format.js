// SPDX-License-Identifier: MIT
//
// Numbers and times for people.

const WHOLE = new Intl.NumberFormat('en');
const TIME = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
export const NOTHING = '–';

export const whole = (number) => (number === null || number === undefined ? NOTHING : WHOLE.format(number));

export function fixed(number, digits) {
    if (number === null || number === undefined) return NOTHING;
    return number.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Parts of a whole, as "1 bird", "2 birds". */
export const count = (number, noun) => `${whole(number)} ${noun}${number === 1 ? '' : 's'}`;

export const time = (when) => TIME.format(new Date(when));

const AGES = [[86_400_000, 'd'], [3_600_000, 'h'], [60_000, 'min'], [1000, 's']];

/** How long something takes or took: "850 ms", "12 s", "3 h". */
export function age(ms) {
    if (ms === null || ms === undefined) return NOTHING;
    const [size, unit] = AGES.find(([least]) => ms >= 2 * least) ?? [1, 'ms'];
    return `${whole(Math.floor(ms / size))} ${unit}`;
}

export function bytes(size) {
    if (size === null || size === undefined) return NOTHING;
    return size < 1_048_576 ? `${fixed(size / 1024, 1)} KiB` : `${fixed(size / 1_048_576, 1)} MiB`;
}

/** A parameter as it was given, without zeros behind it. */
export const setting = (number) => String(Number(number.toPrecision(6)));

/** [name, number] of each parameter, without their groups. */
export const parameters = (params) => Object.entries(params).flatMap(
    ([name, value]) => (typeof value === 'object' ? Object.entries(value) : [[name, value]]));

/** "cohesion 0.7, alignment 0.2" */
export const settings = (params) => parameters(params).map(([name, value]) => `${name} ${setting(value)}`).join(', ');

/** The metrics in the order in which they are shown. */
export const METRICS = [
    { name: 'polarization', label: 'Polarization', digits: 4, color: '--ember' },
    { name: 'cluster_count', label: 'Clusters', digits: 0, color: '--teal' },
    { name: 'mean_neighbor_distance', label: 'Mean neighbor distance', digits: 4, color: '--violet' },
];
