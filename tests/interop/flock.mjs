// SPDX-License-Identifier: MIT
//
// The flock specification in plain JavaScript, the independent second implementation. It was
// written from the specification alone and shares nothing with the C engine. sin, cos and hypot
// are the runtime's own, so it agrees with ours within the tolerance policy and not to the bit;
// with those of exact.mjs put into `functions` it gives the very same bytes (golden.test.mjs).
// Nothing here is fast; each function says one paragraph of the specification.
//
// A flock is {tick, weights: {cohesion, alignment, separation}, birds: [{x, y, vx, vy}, ...]}.
// Positions in units of the field, velocities in units per tick. Birds are never written to: a
// step makes a new array of them, so it is synchronous by construction.

export const WIDTH = 1000;
export const HEIGHT = 600;
export const PERCEPTION = 90;
export const SEPARATION_DISTANCE = 28;
export const NEAREST_LIMIT = 3 * PERCEPTION;
export const MIN_SPEED = 1.6;
export const MAX_SPEED = 4.2;
export const DEFAULT_BIRDS = 120;
export const DEFAULT_WEIGHTS = { cohesion: 0.5, alignment: 0.5, separation: 0.5 };

/** The three functions that engines may round differently. */
export const functions = { sin: Math.sin, cos: Math.cos, hypot: Math.hypot };

/** The generator of a uint32 seed: each call gives the next value in [0, 1). */
export function mulberry32(seed) {
    let counter = seed | 0;
    return () => {
        counter = (counter + 0x6d2b79f5) | 0;
        let t = Math.imul(counter ^ (counter >>> 15), counter | 1);
        t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
        return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
    };
}

/** The flock at tick 0. Throws RangeError where the specification sets a limit. */
export function createFlock({ seed, birds = DEFAULT_BIRDS, weights = {} }) {
    requireInteger('seed', seed, 0, 2 ** 32 - 1);
    requireInteger('birds', birds, 10, 400);
    const next = mulberry32(seed);
    return {
        tick: 0,
        weights: changedWeights(DEFAULT_WEIGHTS, weights),
        birds: Array.from({ length: birds }, () => {
            const x = next() * WIDTH;
            const y = next() * HEIGHT;
            const angle = next() * 2 * Math.PI;
            const speed = MIN_SPEED + next() * (MAX_SPEED - MIN_SPEED);
            return { x, y, vx: speed * functions.cos(angle), vy: speed * functions.sin(angle) };
        }),
    };
}

/** The shortest signed way from a to b; exactly half the size is not wrapped. */
export function torusDelta(a, b, size) {
    const d = b - a;
    if (d > size / 2) return d - size;
    if (d < -size / 2) return d + size;
    return d;
}

/** One tick forward for every bird, all from the old state. */
export function step(flock) {
    flock.birds = flock.birds.map((bird) => moved(bird, steered(bird, flock)));
    flock.tick += 1;
}

/** The new velocity of a bird before the clamp: its own plus the three forces. */
function steered(bird, { birds, weights }) {
    let neighbors = 0;
    let deltaX = 0, deltaY = 0; // sums over the neighbors
    let velocityX = 0, velocityY = 0;
    let awayX = 0, awayY = 0;
    for (const other of birds) {
        if (other === bird) continue;
        const dx = torusDelta(bird.x, other.x, WIDTH);
        const dy = torusDelta(bird.y, other.y, HEIGHT);
        const distance = functions.hypot(dx, dy);
        if (!(distance < PERCEPTION)) continue;
        neighbors += 1;
        deltaX += dx;
        deltaY += dy;
        velocityX += other.vx;
        velocityY += other.vy;
        if (distance < SEPARATION_DISTANCE && distance > 0) {
            awayX += -dx / (distance * distance);
            awayY += -dy / (distance * distance);
        }
    }
    if (neighbors === 0) return { vx: bird.vx, vy: bird.vy };
    const cohesion = weights.cohesion * 0.0045;
    const alignment = weights.alignment * 0.05;
    const separation = weights.separation * 2.5;
    return {
        vx: bird.vx + (deltaX / neighbors) * cohesion
            + (velocityX / neighbors - bird.vx) * alignment + awayX * separation,
        vy: bird.vy + (deltaY / neighbors) * cohesion
            + (velocityY / neighbors - bird.vy) * alignment + awayY * separation,
    };
}

