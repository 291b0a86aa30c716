// SPDX-License-Identifier: MIT
//
// The engine as WebAssembly gives the golden scenes' bytes too.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { scenes } from './scenes.mjs';

const path = process.env.SUSURRATION_WASM ?? 'build/release/common/sim/wasm/susurration.wasm';
const module = new WebAssembly.Module(readFileSync(new URL(`../../${path}`, import.meta.url)));

test('wasm_needs_nothing_from_its_host', () => assert.deepEqual(WebAssembly.Module.imports(module), []));

const engine = new WebAssembly.Instance(module).exports;
const hex = (word) => (word >>> 0).toString(16).padStart(8, '0');

for (const { name, flock, changes, tick, hash, answers } of scenes) {
    test(`wasm: ${name}`, () => {
        const { cohesion, alignment, separation } = flock.weights;
        assert.equal(engine.flock_start(flock.seed, flock.birds, cohesion, alignment, separation), 1);
        let at = 0;
        for (const { tick: from, params: { weights } } of changes.filter((change) => change.tick < tick)) {
            at = engine.flock_step(from - at);
            assert.equal(engine.flock_weights(weights.cohesion, weights.alignment, weights.separation), 1);
        }
        assert.equal(engine.flock_step(tick - at), tick);
        engine.flock_measure();
        const distance = engine.flock_mean_neighbor_distance();
        assert.equal(hex(engine.flock_hash_high()) + hex(engine.flock_hash_low()), hash);
        assert.deepEqual([engine.flock_polarization(), engine.flock_cluster_count(),
                          Number.isNaN(distance) ? null : distance],
                         answers.map((text) => JSON.parse(text)));
    });
}

test('wasm_refuses_parameters_out_of_range', () => {
    assert.equal(engine.flock_start(1, 9, 0.5, 0.5, 0.5), 0);
    assert.equal(engine.flock_start(1, 10, 1.1, 0.5, 0.5), 0);
    assert.equal(engine.flock_start(1, 10, 0.5, NaN, 0.5), 0);
});
