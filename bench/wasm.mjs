// SPDX-License-Identifier: MIT
//
// How fast a page can fly a flock: susurration.wasm in this JavaScript engine, a frame at a time (a step, then the
// metrics), beside the 60 frames a second that a screen shows. Best of several rounds.
//
//   node bench/wasm.mjs [FILE]

import { readFileSync } from 'node:fs';

const file = process.argv[2] ?? new URL('../build/release/common/sim/wasm/susurration.wasm', import.meta.url);
const engine = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file))).exports;

function framesPerSecond(birds, frames) {
    let best = Infinity;
    for (let round = 0; round < 7; round++) {
        engine.flock_start(42, birds, 0.5, 0.5, 0.5);
        engine.flock_step(500);
        const start = performance.now();
        for (let frame = 0; frame < frames; frame++) {
            engine.flock_step(1);
            engine.flock_measure();
        }
        best = Math.min(best, performance.now() - start);
    }
    return 1000 * frames / best;
}

console.log(`| birds | frames/s, node ${process.version} | times 60 |\n|---|---|---|`);
for (const [birds, frames] of [[10, 5000], [120, 1000], [400, 200]]) {
    const rate = framesPerSecond(birds, frames);
    console.log(`| ${birds} | ${rate.toFixed(0)} | ${(rate / 60).toFixed(1)} |`);
}
