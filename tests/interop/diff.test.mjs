// SPDX-License-Identifier: MIT
//
// `susurration diff` on what the second implementation writes: nothing where it rounds correctly,
// and else the first number that it gives otherwise. SUSURRATION names the command's binary; by
// default it is the release build's.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as exact from './exact.mjs';
import { createFlock, functions, step } from './flock.mjs';

const COMMAND = process.env.SUSURRATION
    || fileURLToPath(new URL('../../build/release/cli/susurration', import.meta.url));
const CLAIM = { seed: 42, birds: 30 };
const LAST_TICK = 20;
const FIELDS = ['x', 'y', 'vx', 'vy'];

const bits = (number) => {
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, number);
    return view.getBigUint64(0).toString(16).padStart(16, '0');
};

/** The flock's birds at ticks 0 to LAST_TICK with these functions. */
function states(chosen) {
    Object.assign(functions, chosen);
    const flock = createFlock(CLAIM);
    const all = [flock.birds];
    while (all.length <= LAST_TICK) {
        step(flock);
        all.push(flock.birds);
    }
    return all;
}

/** What diff says of a file: [exit code, its JSON]. */
function diff(file) {
    const args = ['diff', '--seed', CLAIM.seed, '--birds', CLAIM.birds, '--json', '-'].map(String);
    const { status, stdout, stderr } = spawnSync(COMMAND, args, { input: file });
    assert.ok(status < 2, String(stderr));
    return [status, JSON.parse(stdout)];
}

const csv = (all, write) => ['tick,bird,x,y,vx,vy', ...all.flatMap((birds, tick) => birds.map(
    (bird, i) => [tick, i, ...FIELDS.map((field) => write(bird[field]))].join()))].join('\n');

const jsonLines = (all) => all.map((birds, tick) => JSON.stringify({
    tick,
    positions: birds.map(({ x, y }) => [x, y]),
    velocities: birds.map(({ vx, vy }) => [vx, vy]),
})).join('\n');

const ours = states({ sin: exact.sin, cos: exact.cos, hypot: exact.hypot });

for (const [name, file] of Object.entries({
    decimal: csv(ours, String), bits: csv(ours, bits), json: jsonLines(ours),
})) {
    test(`diff_equal_${name}`, () => {
        const [code, { verdict, equal_ticks }] = diff(file);
        assert.deepEqual([code, verdict, equal_ticks], [0, 'exact', LAST_TICK + 1]);
    });
}

test('diff_names_what_another_hypot_changes_first', () => {
    const naive = (a, b) => Math.sqrt(a * a + b * b);
    const theirs = states({ hypot: naive });
    const all = ours.flatMap((birds, tick) => birds.flatMap((bird, i) => FIELDS.map(
        (field) => ({ tick, bird: i, field, ours: bird[field], theirs: theirs[tick][i][field] }))));
    const first = all.find((number) => !Object.is(number.ours, number.theirs));
    const [code, { difference }] = diff(csv(theirs, bits));
    assert.equal(code, 1);
    assert.deepEqual([difference.tick, difference.bird, difference.field], [first.tick, first.bird, first.field]);
    assert.deepEqual([difference.ours.bits, difference.theirs.bits], [bits(first.ours), bits(first.theirs)]);
    assert.deepEqual([difference.ours.value, difference.theirs.value], [first.ours, first.theirs]);
});
