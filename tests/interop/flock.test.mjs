// SPDX-License-Identifier: MIT
//
// The JavaScript flock against the figures and the edge cases of the specification. Scenes are
// built by hand from coordinates that binary64 holds exactly, so that results are compared exactly.

import assert from 'node:assert/strict';
import test from 'node:test';
import {
    HEIGHT, MAX_SPEED, MIN_SPEED, WIDTH, advance, createFlock, metrics, mulberry32, run, step, torusDelta,
} from './flock.mjs';

const NONE = { cohesion: 0, alignment: 0, separation: 0 };
const BELOW_90 = 90 - 2 ** -46;
const BELOW_28 = 28 - 2 ** -48;

/** A flock of birds given as [x, y, vx, vy]. */
function scene(birds, weights = {}) {
    return {
        tick: 0,
        weights: { ...NONE, ...weights },
        birds: birds.map(([x, y, vx, vy]) => ({ x, y, vx, vy })),
    };
}

function stepped(birds, weights) {
    const flock = scene(birds, weights);
    step(flock);
    return flock.birds;
}

/** mulberry32 again, over exact integers, so that no overflow can be hidden in a bit operation. */
function* mulberry32Exact(seed) {
    const mask = 0xffffffffn;
    for (let counter = BigInt(seed); ;) {
        counter = (counter + 0x6d2b79f5n) & mask;
        let t = ((counter ^ (counter >> 15n)) * (counter | 1n)) & mask;
        t ^= (t + (((t ^ (t >> 7n)) * (t | 61n)) & mask)) & mask;
        yield Number(t ^ (t >> 14n)) / 2 ** 32;
    }
}

test('prng_published_values', () => {
    const next = mulberry32(42);
    assert.deepEqual(Array.from({ length: 10 }, next), [
        0.6011037519201636, 0.44829055899754167, 0.8524657934904099,
        0.6697340414393693, 0.17481389874592423, 0.5265925421845168,
        0.2732279943302274, 0.6247446539346129, 0.8654746483080089,
        0.4723170551005751,
    ]);
});

for (const seed of [0, 1, 42, 4294967295]) {
    test(`prng_seed_${seed}`, () => {
        const next = mulberry32(seed);
        const exact = mulberry32Exact(seed);
        let sum = 0;
        for (let i = 0; i < 2000; i++) {
            const value = next();
            assert.equal(value, exact.next().value, `value ${i}`);
            assert.ok(value >= 0 && value < 1);
            sum += value;
        }
        assert.ok(Math.abs(sum / 2000 - 0.5) < 0.03, `mean ${sum / 2000}`);
    });
}

test('init_consumes_the_prng_per_bird_in_order', () => {
    const u = mulberry32(42);
    const flock = createFlock({ seed: 42 });
    assert.equal(flock.birds.length, 120);
    assert.equal(flock.tick, 0);
    assert.deepEqual(flock.weights, { cohesion: 0.5, alignment: 0.5, separation: 0.5 });
    assert.equal(flock.birds[0].x, 0.6011037519201636 * 1000);
    assert.equal(flock.birds[0].y, 0.44829055899754167 * 600);
    for (const bird of flock.birds) {
        assert.equal(bird.x, u() * 1000);
        assert.equal(bird.y, u() * 600);
        const angle = u() * 2 * Math.PI;
        const speed = 1.6 + u() * (4.2 - 1.6);
        assert.equal(bird.vx, speed * Math.cos(angle));
        assert.equal(bird.vy, speed * Math.sin(angle));
    }
});

