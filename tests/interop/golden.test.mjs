// SPDX-License-Identifier: MIT
//
// With correctly rounded functions the second implementation gives the golden scenes' very bytes:
// the numbers are the specification's, not one engine's.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as exact from './exact.mjs';
import { advance, createFlock, functions, metrics } from './flock.mjs';

const MOST_WORK = 120 * 120 * 200; // pairs times ticks: beyond, BigInt takes minutes

const golden = readFileSync(new URL('../golden/flock.tsv', import.meta.url), 'utf8');

function readChanges(text) {
    if (text === '-') return [];
    return text.split(';').map((change) => {
        const [tick, values] = change.split(':');
        const [cohesion, alignment, separation] = values.split(',').map(Number);
        return { tick: Number(tick), params: { weights: { cohesion, alignment, separation } } };
    });
}

const scenes = golden.split('\n').filter((line) => line && !line.startsWith('#')).map((line) => {
    const [seed, birds, cohesion, alignment, separation, changes, tick, hash, ...answers] = line.split('\t');
    return {
        name: `${birds} birds, seed ${seed}, changes ${changes}, tick ${tick}`,
        flock: { seed: Number(seed), birds: Number(birds),
                 weights: { cohesion: Number(cohesion), alignment: Number(alignment), separation: Number(separation) } },
        changes: readChanges(changes), tick: Number(tick), hash, answers,
    };
}).filter(({ flock, tick }) => flock.birds ** 2 * tick <= MOST_WORK);

Object.assign(functions, { sin: exact.sin, cos: exact.cos, hypot: exact.hypot });

test('golden_scenes_within_reach', () => assert.ok(scenes.length >= 10));

for (const { name, flock, changes, tick, hash, answers } of scenes) {
    test(`golden: ${name}`, () => {
        const there = advance(createFlock(flock), changes, tick);
        const { polarization, cluster_count, mean_neighbor_distance } = metrics(there);
        assert.equal(exact.stateHash(there), hash);
        assert.deepEqual([polarization, cluster_count, mean_neighbor_distance],
                         answers.map((text) => JSON.parse(text)));
    });
}
