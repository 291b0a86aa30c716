// SPDX-License-Identifier: MIT
//
// The OpenAPI document as a judge: whether an answer is one that it describes, and which of those it describes have
// been seen.

import Ajv2020 from 'ajv/dist/2020.js';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const FILE = new URL('../../front/openapi.json', import.meta.url);
const ELSEWHERE = new Set([405, 413, 431, 500]); // what no route lists: the default of all

export class Document {
    #ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
    #seen = new Set();

    constructor() {
        this.doc = JSON.parse(readFileSync(FILE, 'utf8'));
        this.#ajv.addSchema(this.doc, 'doc');
    }

    /** [method, path, operation] of all. */
    operations() {
        return Object.entries(this.doc.paths).flatMap(([path, methods]) =>
            Object.entries(methods).map(([method, operation]) => [method.toUpperCase(), path, operation]));
    }

    #find(method, url) {
        const path = url.split('?')[0];
        return this.operations().find(([known, pattern]) => known === (method === 'HEAD' ? 'GET' : method)
            && new RegExp(`^${pattern.replace('{id}', '[A-Za-z0-9._-]{1,64}')}$`).test(path));
    }

    #follow(node) {
        return node?.$ref ? node.$ref.split('/').slice(1).reduce((at, key) => at[key], this.doc) : node;
    }

    #pointer(found, status) {
        const own = found[2].responses[status];
        const place = own?.$ref ?? `#/paths/${found[1].replaceAll('/', '~1')}/${found[0].toLowerCase()}/responses/${status}`;
        return `doc${place}/content`;
    }

    /** Fails where the document does not describe this answer. */
    check(method, url, { status, headers, json }) {
        const found = this.#find(method, url);
        if (!found) return;
        const what = `${method} ${found[1]} ${status}`;
        const response = this.#follow(found[2].responses[status]);
        if (!response) {
            assert.ok(ELSEWHERE.has(status), `${what} is not in the document`);
            return;
        }
        if (method !== 'HEAD') this.#seen.add(what);
        for (const name of Object.keys(response.headers ?? {})) assert.ok(headers.get(name), `${what}: no ${name}`);
        const [type] = Object.keys(response.content ?? {});
        if (!type) return;
        assert.equal(headers.get('content-type').split(';')[0], type, what);
        if (json === undefined) return;
        const validate = this.#ajv.getSchema(`${this.#pointer(found, status)}/${type.replace('/', '~1')}/schema`);
        assert.ok(validate(json), `${what}: ${this.#ajv.errorsText(validate.errors)}\n${JSON.stringify(json)}`);
    }

    /** What the document describes and nobody has seen. */
    unseen() {
        return this.operations().flatMap(([method, path, { responses }]) =>
            Object.keys(responses).filter((status) => status !== 'default').map((status) => `${method} ${path} ${status}`))
            .filter((what) => !this.#seen.has(what));
    }
}
