// SPDX-License-Identifier: MIT
//
// The processes of a run: a Redis (for the time of a failover two), workers, a proxy route for each of
// them and one for the producers. What is done to them here is done at once; faults.mjs says when.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from '../interop/packages.mjs';
import { WORKER, end, freePort, pause, start, startReady } from '../interop/servers.mjs';
import { Route } from './proxy.mjs';

const ENGINES = ['scalar', 'scalar', '']; // the last one has the best there is; the bytes must not show it
const PATIENT = { retryStrategy: () => 20, maxRetriesPerRequest: null };
export const HASTY = { retryStrategy: () => 20, maxRetriesPerRequest: 1, commandTimeout: 500 };

/** A redis-server on a port and a folder of its own. What it has accepted is on disk before it says so. */
export class RedisNode {
    constructor(folder, port, log) {
        Object.assign(this, { folder, port, log, url: `redis://127.0.0.1:${port}`, child: null });
    }

    static async create(folder, log) {
        mkdirSync(folder);
        return new RedisNode(folder, await freePort(), log);
    }

    /** Up, with what its append-only file holds. */
    async start(...options) {
        const args = ['--port', this.port, '--bind', '127.0.0.1', '--dir', this.folder, '--save', '', '--appendonly', 'yes',
                      '--appendfsync', 'always', '--repl-diskless-sync-delay', 0, ...options];
        const isUp = async (probe, { pid }) => {
            const info = await probe.info();
            return (info.includes(`process_id:${pid}\r`) && info.includes('loading:0\r')) || undefined;
        };
        this.child = await startReady('redis-server', args, this.folder, this.url, isUp);
    }

    async kill() {
        this.child.kill('SIGKILL');
        while (this.child.ended === null) await pause(2);
        this.log(`redis-${this.port}`, this.child.log);
    }

    async stop() {
        const how = await end(this.child);
        this.log(`redis-${this.port}`, this.child.log);
        return how;
    }

    /** What it answers, on a connection for this question alone. */
    async ask(question, options = PATIENT) {
        const redis = new Redis(this.url, options);
        redis.on('error', () => {});
        try {
            return await question(redis);
        } finally {
            redis.disconnect();
        }
    }

    async info(section = 'default') {
        const text = await this.ask((redis) => redis.info(section));
        return Object.fromEntries(text.split('\r\n').filter((line) => line.includes(':')).map((line) => line.split(/:(.*)/)));
    }
}

export class Fleet {
    constructor(folder, history, plan) {
        Object.assign(this, { folder, history, plan, workers: [], generation: 0, nodes: 0 });
    }

    log(name, text) {
        writeFileSync(join(this.folder, `${name}.log`), text, { flag: 'a' });
    }

    newNode() {
        this.nodes += 1;
        return RedisNode.create(join(this.folder, `data-${this.nodes}`), (name, text) => this.log(name, text));
    }

    async start() {
        this.primary = await this.newNode();
        await this.primary.start();
        await this.primary.ask((redis) => redis.hset('flock:{main}:config', 'result_ttl', this.plan.result_ttl));
        const names = [...Array.from({ length: this.plan.workers }, (_, i) => `w${i}`), 'producers'];
        this.routes = names.map((name) => new Route(name, () => this.primary.port));
        await Promise.all(this.routes.map(({ opened }) => opened));
        for (let i = 0; i < this.plan.workers; i++) this.startWorker(i);
    }

    get producersUrl() {
        return this.routes.at(-1).url;
    }

    /** A fresh process in that place. Its name, and so its consumers', begins with what the history calls it. */
    startWorker(place) {
        this.generation += 1;
        const name = `w${place}g${this.generation}`;
        const isa = ENGINES[place % ENGINES.length];
        const args = ['--redis', this.routes[place].url, '--slots', this.plan.slots, '--lease', this.plan.lease_s,
                      '--drain-timeout', 1, '--admin', 'none', '--name', name, ...(isa ? ['--isa', isa] : [])];
        const worker = { name, place, asked: false, child: start(WORKER, args, '') };
        this.workers[place] = worker;
        this.history.add('up', { worker: name });
        worker.gone = new Promise((done) => {
            worker.child.once('error', (error) => { throw error; }); // there is no such program
            worker.child.once('exit', () => {
                this.log(name, worker.child.log);
                this.history.add('gone', { worker: name, how: worker.child.ended, asked: worker.asked });
                done();
            });
        });
        return worker;
    }

    async killWorker(worker) {
        worker.asked = 'KILL';
        worker.child.kill('SIGKILL');
        await worker.gone;
    }

    /** A replica that has everything, on disk too. */
    async startReplica() {
        const node = await this.newNode();
        await node.start('--replicaof', '127.0.0.1', this.primary.port);
        for (;;) {
            const info = await node.info();
            if (info.master_link_status === 'up' && info.aof_rewrite_in_progress === '0'
                && info.aof_rewrite_scheduled === '0' && info.aof_enabled === '1') return node;
            await pause(20);
        }
    }

    /** The replica has all that the primary had when this was called. */
    async synced(replica) {
        const { master_repl_offset: wanted } = await this.primary.info('replication');
        while (Number((await replica.info('replication')).slave_repl_offset) < Number(wanted)) await pause(5);
    }

    /** From here on it is the one, and every route leads to it. */
    promote(node) {
        this.primary = node;
        for (const route of this.routes) route.drop();
    }

    /** TERM to all; then Redis. */
    async stop() {
        for (const worker of this.workers) {
            worker.asked ||= 'TERM';
            worker.child.kill('SIGCONT');
        }
        await Promise.all(this.workers.map((worker) => end(worker.child)));
        await Promise.all(this.workers.map(({ gone }) => gone));
        for (const route of this.routes ?? []) route.close();
        if (this.primary?.child) await this.primary.stop();
    }
}
