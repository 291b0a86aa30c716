// SPDX-License-Identifier: MIT
//
// The golden scenes of tests/golden/flock.tsv as objects: what flock.mjs takes, and the answers as text.

import { readFileSync } from 'node:fs';

const golden = readFileSync(new URL('../golden/flock.tsv', import.meta.url), 'utf8');

function readChanges(text) {
    if (text === '-') return [];
    return text.split(';').map((change) => {
        const [tick, values] = change.split(':');
        const [cohesion, alignment, separation] = values.split(',').map(Number);
        return { tick: Number(tick), params: { weights: { cohesion, alignment, separation } } };
    });
}

export const scenes = golden.split('\n').filter((line) => line && !line.startsWith('#')).map((line) => {
    const [seed, birds, cohesion, alignment, separation, changes, tick, hash, ...answers] = line.split('\t');
    return {
        name: `${birds} birds, seed ${seed}, changes ${changes}, tick ${tick}`,
        flock: { seed: Number(seed), birds: Number(birds),
                 weights: { cohesion: Number(cohesion), alignment: Number(alignment), separation: Number(separation) } },
        changes: readChanges(changes), tick: Number(tick), hash, answers,
    };
});
