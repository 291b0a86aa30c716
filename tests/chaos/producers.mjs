// SPDX-License-Identifier: MIT
//
// Those who use the queue: they send, cancel and look, each in its own order, through the proxy. What
// was asked, what Redis said, and that it said nothing all goes into the history. Only what is a
// reply counts as an answer: "connection closed" leaves open whether Redis has done it.

import { decode } from '../interop/packages.mjs';
import { Client, packed } from '../interop/client.mjs';
import { pause } from '../interop/servers.mjs';
import { digest } from './history.mjs';

const TRIES = 12;
const REST_MS = 250;
const WAIT_MS = 300; // for a replica
const RUN_MS = 60_000;

const OPTIONS = { maxRetriesPerRequest: 0, enableOfflineQueue: false, autoResendUnfulfilledCommands: false,
                  commandTimeout: 1500, connectTimeout: 1000, retryStrategy: () => 50, lazyConnect: false };

const wasNeverSent = (error) => error.message.startsWith("Stream isn't writeable");

export class Producer {
    /** shared, by all: {wantsReplica: whether to WAIT for one, sessions: place -> id, nameless: how many jobs}. */
    constructor(url, history, shared) {
        Object.assign(this, { history, shared, client: new Client(url, 'main', OPTIONS) });
        this.client.redis.on('error', () => {}); // what it meant for a request, the request is told
        this.client.blocking.on('error', () => {});
    }

    /** Asks and writes down what came of it: 'answer', 'refused' or 'unknown'. */
    async #ask(n, question) {
        try {
            const answer = { ...await question(), at: this.history.now() };
            if (this.shared.wantsReplica) {
                answer.replicas = await this.client.redis.wait(1, WAIT_MS).catch(() => 0);
            }
            this.history.add('answer', { n, ...answer });
            return 'answer';
        } catch (error) {
            const isNo = error.name === 'ReplyError' || wasNeverSent(error);
            this.history.add(isNo ? 'refused' : 'unknown', { n, why: error.message });
            if (!isNo && error.message === 'Command timed out') this.client.redis.disconnect(true);
            return isNo ? 'refused' : 'unknown';
        }
    }

    async #sendOnce({ via, lane, id, job, torn, code, kind }) {
        const n = this.history.ask('send', { via, lane, id, job, torn, code, kind });
        const bytes = torn ? Buffer.from(torn, 'hex') : packed(job);
        return this.#ask(n, async () => {
            if (via === 'xadd') return { state: 'queued', ref: lane[0] + await this.client.add(bytes, lane) };
            const keys = id === null ? [] : [`result:${id}`];
            const [state, ref] = await this.client.call('enqueue', keys, lane, id ?? '', bytes);
            return { state: String(state), ref: String(ref) };
        });
    }

    /** The job of an order, complete; null as long as it cannot be said. */
    async #complete(order) {
        if (!order.job) return order;
        // By its trace context the result of a job without an id is known again.
        const job = { ...order.job, ...(order.id === null ? { traceparent: `t${this.shared.nameless++}` } : { id: order.id }) };
        if (order.session !== undefined) {
            job.session = this.shared.sessions[order.session];
            if (job.session === undefined) return null;
        }
        if (order.expect) {
            const tick = await this.client.redis.hget(this.client.key(`session:${job.session}`), 'tick').catch(() => null);
            if (tick !== null) job.expect_tick = Number(tick);
        }
        return { ...order, job };
    }

    /** What was refused is sent again; what is unknown too, if it has an id and the plan says so. */
    async send(wanted) {
        const order = await this.#complete(wanted);
        if (order === null) return;
        for (let left = TRIES; left > 0; left--) {
            const came = await this.#sendOnce(order);
            if (came === 'answer' || (came === 'unknown' && !(order.retry && order.id !== null))) return;
            await pause(REST_MS);
        }
    }

    async cancel({ id }) {
        const n = this.history.ask('cancel', { id });
        await this.#ask(n, async () => ({ state: await this.client.cancel(id) }));
    }

    async look({ id }) {
        const bytes = await this.client.resultBytes(id).catch(() => null);
        if (bytes !== null) this.history.add('seen', { id, digest: digest(bytes) });
    }

    /** Its actions, each at its time or as soon as it can. */
    async act(actions) {
        for (const action of actions) {
            const early = action.at - this.history.now();
            if (early > 0) await pause(early);
            await this[action.what](action);
        }
    }

    /** Sends and waits for the result. */
    async run(order) {
        await this.send(order);
        for (const last = Date.now() + RUN_MS; Date.now() < last; await pause(20)) {
            const bytes = await this.client.resultBytes(order.id).catch(() => null);
            if (bytes !== null) return decode(bytes);
        }
        throw new Error(`job ${order.id} has no result after ${RUN_MS} ms`);
    }

    close() {
        this.client.close();
    }
}
