// SPDX-License-Identifier: MIT
//
// A client of the job queue, written from proto/PROTOCOL.md alone: it is the proof that the page
// suffices. Section names in the comments are that page's.

import { decode, encode } from '@msgpack/msgpack';
import Redis from 'ioredis';

export const RING_SLOTS = 5000;
const SLOT_BYTES = 24;
const LIBRARY = 'susurration_v1';

// Redis, Functions: the keys of every call but version, in this order.
const KEYS = ['jobs:interactive', 'jobs:batch', 'ids', 'running', 'cancelled', 'workers', 'dead', 'stats',
              'config', 'traces'];

const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const text = (bytes) => (bytes === null ? null : bytes.toString());

/** A job as bytes; what is bytes already stays as it is, so that bad jobs can be sent too. */
export const packed = (job) => (Buffer.isBuffer(job) ? job : Buffer.from(encode(job, { ignoreUndefined: true })));

/** The metrics in slot `index` of `bytes` if they are those of the tick, else null. */
function slot(bytes, index, tick) {
    const at = index * SLOT_BYTES;
    if (at + SLOT_BYTES > bytes.length) return null;
    const clusters = bytes.readUInt32LE(at + 16);
    if (clusters === 0 || bytes.readUInt32LE(at + 20) !== tick) return null;
    const distance = bytes.readDoubleLE(at + 8);
    return {
        polarization: bytes.readDoubleLE(at),
        cluster_count: clusters,
        mean_neighbor_distance: Number.isNaN(distance) ? null : distance,
    };
}

export class Client {
    /** Connects on first use. close() ends both connections: the second one is for what blocks. options: of ioredis. */
    constructor(url, queue = 'main', options = {}) {
        this.redis = new Redis(url, { lazyConnect: true, ...options });
        this.blocking = new Redis(url, { lazyConnect: true, ...options });
        this.queue = queue;
    }

    close() {
        this.redis.disconnect();
        this.blocking.disconnect();
    }

    key(name) {
        return `flock:{${this.queue}}:${name}`;
    }

    /** Plain XADD. The id of the entry, which is the job's if it brings none. */
    async add(job, lane = 'interactive') {
        return this.redis.xadd(this.key(`jobs:${lane}`), '*', 'job', packed(job));
    }

    /** Adds the job and waits for its result. */
    async run(job, lane = 'interactive') {
        const entry = await this.add(job, lane);
        return this.wait(job.id ?? entry);
    }

    /** The bytes of the result of a job, null as long as there is none. */
    async resultBytes(id) {
        return this.redis.getBuffer(this.key(`result:${id}`));
    }

    async wait(id, timeoutMs = 30_000) {
        for (const end = Date.now() + timeoutMs; ;) {
            const bytes = await this.resultBytes(id);
            if (bytes !== null) return decode(bytes);
            if (Date.now() >= end) throw new Error(`job ${id} has no result after ${timeoutMs} ms`);
            await pause(5);
        }
    }

    /** The bytes of the next result in the list of a reply_to, null when none comes in time. */
    async answer(name, seconds = 30) {
        const popped = await this.blocking.blpopBuffer(this.key(`reply:${name}`), seconds);
        return popped && popped[1];
    }

    /** The function's reply, its texts as Buffers. names: of the further keys, without the prefix. */
    async call(name, names, ...args) {
        const keys = [...KEYS, ...names].map((key) => this.key(key));
        return this.redis.callBuffer('FCALL', `${LIBRARY}_${name}`, keys.length, ...keys, ...args);
    }

    /** The version of the functions; throws where they are not loaded. */
    async version() {
        return this.redis.call('FCALL', `${LIBRARY}_version`, 0);
    }

    /** All of the jobs or none: [{state, ref}]. Throws what begins with QUEUEFULL or JOBTOOBIG. */
    async enqueue(jobs, lane = 'interactive') {
        const names = jobs.filter(({ id }) => id).map(({ id }) => `result:${id}`);
        const reply = await this.call('enqueue', names, lane, ...jobs.flatMap((job) => [job.id ?? '', packed(job)]));
        return jobs.map((_, i) => ({ state: text(reply[2 * i]), ref: text(reply[2 * i + 1]) }));
    }

    async cancel(idOrRef) {
        return text(await this.call('cancel', [`result:${idOrRef}`], idOrRef));
    }

    async find(idOrRef) {
        const [state, ref, said] = await this.call('find', [`result:${idOrRef}`], idOrRef);
        return { state: text(state), ref: text(ref), said: said && decode(said) };
    }

    async touch(id) {
        return this.call('touch', [`session:${id}`, `ring:${id}`]);
    }

    /** The session as it is now, null if there is none. Reading renews its life. */
    async session(id) {
        const body = await this.redis.hgetBuffer(this.key(`session:${id}`), 'body');
        await this.touch(id);
        return body && decode(body);
    }

    async trace(id) {
        const body = await this.redis.getBuffer(this.key(`trace:${id}`));
        return body && decode(body);
    }

    /** The ids of the stored traces, newest first. */
    async traces(count) {
        return this.redis.zrevrange(this.key('traces'), 0, count - 1);
    }

    /** The metrics of ticks from..to (inclusive, at most 5000) of a session or trace; null for those not there. */
    async readRing(id, from, to) {
        if (!(from <= to && to - from < RING_SLOTS)) throw new RangeError(`ring: cannot read ticks ${from} to ${to}`);
        const first = from % RING_SLOTS;
        const last = to % RING_SLOTS;
        const read = (a, b) =>
            this.redis.getrangeBuffer(this.key(`ring:${id}`), a * SLOT_BYTES, b * SLOT_BYTES + SLOT_BYTES - 1);
        const runs = await Promise.all(
            first <= last ? [read(first, last)] : [read(first, RING_SLOTS - 1), read(0, last)]);
        return Array.from({ length: to - from + 1 }, (_, i) => {
            const index = first + i;
            return index < RING_SLOTS ? slot(runs[0], i, from + i) : slot(runs[1], index - RING_SLOTS, from + i);
        });
    }
}
