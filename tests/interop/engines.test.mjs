// SPDX-License-Identifier: MIT
//
// The C engine, through the command line, against the JavaScript flock: the tolerance policy of
// the specification says that two engines match when their metrics agree within relative 1e-3 over
// the first 200 ticks. SUSURRATION_BIN names the command; by default it is the release build's.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { DEFAULT_BIRDS, DEFAULT_WEIGHTS, advance, createFlock, metrics } from './flock.mjs';

const TOLERANCE = 1e-3;
const TICKS = [1, 10, 50, 100, 150, 200];
const SEEDS = [...Array(22).keys(), 42, 4294967295];
const DENSE = { birds: 400, weights: { cohesion: 1, alignment: 1, separation: 1 } };
const DENSE_SEEDS = [1, 2, 3];

const BIN = process.env.SUSURRATION_BIN
    || fileURLToPath(new URL('../../build/release/cli/susurration', import.meta.url));

// Without a Redis in the environment the command runs the claim in its own process.
const { SUSURRATION_REDIS: _, ...ENV } = process.env;

/** The metrics of a claim as the C engine computes them. */
function verify({ seed, birds = DEFAULT_BIRDS, weights = DEFAULT_WEIGHTS, changes = [], atTick }) {
    const args = [
        'verify', '--seed', seed, '--birds', birds, '--cohesion', weights.cohesion,
        '--alignment', weights.alignment, '--separation', weights.separation, '--at-tick', atTick,
        ...changes.flatMap(({ tick, params: { weights: w } }) =>
            ['--change', `${tick}:${w.cohesion},${w.alignment},${w.separation}`]),
        '--json',
    ].map(String);
    const { status, error, stdout, stderr } = spawnSync(BIN, args, { encoding: 'utf8', env: ENV, timeout: 60000 });
    const shown = `${BIN} ${args.join(' ')}`;
    assert.ifError(error);
    assert.equal(status, 0, `${shown}: exit ${status}: ${stderr || stdout}`);
    const result = JSON.parse(stdout);
    assert.deepEqual([result.status, result.seed, result.birds, result.at_tick], ['ok', seed, birds, atTick], shown);
    return result.metrics;
}

/** |ours - theirs| relative to theirs; infinite when only one is a number. */
function difference(ours, theirs) {
    if (ours === theirs) return 0;
    if (!Number.isFinite(ours) || !Number.isFinite(theirs)) return Infinity;
    return Math.abs(ours - theirs) / Math.abs(theirs);
}

/** Both engines at each of the ticks: [{tick, name, c, js, relative}], a row a metric. */
function compare(claim, ticks) {
    const flock = createFlock(claim);
    return ticks.flatMap((tick) => {
        const changes = (claim.changes ?? []).filter((change) => change.tick < tick);
        const c = verify({ ...claim, changes, atTick: tick });
        const js = metrics(advance(flock, changes, tick));
        return Object.keys(js).map((name) =>
            ({ tick, name, c: c[name], js: js[name], relative: difference(c[name], js[name]) }));
    });
}

function assertAgree(rows, what) {
    for (const { tick, name, c, js, relative } of rows) {
        const limit = name === 'cluster_count' ? 0 : TOLERANCE;
        assert.ok(relative <= limit, `${what}, tick ${tick}: ${name} is ${c} in C and ${js} in JavaScript`);
    }
}

function largest(rows) {
    const row = rows.reduce((a, b) => (b.relative > a.relative ? b : a));
    return `${row.relative.toExponential(2)} (${row.name}, tick ${row.tick})`;
}

function startable() {
    try {
        accessSync(BIN, constants.X_OK);
        return true;
    } catch {
        return false;
    }
}

const skip = startable() ? false : 'no command to run';

test('engines_command_is_built', () => {
    assert.ok(!skip, `${BIN} is not there to be run: build with "cmake --preset release && `
        + 'cmake --build --preset release", or name the command in SUSURRATION_BIN');
});

test('engines_agree_at_120_birds_and_default_weights', { skip }, (t) => {
    const rows = SEEDS.map((seed) => compare({ seed }, TICKS));
    t.diagnostic(`${SEEDS.length} seeds: largest relative difference ${largest(rows.flat())}`);
    SEEDS.forEach((seed, i) => assertAgree(rows[i], `seed ${seed}`));
});

test('engines_agree_on_three_weight_changes', { skip }, (t) => {
    const change = (tick, cohesion, alignment, separation) =>
        ({ tick, params: { weights: { cohesion, alignment, separation } } });
    const changes = [change(0, 0.9, 0.1, 0.3), change(40, 0.05, 1, 0.6), change(120, 0.7, 0, 0.25)];
    // Just before and just after each change: one tick too early or too late shows.
    const rows = compare({ seed: 42, changes }, [1, 40, 41, 120, 121, 200]);
    t.diagnostic(`weight changes: largest relative difference ${largest(rows)}`);
    assertAgree(rows, 'seed 42 with changes');
});

// Dense flocks are chaotic enough that good engines part by more than 1e-3 within 200 ticks.
test('engines_dense_flocks_are_printed', { skip }, (t) => {
    for (const seed of DENSE_SEEDS) {
        const rows = compare({ seed, ...DENSE }, TICKS);
        t.diagnostic(`400 birds, weights 1, seed ${seed}: largest relative difference ${largest(rows)}`);
    }
});
