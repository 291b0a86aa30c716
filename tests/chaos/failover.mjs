// SPDX-License-Identifier: MIT
//
// failover.mjs [--rounds N]: how many acknowledged jobs are gone when a Redis is killed in the midst of
// producers, and another one, or the same one again, takes over. The figures of docs/reliability.md.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from '../interop/client.mjs';
import { pause } from '../interop/servers.mjs';
import { RedisNode } from './fleet.mjs';
import { Route } from './proxy.mjs';

const PRODUCERS = 16;
const LAG_MS = 20; // of the replica behind the primary: another machine, not the next port
const BUSY_MS = 400;
const LIBRARY = readFileSync(new URL('../../proto/functions.lua', import.meta.url), 'utf8');

const MODES = [
    { name: 'failover', replica: true },
    { name: 'failover, min-replicas-to-write 1', replica: true, least: 1 },
    { name: 'failover, WAIT 1', replica: true, wait: true },
    { name: 'FAILOVER TO the replica', replica: true, planned: true },
    { name: 'restart, no append-only file', fsync: null },
    { name: 'restart, appendfsync everysec', fsync: 'everysec' },
    { name: 'restart, appendfsync always', fsync: 'always' },
];

/** Sends until Redis is gone. What counts as accepted goes into `accepted`. */
async function produce(url, mode, accepted) {
    const client = new Client(url, 'main', { maxRetriesPerRequest: 0, enableOfflineQueue: false, retryStrategy: null, lazyConnect: true });
    client.redis.on('error', () => {});
    await client.redis.connect();
    try {
        for (;;) {
            const entry = await client.add({ v: 1, kind: 'verify', seed: 1, at_tick: 1 });
            if (!mode.wait || await client.redis.wait(1, 500) >= 1) accepted.push(entry);
        }
    } catch {
        client.close(); // gone, or read-only
    }
}

async function round(folder, mode) {
    const log = () => {};
    const options = mode.fsync === null ? ['--appendonly', 'no'] : ['--appendfsync', mode.fsync ?? 'always'];
    const first = await RedisNode.create(join(folder, 'first'), log);
    await first.start(...options);
    await first.ask((redis) => redis.function('LOAD', LIBRARY));
    let next = first;
    const route = new Route('replication', () => first.port);
    await route.opened;
    route.delayMs = LAG_MS;
    if (mode.replica) {
        next = await RedisNode.create(join(folder, 'next'), log);
        await next.start('--replicaof', '127.0.0.1', mode.planned ? first.port : new URL(route.url).port);
        while ((await next.info('replication')).master_link_status !== 'up') await pause(10);
        if (mode.least) await first.ask((redis) => redis.config('SET', 'min-replicas-to-write', mode.least));
    }
    const accepted = [];
    const producing = Array.from({ length: PRODUCERS }, () => produce(first.url, mode, accepted));
    await pause(BUSY_MS);
    if (mode.planned) {
        await first.ask((redis) => redis.call('FAILOVER', 'TO', '127.0.0.1', next.port));
        while ((await next.info('replication')).role !== 'master') await pause(5);
    }
    await first.kill();
    await Promise.all(producing);
    route.close();
    if (next === first) await first.start(...options);
    else await next.ask((redis) => redis.replicaof('NO', 'ONE'));
    const kept = await next.ask((redis) => redis.xrange('flock:{main}:jobs:interactive', '-', '+'));
    await next.kill();
    const there = new Set(kept.map(([id]) => id));
    return { accepted: accepted.length, lost: accepted.filter((id) => !there.has(id)).length };
}

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '10' } } });
for (const mode of MODES) {
    const sum = { accepted: 0, lost: 0, most: 0 };
    for (let i = 0; i < Number(values.rounds); i++) {
        const folder = mkdtempSync(join(tmpdir(), 'susurration-failover-'));
        const { accepted, lost } = await round(folder, mode);
        rmSync(folder, { recursive: true, force: true });
        sum.accepted += accepted;
        sum.lost += lost;
        sum.most = Math.max(sum.most, lost);
    }
    console.log(`${mode.name}: ${sum.accepted} accepted, ${sum.lost} lost, at most ${sum.most} in one of ${values.rounds}`);
}
