// SPDX-License-Identifier: MIT
//
// A stored trace, run again and compared with everything that the server tells of it: the hash every 1,000
// ticks, the metrics of each tick that it still has, the final metrics, and the final hash, which decides.

const CHUNK = 100;
// The server's numbers have 4 decimals: half of the last one, and a little for the binary fraction.
const ROUNDING = 0.5e-4 + 1e-9;
const NAMES = ['polarization', 'cluster_count', 'mean_neighbor_distance'];

const agree = (ours, theirs) =>
    (ours === null || theirs === null ? ours === theirs : Math.abs(ours - theirs) <= ROUNDING);

/** The first metric that differs, as {tick, name, server, browser}, or null. */
function differenceOf(tick, ours, theirs) {
    const name = NAMES.find((one) => !agree(ours[one], theirs[one]));
    return name === undefined ? null : { tick, name, server: theirs[name], browser: ours[name] };
}

const rowOf = (timeline, i) => Object.fromEntries(NAMES.map((name) => [name, timeline[name][i]]));

/** Metrics by tick, as far as the server has them. */
function storedMetrics(trace, timeline) {
    const stored = new Map((timeline?.tick ?? []).map((tick, i) => [tick, rowOf(timeline, i)]));
    return stored.set(trace.at_tick, trace.metrics);
}

/**
 * A generator, so that its caller can say how far it is: gives the tick that it has reached, and returns {hash,
 * equal, ticks, hashes, difference}. ticks and hashes are how many were compared. difference, null if there is none: the first
 * {tick, name, server, browser}; of a hash also `after`, the last tick that is known to be equal.
 */
export function* verify(flock, trace, timeline) {
    const metrics = storedMetrics(trace, timeline);
    const hashes = new Map((trace.checkpoints ?? []).map((hash, i) => [1000 * (i + 1), hash]));
    hashes.set(trace.at_tick, trace.state_hash);
    const stops = [...new Set([...metrics.keys(), ...hashes.keys()])].sort((a, b) => a - b);
    let difference = null;
    let after = 0;
    for (const stop of stops) {
        while (flock.tick < stop) {
            flock.stepTo(Math.min(stop, flock.tick + CHUNK));
            yield flock.tick;
        }
        if (metrics.has(stop)) difference ??= differenceOf(stop, flock.measure(), metrics.get(stop));
        if (hashes.has(stop) && difference === null) {
            const [server, browser] = [hashes.get(stop), flock.hash()];
            if (server === browser) after = stop;
            else difference = { tick: stop, name: 'state_hash', server, browser, after };
        }
    }
    const hash = flock.hash();
    return { hash, equal: hash === trace.state_hash, ticks: metrics.size, hashes: hashes.size, difference };
}
