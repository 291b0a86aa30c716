// SPDX-License-Identifier: MIT
//
// The server's engine in this browser: susurration.wasm gives the same bytes as every other build of it. A
// Flock is run from its seed, its parameters at tick 0 and its changes; so any tick can be reached, and is exact.

const STATE = ['flock_x', 'flock_y', 'flock_vx', 'flock_vy'];

/** The module, or an error that says why there is none. */
export async function loadEngine() {
    const response = await fetch('/susurration.wasm');
    if (!response.ok) throw new Error('This server was built without the engine for browsers.');
    const { instance } = await WebAssembly.instantiateStreaming(response);
    return instance.exports;
}

const hex = (word) => (word >>> 0).toString(16).padStart(8, '0');

/** The weights that govern the step from `tick` to the next: of two changes at one tick the later wins. */
function weightsAt(params, changes, tick) {
    const inForce = changes.filter((change) => change.tick <= tick).map((change) => change.params.weights);
    return Object.assign({}, params.weights, ...inForce);
}

export class Flock {
    constructor(engine, { seed, params, changes }) {
        const { cohesion, alignment, separation } = params.weights;
        if (!engine.flock_start(seed, params.birds, cohesion, alignment, separation)) {
            throw new Error('The engine does not take these parameters.');
        }
        this.engine = engine;
        this.params = params;
        this.changes = changes;
        this.tick = 0;
    }

    /** One of the four arrays of the state, in the engine's own memory. */
    array(name) {
        return new Float64Array(this.engine.memory.buffer, this.engine[name](), this.params.birds);
    }

    /** Steps to `tick`, from change to change. */
    stepTo(tick) {
        while (this.tick < tick) {
            const { cohesion, alignment, separation } = weightsAt(this.params, this.changes, this.tick);
            this.engine.flock_weights(cohesion, alignment, separation);
            const next = this.changes.find((change) => change.tick > this.tick)?.tick ?? tick;
            const until = Math.min(next, tick);
            this.engine.flock_step(until - this.tick);
            this.tick = until;
        }
    }

    measure() {
        this.engine.flock_measure();
        const distance = this.engine.flock_mean_neighbor_distance();
        return {
            polarization: this.engine.flock_polarization(),
            cluster_count: this.engine.flock_cluster_count(),
            mean_neighbor_distance: Number.isNaN(distance) ? null : distance,
        };
    }

    hash() {
        return hex(this.engine.flock_hash_high()) + hex(this.engine.flock_hash_low());
    }

    /** What a canvas needs: half the precision is more than enough to draw. */
    frame() {
        const [x, y, vx, vy] = STATE.map((name) => Float32Array.from(this.array(name)));
        return { tick: this.tick, x, y, vx, vy };
    }

    /** The whole state, to go on from later. Between steps it is nothing but these numbers. */
    save() {
        return { tick: this.tick, state: STATE.map((name) => this.array(name).slice()) };
    }

    restore({ tick, state }) {
        STATE.forEach((name, i) => this.array(name).set(state[i]));
        this.tick = tick;
    }
}
