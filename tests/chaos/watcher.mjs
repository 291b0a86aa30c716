// SPDX-License-Identifier: MIT
//
// Somebody who only watches: who holds which entry (as often as it can look), and whether the machine
// was too slow for anybody to renew a lease. What it does not see has happened all the same.

import { Redis } from '../interop/packages.mjs';
import { pause } from '../interop/servers.mjs';

const LOOK_EVERY_MS = 50;
const LATE_MS = 400;
const MOST_ENTRIES = 5000;

export class Watcher {
    constructor(fleet, history) {
        Object.assign(this, { fleet, history, held: new Map(), port: 0, redis: null, isOver: false });
    }

    #connection() {
        const { port, url } = this.fleet.primary;
        if (port !== this.port) {
            this.redis?.disconnect();
            this.redis = new Redis(url, { retryStrategy: () => 50, maxRetriesPerRequest: 0, commandTimeout: 1000 });
            this.redis.on('error', () => {});
            this.port = port;
        }
        return this.redis;
    }

    async #look() {
        const redis = this.#connection();
        const seen = new Map();
        for (const lane of ['interactive', 'batch']) {
            const rows = await redis.xpending(`flock:{main}:jobs:${lane}`, 'workers', '-', '+', MOST_ENTRIES);
            for (const [entry, consumer, , count] of rows) seen.set(lane[0] + entry, `${consumer} ${count}`);
        }
        for (const [ref, what] of seen) {
            if (this.held.get(ref) === what) continue;
            const [consumer, count] = what.split(' ');
            this.history.add('held', { ref, consumer, count: Number(count) });
        }
        this.held = seen;
    }

    async watch() {
        while (!this.isOver) {
            const before = performance.now();
            await this.#look().catch(() => {}); // Redis is away; the faults tell
            const took = performance.now() - before;
            await pause(LOOK_EVERY_MS);
            const late = performance.now() - before - took - LOOK_EVERY_MS;
            if (took > LATE_MS || late > LATE_MS) this.history.add('stall', { ms: Math.round(took + late) });
        }
        this.redis?.disconnect();
    }
}
