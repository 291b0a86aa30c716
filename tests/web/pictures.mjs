// SPDX-License-Identifier: MIT
//
// node tests/web/pictures.mjs: takes the pictures of the README, of a queue that is really at work. They look best
// where the fonts Inter and JetBrains Mono are installed.

import { mkdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { TOKEN, number, startSite, until } from './site.mjs';

const FOLDER = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const MOST_BYTES = 300_000;
const WORK_MS = 60_000;

const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const site = await startSite();
mkdirSync(FOLDER, { recursive: true });

async function take(page, name) {
    const path = `${FOLDER}${name}.png`;
    await page.screenshot({ path });
    if (statSync(path).size > MOST_BYTES) throw new Error(`${path} has more than ${MOST_BYTES} bytes`);
}

async function exhibit(page) {
    await page.fill('#new [name=seed]', '37');
    await page.fill('#new [name=birds]', '250');
    await page.click('#new button');
    await page.waitForSelector('#seed-now:text-is("37")');
    for (const [ticks, name, value] of [[100, 'cohesion', 0.9], [100, 'separation', 0.3], [10, 'alignment', 0.6]]) {
        await page.click(`[data-step="${ticks}"]`);
        await page.fill(`#${name}`, String(value));
        await page.press(`#${name}`, 'Enter');
        await page.waitForSelector(`#changes :text("${name} ${value}")`);
    }
    await page.click('[data-step="100"]');
    await page.waitForSelector('.chart .at:text("tick 310")');
    await page.click('#play');
    await until('it has played a while', async () => await number(page, '#tick') > 400);
    await page.click('#play');
    while (await number(page, '#tick') < 500) {
        const before = await number(page, '#tick');
        await page.click(before <= 490 ? '[data-step="10"]' : '[data-step="1"]');
        await until('a step', async () => await number(page, '#tick') > before);
    }
    await page.evaluate(() => document.activeElement.blur());
    await pause(1000);
    await take(page, 'exhibit');
}

/** Visitors who step their sessions, now more of them and now fewer, and a sweep now and then, until `isOver`. */
async function work(isOver) {
    const visit = async () => {
        const { id } = await site.call('POST', '/api/sessions', { params: { birds: 200 } });
        for (let i = 0; i < 20; i++) await site.call('POST', `/api/sessions/${id}/step`, { ticks: 100 + 20 * i });
    };
    const sweep = (i) => ({ v: 1, kind: 'sweep', seeds: { first: 100 * i, count: 100 }, ticks: 500 });
    for (let i = 0; !isOver(); i++) {
        if (i % 4 === 0) await site.client.enqueue([sweep(i)], 'batch');
        await Promise.all(Array.from({ length: 3 + Math.round(2 * Math.sin(Date.now() / 7000)) }, visit));
    }
}

/** Two jobs that are taken out of the queue. */
async function bury() {
    const { client } = site;
    await client.redis.hset(client.key('config'), 'paused', 1);
    for (const id of ['claim-7f3a', 'claim-80c1']) {
        const [{ ref }] = await client.enqueue([{ v: 1, id, kind: 'verify', seed: 42, at_tick: 500 }]);
        await until('it waits', async () => (await client.find(id)).state === 'waiting');
        await client.call('bury', [`result:${id}`], ref, 'taken out by hand', '', 0);
    }
    await client.redis.hdel(client.key('config'), 'paused');
}

async function operators(page) {
    await page.fill('#token [name=token]', TOKEN);
    await page.click('#token button');
    await bury();
    let isOver = false;
    const working = work(() => isOver);
    await pause(WORK_MS);
    await site.client.enqueue([{ v: 1, id: 'sweep-4711', kind: 'sweep', seeds: { first: 0, count: 2000 }, ticks: 1000 }], 'batch');
    await page.waitForSelector('#running tr:has-text("sweep-4711")');
    await pause(3000);
    const height = await page.$eval('#dead-table', (table) => table.getBoundingClientRect().bottom + scrollY + 48);
    await page.setViewportSize({ width: 1280, height: Math.ceil(height) });
    await page.evaluate(() => scrollTo(0, 0));
    await pause(500);
    await take(page, 'operators');
    isOver = true;
    await working;
}

await site.visit('/', exhibit, { viewport: { width: 1280, height: 1110 } });
await site.visit('/operators', operators, { colorScheme: 'dark' });
await site.stop();