/** The bird after the speed clamp and the position update. */
function moved(bird, velocity) {
    const { vx, vy } = clamped(bird, velocity);
    return { x: wrapped(bird.x + vx, WIDTH), y: wrapped(bird.y + vy, HEIGHT), vx, vy };
}

function clamped(bird, { vx, vy }) {
    const s = functions.hypot(vx, vy);
    if (s === 0) {
        const old = functions.hypot(bird.vx, bird.vy);
        return { vx: (bird.vx / old) * MIN_SPEED, vy: (bird.vy / old) * MIN_SPEED };
    }
    const scale = Math.min(Math.max(s, MIN_SPEED), MAX_SPEED) / s;
    return { vx: vx * scale, vy: vy * scale };
}

// One correction, as specified: a tiny negative coordinate may round to exactly the size.
function wrapped(p, size) {
    if (p >= size) return p - size;
    if (p < 0) return p + size;
    return p;
}

/** The three metrics of the current state, in full precision. */
export function metrics({ birds }) {
    const parent = birds.map((_, i) => i);
    const nearest = birds.map(() => Infinity);
    let clusters = birds.length;
    for (let i = 0; i < birds.length; i++) {
        for (let j = i + 1; j < birds.length; j++) {
            const distance = functions.hypot(torusDelta(birds[i].x, birds[j].x, WIDTH),
                                             torusDelta(birds[i].y, birds[j].y, HEIGHT));
            nearest[i] = Math.min(nearest[i], distance);
            nearest[j] = Math.min(nearest[j], distance);
            if (distance < PERCEPTION && union(parent, i, j)) clusters -= 1;
        }
    }
    return {
        polarization: polarization(birds),
        cluster_count: clusters,
        mean_neighbor_distance: mean(nearest.filter((distance) => distance < NEAREST_LIMIT)),
    };
}

function polarization(birds) {
    let x = 0, y = 0;
    for (const { vx, vy } of birds) {
        const s = functions.hypot(vx, vy);
        x += vx / s;
        y += vy / s;
    }
    return functions.hypot(x / birds.length, y / birds.length);
}

function mean(values) {
    if (values.length === 0) return null;
    return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Joins the sets of i and j; true when they were two. */
function union(parent, i, j) {
    const a = find(parent, i);
    const b = find(parent, j);
    parent[a] = b;
    return a !== b;
}

function find(parent, i) {
    while (parent[i] !== i) {
        parent[i] = parent[parent[i]]; // halve the path
        i = parent[i];
    }
    return i;
}

/**
 * Steps a flock to a tick. changes: [{tick, params: {weights}}], ascending; a change at t governs
 * the step from t to t + 1, and of two at one tick the later wins. Changes before the flock's own
 * tick are taken as made.
 */
export function advance(flock, changes, toTick) {
    while (flock.tick < toTick) {
        for (const change of changes) {
            if (change.tick === flock.tick) {
                flock.weights = changedWeights(flock.weights, change.params.weights);
            }
        }
        step(flock);
    }
    return flock;
}

/** A claim re-simulated from tick 0: the flock at atTick. params: {birds?, weights?}. */
export function run({ seed, params = {}, changes = [], atTick }) {
    requireInteger('at_tick', atTick, 1, 20000);
    changes.forEach(({ tick }, i) => {
        requireInteger(`changes[${i}].tick`, tick, i > 0 ? changes[i - 1].tick : 0, atTick - 1);
    });
    return advance(createFlock({ seed, ...params }), changes, atTick);
}

function changedWeights(old, changed) {
    for (const [name, value] of Object.entries(changed)) {
        if (!(name in DEFAULT_WEIGHTS) || !(value >= 0 && value <= 1)) {
            throw new RangeError(`weight ${name} is ${value}: cohesion, alignment and separation are in 0..1`);
        }
    }
    return { ...old, ...changed };
}

function requireInteger(name, value, min, max) {
    if (!(Number.isInteger(value) && value >= min && value <= max)) {
        throw new RangeError(`${name} is ${value}: must be a whole number in ${min}..${max}`);
    }
}
