// SPDX-License-Identifier: MIT
//
// sin, cos and hypot rounded correctly to binary64, and XXH64: all in BigInt, from their
// definitions. Slow and short; nothing in common with how the C engine computes them.

const bits = new DataView(new ArrayBuffer(8));

/** A finite x >= 0 as mantissa * 2^exponent. */
function split(x) {
    bits.setFloat64(0, x);
    const raw = bits.getBigUint64(0);
    const exponent = Number(raw >> 52n) & 0x7ff;
    const fraction = raw & 0xfffffffffffffn;
    return exponent === 0 ? [fraction, -1074] : [fraction | 0x10000000000000n, exponent - 1075];
}

const bitLength = (n) => n.toString(2).length;

/** n * 2^exponent, plus a bit more where `sticky`, to the nearest binary64, ties to even (no subnormals). */
function nearest(n, exponent, sticky) {
    const surplus = BigInt(bitLength(n) - 53);
    if (surplus <= 0n) return Number(n) * 2 ** exponent;
    let kept = n >> surplus;
    const rest = n - (kept << surplus);
    const half = 1n << (surplus - 1n);
    if (rest > half || (rest === half && (sticky || (kept & 1n)))) kept += 1n;
    return Number(kept) * 2 ** (exponent + Number(surplus));
}

function floorSqrt(n) {
    let root = BigInt(Math.floor(Math.sqrt(Number(n))));
    for (;;) {
        const next = (root + n / root) >> 1n;
        if (next === root || next === root + 1n) break;
        root = next;
    }
    while (root * root > n) root -= 1n;
    while ((root + 1n) * (root + 1n) <= n) root += 1n;
    return root;
}

export function hypot(x, y) {
    const [mx, ex] = split(Math.abs(x));
    const [my, ey] = split(Math.abs(y));
    if (mx === 0n || my === 0n) return Math.abs(x) + Math.abs(y);
    const exponent = Math.min(ex, ey);
    const a = mx << BigInt(ex - exponent);
    const b = my << BigInt(ey - exponent);
    const squared = (a * a + b * b) << 8n; // four more bits of root
    const root = floorSqrt(squared);
    return nearest(root, exponent - 4, root * root !== squared);
}

const SCALE = 256n; // fixed point: value * 2^SCALE

/** The Taylor sum of sin (first = 1) or cos (first = 0) of a fixed-point x. */
function series(x, first) {
    let term = first ? x : 1n << SCALE;
    let sum = 0n;
    for (let n = BigInt(first + 1); term !== 0n; n += 2n) {
        sum += term;
        term = -((((term * x) >> SCALE) * x) >> SCALE) / (n * (n + 1n));
    }
    return sum;
}

/** For 0 <= x < 7. */
function circular(x, first) {
    const [mantissa, exponent] = split(x);
    const shift = BigInt(exponent) + SCALE;
    const value = series(shift >= 0n ? mantissa << shift : mantissa >> -shift, first);
    if (value === 0n) return 0;
    const size = nearest(value < 0n ? -value : value, -Number(SCALE), true);
    return value < 0n ? -size : size;
}

export const sin = (x) => (x === 0 ? 0 : circular(x, 1));
export const cos = (x) => (x === 0 ? 1 : circular(x, 0));

const MASK = (1n << 64n) - 1n;
const PRIME = [
    0x9e3779b185ebca87n, 0xc2b2ae3d27d4eb4fn, 0x165667b19e3779f9n, 0x85ebca77c2b2ae63n,
    0x27d4eb2f165667c5n,
];
const rotate = (x, by) => ((x << by) | (x >> (64n - by))) & MASK;
const round = (lane, word) => (rotate((lane + word * PRIME[1]) & MASK, 31n) * PRIME[0]) & MASK;

/** XXH64 with seed 0 of 64-bit little-endian words, at least four. */
function xxh64(words) {
    const lanes = [(PRIME[0] + PRIME[1]) & MASK, PRIME[1], 0n, (1n << 64n) - PRIME[0]];
    const stripes = words.length - (words.length % 4);
    for (let i = 0; i < stripes; i++) lanes[i % 4] = round(lanes[i % 4], words[i]);
    let hash = [1n, 7n, 12n, 18n].reduce((sum, by, i) => sum + rotate(lanes[i], by), 0n) & MASK;
    for (const lane of lanes) hash = ((hash ^ round(0n, lane)) * PRIME[0] + PRIME[3]) & MASK;
    hash = (hash + BigInt(words.length * 8)) & MASK;
    for (const word of words.slice(stripes)) {
        hash = (rotate(hash ^ round(0n, word), 27n) * PRIME[0] + PRIME[3]) & MASK;
    }
    hash = ((hash ^ (hash >> 33n)) * PRIME[1]) & MASK;
    hash = ((hash ^ (hash >> 29n)) * PRIME[2]) & MASK;
    return hash ^ (hash >> 32n);
}

/** The state hash of a flock: x, then y, vx, vy of all birds; 16 hexadecimal digits. */
export function stateHash({ birds }) {
    const words = ['x', 'y', 'vx', 'vy'].flatMap((field) => birds.map((bird) => {
        bits.setFloat64(0, bird[field]);
        return bits.getBigUint64(0);
    }));
    return xxh64(words).toString(16).padStart(16, '0');
}
