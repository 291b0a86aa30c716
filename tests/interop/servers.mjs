// SPDX-License-Identifier: MIT
//
// A private redis-server and a real worker for one test file, on free ports of the loopback.
// SUSURRATION_WORKER names the worker's binary; by default it is the release build's. Both are ended
// by their process ids, also when a test fails, throws or is killed.

import Redis from 'ioredis';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const WORKER = process.env.SUSURRATION_WORKER
    || fileURLToPath(new URL('../../build/release/worker/susurration-worker', import.meta.url));
const LONGEST_START_MS = 20_000;
const LONGEST_STOP_MS = 20_000;
const TRIES = 3; // a port that was free may be taken before the server is there

// Waits until its standard input ends, which it does with this process, however that ends: Node's own
// exit handlers do not run when it is killed. Then the child goes, and the folder.
const GUARD = 'trap "" INT TERM HUP; read -r line; kill -9 "$1"; rm -rf "$2"';

export const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** After the queue was paused: until no worker waits for what is added, which it would begin before it hears of that. */
export async function workersRest(redis) {
    const isReading = (list) => list.split('\n').some((line) => / flags=\w*b.* cmd=xreadgroup/.test(line));
    do await pause(50);
    while (isReading(await redis.client('LIST')));
}

export async function freePort() {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address();
    server.close();
    await once(server, 'close');
    return port;
}

/** A child with `log` (all that it wrote) and `ended` (null, or how it ended). */
export function start(program, args, folder) {
    const child = spawn(program, args.map(String), { stdio: ['ignore', 'pipe', 'pipe'] });
    child.log = '';
    child.ended = null;
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => { child.log += bytes; });
    child.once('error', (error) => { child.ended ??= String(error); });
    child.once('exit', (code, signal) => { child.ended ??= signal ?? `exit ${code}`; });
    if (child.pid !== undefined) {
        const guard = spawn('/bin/sh', ['-c', GUARD, 'guard', String(child.pid), folder],
                            { stdio: ['pipe', 'ignore', 'ignore'] });
        child.once('exit', () => guard.kill('SIGKILL'));
    }
    return child;
}

/** How the child ended: 'exit 0' when it obeyed and all was well. */
export async function end(child) {
    child.kill('SIGTERM');
    for (const last = Date.now() + LONGEST_STOP_MS; child.ended === null && Date.now() < last;) await pause(10);
    if (child.ended === null) {
        child.kill('SIGKILL');
        return `still running ${LONGEST_STOP_MS} ms after SIGTERM`;
    }
    return child.ended;
}

/** Asks until it gets an answer that is not undefined; throws when the child ends or takes too long. */
async function until(child, what, ask) {
    for (const last = Date.now() + LONGEST_START_MS; ;) {
        const answer = await ask().catch(() => undefined);
        if (answer !== undefined) return answer;
        if (child.ended !== null || Date.now() > last) {
            throw new Error(`${what}: ${child.ended ?? 'not ready'}\n${child.log}`);
        }
        await pause(10);
    }
}

/** Starts a child and asks until it is ready; one that does not get ready is ended. */
export async function startReady(program, args, folder, url, ask) {
    const child = start(program, args, folder);
    const probe = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
    probe.on('error', () => {}); // it is not there yet
    try {
        await until(child, program, () => Promise.race([ask(probe, child), pause(500)]));
    } catch (error) {
        await end(child);
        throw error;
    } finally {
        probe.disconnect();
    }
    return child;
}

/** Without persistence; on a port that was its own before, it is the same server with nothing in it. */
export async function startRedis(folder, before) {
    const port = before ?? await freePort();
    const url = `redis://127.0.0.1:${port}`;
    const args = ['--port', port, '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no'];
    // Another server that has taken the port is not ours, whatever it answers.
    const isOurs = async (probe, { pid }) => (await probe.info('server')).includes(`process_id:${pid}\r`) || undefined;
    return { url, port, child: await startReady('redis-server', args, folder, url, isOurs) };
}

/** Ready when it has loaded the functions. */
export async function startWorker(folder, url, queue, slots) {
    const args = ['--redis', url, '--queue', queue, '--slots', slots, '--lease', 5, '--drain-timeout', 5,
                  '--admin', `127.0.0.1:${await freePort()}`];
    return startReady(WORKER, args, folder, url, (probe) => probe.call('FCALL', 'susurration_v1_version', 0));
}

async function retried(attempt) {
    for (let left = TRIES - 1; ; left--) {
        try {
            return await attempt();
        } catch (error) {
            if (left === 0) throw error;
        }
    }
}

/**
 * Both of them, ready. `url` is Redis's; stop() ends both and gives how the worker ended; log() is
 * what the worker wrote.
 */
export async function startServers({ queue = 'main', slots = 2 } = {}) {
    const folder = mkdtempSync(join(tmpdir(), 'susurration-interop-'));
    const redis = await retried(() => startRedis(folder));
    const stopRedis = async () => {
        await end(redis.child);
        rmSync(folder, { recursive: true, force: true });
    };
    try {
        const worker = await retried(() => startWorker(folder, redis.url, queue, slots));
        return {
            url: redis.url,
            log: () => worker.log,
            async stop() {
                const how = await end(worker);
                await stopRedis();
                return how;
            },
        };
    } catch (error) {
        await stopRedis();
        throw error;
    }
}
