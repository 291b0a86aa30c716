// SPDX-License-Identifier: MIT
//
// A real front-end for one test file, with a Redis and a worker of its own that the tests may stop and start.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Redis } from '../interop/packages.mjs';
import { end, freePort, pause, startReady, startRedis, startWorker, workersRest } from '../interop/servers.mjs';
import { Document } from './document.mjs';

export const FRONT = process.env.SUSURRATION_FRONT
    || fileURLToPath(new URL('../../build/release/front/susurration-front', import.meta.url));
const LONGEST_MS = 30_000;
const QUEUE = 'main';

export const TOKEN = 'only-for-these-tests';
export const operator = { Authorization: `Bearer ${TOKEN}` };

/** Asks until the answer is true. */
export async function until(what, ask) {
    for (const last = Date.now() + LONGEST_MS; Date.now() < last;) {
        if (await ask()) return;
        await pause(20);
    }
    assert.fail(`never: ${what}`);
}

/** What stands behind the name of a number in /metrics. */
export const gauge = (text, name) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);

export class Front {
    static async start({ wait = 10, token = true, options = [] } = {}) {
        const front = new Front();
        front.folder = mkdtempSync(join(tmpdir(), 'susurration-front-'));
        front.document = new Document();
        front.redis = await startRedis(front.folder);
        front.worker = await startWorker(front.folder, front.redis.url, QUEUE, 1);
        front.client = new Redis(front.redis.url, { maxRetriesPerRequest: null });
        front.client.on('error', () => {}); // it is killed now and then
        if (token) {
            const file = join(front.folder, 'token');
            writeFileSync(file, `${TOKEN}\n`, { mode: 0o600 });
            options.push('--operator-token-file', file);
        }
        front.child = await front.startChild(['--wait', wait, ...options]);
        await until('workers', async () => gauge(await front.metrics(), 'susurration_front_workers_alive') > 0);
        return front;
    }

    async startChild(options) {
        this.port = await freePort();
        this.origin = `http://127.0.0.1:${this.port}`;
        const isReady = async () => (await fetch(`${this.origin}/healthz`)).ok || undefined;
        return startReady(FRONT, ['--redis', this.redis.url, '--listen', `127.0.0.1:${this.port}`, ...options],
                          this.folder, this.redis.url, isReady);
    }

    /** A request, and its answer, which must be one that the document describes. */
    async call(method, path, body, headers = {}) {
        const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
        const response = await fetch(this.origin + path, {
            method, headers: { ...type, ...headers },
            body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
        });
        const text = await response.text();
        const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
        const answer = { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
        this.document.check(method, path, answer);
        assert.ok(answer.headers.get('x-request-id'));
        return answer;
    }

    /** The same, of which the status is known. */
    async expect(status, method, path, body, headers) {
        const answer = await this.call(method, path, body, headers);
        assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
        return answer;
    }

    async metrics() {
        return (await fetch(`${this.origin}/metrics`)).text();
    }

    key(name) {
        return `flock:{${QUEUE}}:${name}`;
    }

    async pause() {
        await this.client.hset(this.key('config'), 'paused', '1');
        await workersRest(this.client);
    }

    async resume() { await this.client.hdel(this.key('config'), 'paused'); }

    async killRedis() {
        this.redis.child.kill('SIGKILL');
        await until('Redis is gone', () => this.redis.child.ended !== null);
    }

    /** Empty, at the same address. */
    async startRedisAgain() {
        this.redis = await startRedis(this.folder, this.redis.port);
    }

    async stop() {
        const how = await end(this.child);
        const worker = await end(this.worker);
        this.client.disconnect();
        await end(this.redis.child);
        rmSync(this.folder, { recursive: true, force: true });
        assert.deepEqual([how, worker], ['exit 0', 'exit 0'], this.child.log);
        assert.ok(!/runtime error|Sanitizer/.test(this.child.log), this.child.log);
    }
}

/** A claim that runs for seconds: the densest flock, as long as may be. */
export const LONG = {
    seed: 1, at_tick: 20000, params: { birds: 400, weights: { cohesion: 1, alignment: 1, separation: 0.000001 } },
};

/** The id at the end of Location. */
export const made = ({ headers }) => headers.get('location').split('/').at(-1);
