// SPDX-License-Identifier: MIT
//
// What the answers must be: the second engine of tests/interop with correctly rounded functions. It
// shares no code with the workers. exact.mjs decides in BigInt, which is slow; so hypot is computed
// in pairs of doubles first, and only what is too close to call goes to BigInt.

import * as exact from '../interop/exact.mjs';
import { advance, createFlock, functions, metrics, step } from '../interop/flock.mjs';

const SPLITTER = 2 ** 27 + 1; // Veltkamp's, for 53 bits

/** The error of the product a * b = p (Dekker). */
function productError(a, b, p) {
    const ca = SPLITTER * a, cb = SPLITTER * b;
    const ah = ca - (ca - a), bh = cb - (cb - b);
    const al = a - ah, bl = b - bh;
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
}

/** sqrt(x * x + y * y) rounded to nearest, for coordinates of a field (no overflow, no subnormals that count). */
export function hypot(x, y) {
    const xx = x * x, yy = y * y;
    const sum = xx + yy;
    if (!(sum > 1e-200)) return exact.hypot(x, y);
    const back = sum - xx;
    const sumError = (xx - (sum - back)) + (yy - back);
    const rest = sumError + productError(x, x, xx) + productError(y, y, yy);
    const root = Math.sqrt(sum);
    const square = root * root;
    const correction = ((sum - square) - productError(root, root, square) + rest) / (2 * root);
    // The correction is good to some 45 bits: where a little more and a little less round alike, that is it.
    const low = root + (correction - Math.abs(correction) * 2 ** -30);
    const high = root + (correction + Math.abs(correction) * 2 ** -30);
    return low === high ? low : exact.hypot(x, y);
}

/** Of a plan's few seeds the same angles come again and again. */
function remembering(f) {
    const values = new Map();
    return (x) => {
        if (!values.has(x)) values.set(x, f(x));
        return values.get(x);
    };
}

Object.assign(functions, { sin: remembering(exact.sin), cos: remembering(exact.cos), hypot });

const known = new Map();

/** The value of `make` for the same `what`, made once. */
function once(what, make) {
    const name = JSON.stringify(what);
    if (!known.has(name)) known.set(name, make());
    return known.get(name);
}

const scene = ({ seed, params = {}, changes = [] }) => ({ seed, ...params, changes });

/** {metrics, state_hash, checkpoints} of a claim. */
export function verified(job) {
    const { changes, ...start } = scene(job);
    return once(['verify', start, changes, job.at_tick], () => {
        const flock = createFlock(start);
        const checkpoints = [];
        for (let tick = 1000; tick <= job.at_tick; tick += 1000) {
            checkpoints.push(exact.stateHash(advance(flock, changes, tick)));
        }
        advance(flock, changes, job.at_tick);
        return { metrics: metrics(flock), state_hash: exact.stateHash(flock), checkpoints };
    });
}

/** The columns of a sweep. */
export function swept(job) {
    const { changes, ...start } = scene({ ...job, seed: 0 });
    const seeds = Array.isArray(job.seeds)
        ? job.seeds : Array.from({ length: job.seeds.count }, (_, i) => job.seeds.first + i);
    const rows = { seed: seeds, polarization: [], cluster_count: [], mean_neighbor_distance: [], state_hash: [] };
    for (const seed of seeds) {
        const row = once(['sweep', { ...start, seed }, changes, job.ticks], () => {
            const flock = advance(createFlock({ ...start, seed }), changes, job.ticks);
            return { ...metrics(flock), state_hash: exact.stateHash(flock) };
        });
        for (const [name, value] of Object.entries(row)) rows[name].push(value);
    }
    return rows;
}

/** The flock tick by tick, 0 included: at(tick, {metrics, hash}) gets two functions that tell them. */
export function follow(start, toTick, at) {
    const { changes, ...flockStart } = scene(start);
    const flock = createFlock(flockStart);
    for (let tick = 0; ; tick++) {
        at(tick, { metrics: () => metrics(flock), hash: () => exact.stateHash(flock) });
        if (tick === toTick) return;
        const now = changes.filter((change) => change.tick === tick);
        if (now.length > 0) advance(flock, now, tick + 1);
        else step(flock);
    }
}
