// SPDX-License-Identifier: MIT
//
// A private Redis, a worker, the front and a browser for one test file. Every page that is opened is watched: what
// it asks of another origin, what its console says, and what its Content-Security-Policy forbade.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { Client } from '../interop/client.mjs';
import { end, freePort, startReady, startServers } from '../interop/servers.mjs';

const FRONT = process.env.SUSURRATION_FRONT
    || fileURLToPath(new URL('../../build/release/front/susurration-front', import.meta.url));
const CHROMIUM = process.env.SUSURRATION_CHROMIUM || '/usr/bin/chromium';
const WIDE = { width: 1280, height: 860 };
const LONGEST_MS = 20_000;

export const TOKEN = 'only-for-these-tests';

async function startFront(folder, url) {
    const token = join(folder, 'token');
    writeFileSync(token, `${TOKEN}\n`, { mode: 0o600 });
    const origin = `http://127.0.0.1:${await freePort()}`;
    const args = ['--redis', url, '--listen', new URL(origin).host, '--operator-token-file', token];
    const isReady = async () => (await fetch(`${origin}/healthz`)).ok || undefined;
    return { origin, child: await startReady(FRONT, args, folder, url, isReady) };
}

/** As root there is no sandbox for a browser to start in. */
const startBrowser = () => chromium.launch({
    executablePath: CHROMIUM, args: process.getuid() === 0 ? ['--no-sandbox'] : [],
});

/** What must not happen on a page. `expected`: patterns of console errors that the test provokes. */
function watch(page, origin, expected) {
    const wrong = [];
    page.on('request', (request) => {
        const to = new URL(request.url());
        if (to.origin !== origin && to.protocol !== 'data:') wrong.push(`request to ${to.href}`);
    });
    page.on('console', (message) => {
        const text = `${message.text()} ${message.location().url}`;
        if (['error', 'warning'].includes(message.type()) && !expected.some((one) => one.test(text))) wrong.push(text);
    });
    page.on('pageerror', (error) => wrong.push(error.stack));
    page.on('dialog', (dialog) => { wrong.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
    return wrong;
}

export async function startSite() {
    const folder = mkdtempSync(join(tmpdir(), 'susurration-web-'));
    const servers = await startServers();
    const { origin, child } = await startFront(folder, servers.url);
    const browser = await startBrowser();
    const client = new Client(servers.url);

    return {
        origin,
        client,

        /** Opens a page, gives it to the test, and looks afterwards whether all went well there. */
        async visit(path, test, { expected = [], before = null, ...options } = {}) {
            const context = await browser.newContext({ viewport: WIDE, ...options });
            const page = await context.newPage();
            page.setDefaultTimeout(LONGEST_MS);
            const wrong = watch(page, origin, expected);
            try {
                await before?.(page);
                await page.goto(origin + path);
                await test(page);
                assert.deepEqual(wrong, []);
            } finally {
                await context.close();
            }
        },

        async call(method, path, body, headers = {}) {
            const response = await fetch(origin + path, {
                method, body: body && JSON.stringify(body), headers: { 'Content-Type': 'application/json', ...headers },
            });
            return response.json();
        },

        async stop() {
            await browser.close();
            client.close();
            const how = await end(child);
            const worker = await servers.stop();
            rmSync(folder, { recursive: true, force: true });
            assert.deepEqual([how, worker], ['exit 0', 'exit 0'], child.log + servers.log());
        },
    };
}

/** Asks until the answer is true. */
export async function until(what, ask) {
    for (const last = Date.now() + LONGEST_MS; Date.now() < last;) {
        if (await ask()) return;
        await new Promise((done) => setTimeout(done, 50));
    }
    assert.fail(`never: ${what}`);
}

export const number = async (page, selector) => Number((await page.textContent(selector)).replaceAll(',', ''));

/** A claim that runs for seconds: the densest flock, as long as may be. */
export const LONG = {
    seed: 1, at_tick: 20000, params: { birds: 400, weights: { cohesion: 1, alignment: 1, separation: 0.000001 } },
};
