// SPDX-License-Identifier: MIT
//
// What a front-end carries: reads of a session and of its timeline, and 200 clients that step sessions of their own, beside
// the bare "hello" of the library that it is built on. A private Redis, one worker; wrk on the same machine.
//
//   cmake --build --preset release --target bench_hello && node bench/front.mjs [SECONDS]

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { end, freePort, pause, startReady, startServers } from '../tests/interop/servers.mjs';

const built = (path) => fileURLToPath(new URL(`../build/release/${path}`, import.meta.url));
const seconds = Number(process.argv[2] ?? 5);
const BIRDS = 120; // as the specification has it by default
const CLIENTS = 200;

const folder = mkdtempSync(join(tmpdir(), 'susurration-bench-'));
const servers = await startServers();
const port = await freePort();
const origin = `http://127.0.0.1:${port}`;
const front = await startReady(built('front/susurration-front'),
                               ['--redis', servers.url, '--listen', `127.0.0.1:${port}`, '--log-level', 'warning'], folder, servers.url,
                               async () => (await fetch(`${origin}/healthz`)).ok || undefined);
const helloPort = await freePort();
const hello = spawn(built('bench/bench_hello'), [helloPort], { stdio: ['pipe', 'inherit', 'inherit'] });
await pause(300);

const memory = async () => Number(/^process_resident_memory_bytes (.*)$/m.exec(await (await fetch(`${origin}/metrics`)).text())[1]) / 2 ** 20;

async function call(method, path, body) {
    const response = await fetch(origin + path, {
        method, headers: { 'Content-Type': 'application/json' }, body: body && JSON.stringify(body),
    });
    return response.json();
}

/** wrk's figures; a script may say what is asked for. */
function load(url, connections, script) {
    const args = ['-t2', `-c${connections}`, `-d${seconds}s`, '--latency'];
    if (script) {
        writeFileSync(join(folder, 'load.lua'), script);
        args.push('-s', join(folder, 'load.lua'));
    }
    const text = execFileSync('wrk', [...args, url], { encoding: 'utf8' });
    if (process.env.SHOW) console.log(text);
    const [, value, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(text);
    return {
        rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)[1]),
        p99: Number(value) * { us: 0.001, ms: 1, s: 1000 }[unit],
        bad: /Non-2xx[^:]*: (\d+)/.exec(text)?.[1] ?? '0',
    };
}

console.log('| what | requests/s | p99, ms | times hello | not 2xx | memory, MiB |\n|---|---|---|---|---|---|');
let base;
async function row(what, url, connections, script) {
    const { rate, p99, bad } = load(url, connections, script);
    base ??= rate;
    console.log(`| ${what} | ${rate.toFixed(0)} | ${p99.toFixed(1)} | ${(rate / base).toFixed(2)} | ${bad} | ${(await memory()).toFixed(1)} |`);
}

const ids = await Promise.all(Array.from({ length: CLIENTS }, async (_, seed) =>
    (await call('POST', '/api/sessions', { seed, params: { birds: BIRDS } })).id));
for (let i = 0; i < 5; i++) await call('POST', `/api/sessions/${ids[0]}/step`, { ticks: 1000 });

await row('hello, libmicrohttpd alone', `http://127.0.0.1:${helloPort}/`, 50);
await row('a page', `${origin}/`, 50);
await row(`a session of ${BIRDS} birds`, `${origin}/api/sessions/${ids[0]}`, 50);
await row('its timeline, the last 100 ticks', `${origin}/api/sessions/${ids[0]}/timeline?from=4901&to=5000`, 50);
await row('its timeline, all 5,000 ticks', `${origin}/api/sessions/${ids[0]}/timeline`, 50);
await row(`${CLIENTS} clients that step their sessions by 1`, origin, CLIENTS, `
local ids, half, threads = {${ids.map((id) => `"${id}"`).join(',')}}, ${CLIENTS / 2}, 0
function setup(thread) thread:set("first", threads * half); threads = threads + 1 end
function init() at = 0 end
function request()
    at = at % half + 1
    return wrk.format("POST", "/api/sessions/" .. ids[first + at] .. "/step", {["Content-Type"] = "application/json"}, '{"ticks":1}')
end`);

hello.stdin.end();
await end(front);
await servers.stop();
rmSync(folder, { recursive: true, force: true });
