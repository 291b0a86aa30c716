// SPDX-License-Identifier: MIT
//
// With correctly rounded functions the second implementation gives the golden scenes' very bytes:
// the numbers are the specification's, not one engine's.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as exact from './exact.mjs';
import { advance, createFlock, functions, metrics } from './flock.mjs';
import { scenes } from './scenes.mjs';

const MOST_WORK = 120 * 120 * 200; // pairs times ticks: beyond, BigInt takes minutes

const within = scenes.filter(({ flock, tick }) => flock.birds ** 2 * tick <= MOST_WORK);

Object.assign(functions, { sin: exact.sin, cos: exact.cos, hypot: exact.hypot });

test('golden_scenes_within_reach', () => assert.ok(within.length >= 10));

for (const { name, flock, changes, tick, hash, answers } of within) {
    test(`golden: ${name}`, () => {
        const there = advance(createFlock(flock), changes, tick);
        const { polarization, cluster_count, mean_neighbor_distance } = metrics(there);
        assert.equal(exact.stateHash(there), hash);
        assert.deepEqual([polarization, cluster_count, mean_neighbor_distance],
                         answers.map((text) => JSON.parse(text)));
    });
}
