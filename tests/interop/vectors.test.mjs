// SPDX-License-Identifier: MIT
//
// The protocol's test vectors, read as another language reads them: proto/vectors/NAME.msgpack,
// decoded by @msgpack/msgpack, must equal proto/vectors/NAME.json. JSON has no bytes and no NaN,
// so there {"$bin": "hex"} stands for a msgpack bin and {"$float": "nan"} for a NaN. The folder
// bad/ holds malformed messages and is not for this test.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import test from 'node:test';
import { decode } from '@msgpack/msgpack';

const FOLDER = new URL('../../proto/vectors/', import.meta.url);
const FEWEST = 10;

// What stands for a value that JSON cannot write: the text after the mark to that value.
const STANDS_FOR = {
    $bin(hex) {
        assert.match(hex, /^([0-9a-f]{2})*$/, '$bin is pairs of lower-case hex digits');
        return Uint8Array.from(Buffer.from(hex, 'hex'));
    },
    $float(text) {
        assert.equal(text, 'nan', '$float is nan or a plain number');
        return NaN;
    },
};

/** A reviver for JSON.parse. */
function meant(_, value) {
    const keys = value !== null && typeof value === 'object' ? Object.keys(value) : [];
    const mark = keys.find((key) => key.startsWith('$'));
    if (mark === undefined) return value;
    assert.ok(keys.length === 1 && Object.hasOwn(STANDS_FOR, mark), `${JSON.stringify(value)} stands for nothing known`);
    return STANDS_FOR[mark](value[mark]);
}

/** The names of the vectors that have a file of this extension. */
function named(extension) {
    try {
        return readdirSync(FOLDER).filter((file) => file.endsWith(extension))
            .map((file) => file.slice(0, -extension.length)).sort();
    } catch (error) {
        if (error.code === 'ENOENT') return [];
        throw error;
    }
}

const names = named('.json');

test('vectors_are_there', () => {
    assert.ok(names.length >= FEWEST, `${names.length} vectors in proto/vectors, at least ${FEWEST} are expected`);
    assert.deepEqual(named('.msgpack'), names, 'each NAME.json has its NAME.msgpack and each NAME.msgpack its NAME.json');
});

for (const name of names) {
    test(`vector_${name}`, () => {
        const expected = JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8'), meant);
        // A Uint8Array of its own: of a Buffer, decode gives Buffers, which equal no Uint8Array.
        const decoded = decode(Uint8Array.from(readFileSync(new URL(`${name}.msgpack`, FOLDER))));
        assert.deepEqual(decoded, expected);
    });
}