test('init_rejects_what_is_out_of_range', () => {
    for (const bad of [
        { seed: -1 }, { seed: 2 ** 32 }, { seed: 1.5 }, { seed: NaN }, { birds: 9 }, { birds: 401 },
        { weights: { cohesion: -0.1 } }, { weights: { alignment: 1.1 } },
        { weights: { separation: NaN } }, { weights: { cohesoin: 0.5 } },
    ]) {
        assert.throws(() => createFlock({ seed: 42, ...bad }), RangeError, JSON.stringify(bad));
    }
    assert.equal(createFlock({ seed: 0, birds: 10 }).birds.length, 10);
    assert.equal(createFlock({ seed: 4294967295, birds: 400 }).birds.length, 400);
});

test('delta_half_the_field_is_not_wrapped', () => {
    for (const size of [WIDTH, HEIGHT]) {
        assert.equal(torusDelta(0, size / 2, size), size / 2);
        assert.equal(torusDelta(size / 2, 0, size), -size / 2);
        assert.equal(torusDelta(0, size / 2 + 1, size), -(size / 2 - 1));
        assert.equal(torusDelta(size / 2 + 1, 0, size), size / 2 - 1);
        assert.equal(torusDelta(size - 1, 1, size), 2);
        assert.equal(torusDelta(1, size - 1, size), -2);
    }
});

test('step_bird_alone_flies_straight', () => {
    const all = { cohesion: 1, alignment: 1, separation: 1 };
    assert.deepEqual(stepped([[100, 100, 2, 0]], all), [{ x: 102, y: 100, vx: 2, vy: 0 }]);
    const apart = stepped([[100, 100, 2, 0], [600, 400, 0, -3]], all);
    assert.deepEqual(apart[0], { x: 102, y: 100, vx: 2, vy: 0 });
    assert.deepEqual(apart[1], { x: 600, y: 397, vx: 0, vy: -3 });
});

test('step_cohesion_is_the_mean_delta', () => {
    const [bird] = stepped([[100, 100, 2, 0], [140, 100, 2, 0], [100, 160, 2, 0]], { cohesion: 0.5 });
    assert.equal(bird.vx, 2 + 20 * (0.5 * 0.0045));
    assert.equal(bird.vy, 30 * (0.5 * 0.0045));
});

test('step_alignment_is_the_difference_to_the_mean_velocity', () => {
    const [bird] = stepped([[100, 100, 2, 1], [140, 100, 3, 1], [100, 160, 4, -2]], { alignment: 0.5 });
    assert.equal(bird.vx, 2 + (3.5 - 2) * (0.5 * 0.05));
    assert.equal(bird.vy, 1 + (-0.5 - 1) * (0.5 * 0.05));
});

test('step_separation_is_summed_over_the_close_ones', () => {
    // At 8 and at 16 units: away by 1/8 and 1/16; the third neighbor is too far to separate.
    const [bird] = stepped([[100, 100, 2, 0], [108, 100, 2, 0], [100, 116, 2, 0], [60, 100, 2, 0]],
                           { separation: 0.5 });
    assert.equal(bird.vx, 2 - (1 / 8) * 1.25);
    assert.equal(bird.vy, -(1 / 16) * 1.25);
});

test('step_forces_reach_across_the_seam', () => {
    const [bird] = stepped([[992, 596, 2, 0], [8, 596, 2, 0], [992, 12, 2, 0]], { cohesion: 1 });
    assert.equal(bird.vx, 2 + 8 * 0.0045);
    assert.equal(bird.vy, 8 * 0.0045);
});

test('step_exactly_90_is_no_neighbor', () => {
    for (const [dx, dy] of [[90, 0], [0, -90], [54, 72]]) {
        const [bird] = stepped([[200, 200, 2, 0], [200 + dx, 200 + dy, 0, 3]], { cohesion: 1, alignment: 1 });
        assert.deepEqual(bird, { x: 202, y: 200, vx: 2, vy: 0 }, `${dx}, ${dy}`);
    }
    const [bird] = stepped([[0, 200, 2, 0], [BELOW_90, 200, 2, 0]], { cohesion: 1 });
    assert.equal(bird.vx, 2 + BELOW_90 * 0.0045);
});

test('step_exactly_28_does_not_separate', () => {
    const [at] = stepped([[0, 200, 2, 0], [28, 200, 2, 0]], { separation: 1 });
    assert.equal(at.vx, 2);
    const [below] = stepped([[0, 200, 2, 0], [BELOW_28, 200, 2, 0]], { separation: 1 });
    assert.ok(below.vx < 2, `vx ${below.vx}`);
});

test('step_birds_at_one_place_exert_no_separation', () => {
    const both = stepped([[100, 100, 2, 0], [100, 100, 4, 0]], { cohesion: 1, separation: 1 });
    assert.deepEqual(both, [{ x: 102, y: 100, vx: 2, vy: 0 }, { x: 104, y: 100, vx: 4, vy: 0 }]);
    // They are neighbors all the same.
    assert.equal(stepped([[100, 100, 2, 0], [100, 100, 4, 0]], { alignment: 1 })[0].vx, 2 + 2 * 0.05);
});

test('step_speed_zero_keeps_the_direction', () => {
    // One unit apart, separation pushes by exactly 2.5 against a speed of exactly 2.5.
    const [right] = stepped([[100, 100, 2.5, 0], [101, 100, 2, 0]], { separation: 1 });
    assert.deepEqual(right, { x: 101.6, y: 100, vx: 1.6, vy: 0 });
    const [up] = stepped([[100, 100, 0, -2.5], [100, 99, 2, 0]], { separation: 1 });
    assert.deepEqual([up.vx, up.vy], [0, -1.6]);
    assert.equal(up.y, 100 - 1.6);
});

test('step_speed_is_clamped', () => {
    const [fast] = stepped([[100, 100, -2, 0], [101, 100, 2, 0]], { separation: 1 });
    assert.deepEqual([fast.vx, fast.vy], [-4.5 * (4.2 / 4.5), 0]);
    const [slow] = stepped([[100, 100, 2, 0], [101, 100, 2, 0]], { separation: 1 });
    assert.deepEqual([slow.vx, slow.vy], [-0.5 * (1.6 / 0.5), 0]);
});

test('step_wraps_once', () => {
    const at = (x, vx) => stepped([[x, 100, vx, 0]])[0].x;
    assert.equal(at(999, 2), 1);
    assert.equal(at(998, 2), 0);
    assert.equal(at(1, -2), 999);
    assert.equal(at(2, -2), 0);
    const [down] = stepped([[100, 599, 0, 2]]);
    assert.equal(down.y, 1);
    const [up] = stepped([[100, 1, 0, -2]]);
    assert.equal(up.y, 599);
});

test('step_tiny_negative_coordinate_lands_on_the_size', () => {
    const flock = scene([[2, 100, -2 - 2 ** -51, 0], [0, 100, 0, 2]]);
    step(flock);
    assert.equal(flock.birds[0].x, 1000);
    assert.equal(torusDelta(flock.birds[0].x, 0, WIDTH), 0);
    step(flock);
    assert.equal(flock.birds[0].x, 998);
});

test('step_is_synchronous', () => {
    // A mirrored pair stays mirrored; updated in place, the second bird would see the first moved.
    const [left, right] = stepped([[480, 300, 2, 1], [520, 300, -2, 1]],
                                  { cohesion: 1, alignment: 1, separation: 1 });
    assert.equal(left.vx, -right.vx);
    assert.equal(left.vy, right.vy);
    assert.equal(500 - left.x, right.x - 500);
    assert.notEqual(left.vx, 2);
});

test('step_keeps_the_speed_limits', () => {
    const flock = createFlock({ seed: 7, weights: { cohesion: 1, alignment: 0, separation: 1 } });
    for (let tick = 0; tick < 100; tick++) {
        step(flock);
        for (const { x, y, vx, vy } of flock.birds) {
            const s = Math.hypot(vx, vy);
            assert.ok(s > MIN_SPEED - 1e-12 && s < MAX_SPEED + 1e-12, `speed ${s} at tick ${flock.tick}`);
            assert.ok(x >= 0 && x <= WIDTH && y >= 0 && y <= HEIGHT, `${x}, ${y} at tick ${flock.tick}`);
        }
    }
    assert.equal(flock.tick, 100);
});

test('metrics_polarization', () => {
    const of = (...velocities) => metrics(scene(velocities.map(([vx, vy], i) => [i * 50, 0, vx, vy]))).polarization;
    assert.equal(of([2, 0], [4, 0]), 1);
    assert.equal(of([2, 0], [-4, 0]), 0);
    assert.equal(of([2, 0], [0, 4]), Math.hypot(0.5, 0.5));
});

test('metrics_clusters', () => {
    const of = (...xs) => metrics(scene(xs.map((x) => [x, 100, 2, 0]))).cluster_count;
    assert.equal(of(0, 90), 2);
    assert.equal(of(0, BELOW_90), 1);
    assert.equal(of(950, 30), 1); // across the seam
    assert.equal(of(100, 260, 180, 500, 580), 2); // 100 and 260 are joined by the later 180
    assert.equal(of(100, 120, 140), 1); // the third edge joins nothing
    assert.equal(of(100, 100), 1);
});

test('metrics_nearest_limit_is_270', () => {
    const of = (...birds) => metrics(scene(birds.map(([x, y]) => [x, y, 2, 0]))).mean_neighbor_distance;
    assert.equal(of([0, 0]), null);
    assert.equal(of([0, 0], [270, 0]), null);
    assert.equal(of([0, 0], [162, 216]), null);
    assert.equal(of([0, 0], [269, 0]), 269);
    assert.equal(of([0, 0], [100, 0], [500, 300]), 100); // the third is left out of the mean
    assert.equal(of([0, 0], [100, 0], [140, 0]), (100 + 40 + 40) / 3);
    assert.equal(of([5, 5], [5, 5]), 0);
});

test('run_change_governs_the_step_from_its_tick', () => {
    const changes = [
        { tick: 0, params: { weights: { cohesion: 0.9 } } },
        { tick: 3, params: { weights: { alignment: 0 } } },
        { tick: 3, params: { weights: { alignment: 0.8, separation: 0.1 } } },
    ];
    const byHand = createFlock({ seed: 9, weights: { cohesion: 0.9 } });
    for (let i = 0; i < 3; i++) step(byHand);
    byHand.weights = { cohesion: 0.9, alignment: 0.8, separation: 0.1 };
    for (let i = 0; i < 2; i++) step(byHand);
    assert.deepEqual(run({ seed: 9, changes, atTick: 5 }), byHand);

    const inParts = createFlock({ seed: 9 });
    for (const tick of [2, 3, 4, 5]) advance(inParts, changes, tick);
    assert.deepEqual(inParts, byHand);
});

test('run_rejects_bad_ticks', () => {
    const change = (tick) => ({ tick, params: { weights: { cohesion: 1 } } });
    assert.throws(() => run({ seed: 1, atTick: 0 }), RangeError);
    assert.throws(() => run({ seed: 1, atTick: 20001 }), RangeError);
    assert.throws(() => run({ seed: 1, atTick: 5, changes: [change(5)] }), RangeError);
    assert.throws(() => run({ seed: 1, atTick: 5, changes: [change(-1)] }), RangeError);
    assert.throws(() => run({ seed: 1, atTick: 5, changes: [change(3), change(2)] }), RangeError);
    assert.equal(run({ seed: 1, atTick: 5, changes: [change(4)] }).tick, 5);
});

test('run_twice_is_identical', () => {
    const claim = { seed: 42, params: { birds: 40 }, atTick: 60 };
    assert.deepEqual(run(claim), run(claim));
    assert.notDeepEqual(run(claim).birds, run({ ...claim, seed: 43 }).birds);
});
