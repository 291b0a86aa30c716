// SPDX-License-Identifier: MIT
//
// The operators' page in a real browser: what it shows, and what it lets an operator do.

import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { workersRest } from '../interop/servers.mjs';
import { LONG, TOKEN, number, startSite, until } from './site.mjs';

let site;
before(async () => { site = await startSite(); });
after(() => site?.stop());

const small = (id) => ({ v: 1, id, kind: 'verify', seed: 7, at_tick: 5, params: { birds: 10 }, store: false });

async function enter(page, token) {
    await page.fill('#token [name=token]', token);
    await page.click('#token button');
}

const enterRight = async (page) => {
    await enter(page, TOKEN);
    await page.waitForSelector('#signed-in:visible');
};

/** Puts jobs into the queue while it is paused, and gives them up. */
async function bury(reason, ...ids) {
    const { client } = site;
    await client.redis.hset(client.key('config'), 'paused', 1);
    await workersRest(client.redis);
    const queued = await client.enqueue(ids.map(small));
    for (const [i, { ref }] of queued.entries()) {
        await until(`${ids[i]} waits`, async () => (await client.find(ids[i])).state === 'waiting');
        assert.equal(String(await client.call('bury', [`result:${ids[i]}`], ref, reason, '', 0)), 'buried');
    }
    await client.redis.hdel(client.key('config'), 'paused');
}

const dead = async () => (await site.call('GET', '/api/dead')).dead.map(({ id }) => id);

test('it_shows_workers_and_lanes', () => site.visit('/operators', async (page) => {
    await page.waitForSelector('#workers .mark:text-is("running")');
    const { workers: [worker] } = await site.call('GET', '/api/workers');
    const row = await page.textContent('#workers tr');
    for (const part of [worker.name, worker.host, `${worker.version} ${worker.isa}`, `of ${worker.slots}`]) {
        assert.ok(row.includes(part), `${part} in ${row}`);
    }
    assert.equal(await number(page, '#sum-workers'), 1);
    assert.deepEqual(await page.$$eval('#lanes td:first-child', (cells) => cells.map((cell) => cell.textContent)),
                     ['interactive', 'batch']);
    await until('there is a history', async () => await page.$$eval('#history canvas', (all) => all.length) === 3);
}));

test('it_only_shows_without_a_token', () => site.visit('/operators', async (page) => {
    await bury('nobody may touch it', 'shown-1', 'shown-2');
    await page.waitForSelector('#dead tr');
    assert.match(await page.textContent('#dead'), /nobody may touch it/);
    for (const text of ['Pause the queue', 'Requeue', 'Purge', 'Requeue all']) {
        assert.equal(await page.isVisible(`button:text-is("${text}")`), false, text);
    }
    await enter(page, 'a wrong one');
    await page.waitForSelector('#token-problem:visible');
    assert.match(await page.textContent('#token-problem'), /not the operator’s token/);
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);
    await enterRight(page);
    assert.ok(await page.isVisible('button:text-is("Pause the queue")'));
    assert.deepEqual(await page.evaluate(() => [localStorage.length, document.cookie]), [0, '']);
    await page.reload();
    await page.waitForSelector('button:text-is("Pause the queue"):visible');
    await page.click('#leave');
    assert.equal(await page.isVisible('button:text-is("Pause the queue")'), false);
}, { expected: [/401 .*\/api\/operator/] }));

test('the_queue_is_paused_and_resumed', () => site.visit('/operators', async (page) => {
    await enterRight(page);
    await page.click('button:text-is("Pause the queue")');
    await page.waitForSelector('#state:text-is("paused")');
    assert.equal((await site.call('GET', '/api/queue')).paused, true);
    await page.click('button:text-is("Resume the queue")');
    await page.waitForSelector('#state:text-is("open")');
    assert.equal((await site.call('GET', '/api/queue')).paused, false);
}));

test('a_running_job_is_shown_and_cancelled', () => site.visit('/operators', async (page) => {
    await page.waitForSelector('#lanes tr');
    const sweep = { v: 1, id: 'long-sweep', kind: 'sweep', seeds: { first: 0, count: 10000 }, ticks: 20000 };
    await site.client.enqueue([sweep], 'batch');
    const row = page.locator('#running tr', { hasText: 'long-sweep' });
    await row.waitFor();
    await until('it has come some way', async () => await row.locator('progress').getAttribute('value') > 0);
    await row.locator('button').click();
    await row.waitFor({ state: 'detached' });
    const { status } = await site.client.wait('long-sweep');
    assert.equal(status, 'cancelled');
}));

test('a_dead_letter_is_requeued', () => site.visit('/operators', async (page) => {
    await bury('<b>its</b> reason', 'requeued-1', 'other-1');
    await enterRight(page);
    const row = page.locator('#dead tr', { hasText: 'requeued-1' });
    await row.waitFor();
    assert.match(await row.textContent(), /<b>its<\/b> reason/);
    await row.locator('button:text-is("Requeue")').click();
    await row.waitFor({ state: 'detached' });
    assert.equal((await site.client.wait('requeued-1')).status, 'ok');
    assert.ok((await dead()).includes('other-1'));
}));

test('a_dead_letter_is_purged_only_after_asking', () => site.visit('/operators', async (page) => {
    await bury('gone for good', 'purged-1', 'purged-2');
    await enterRight(page);
    const row = page.locator('#dead tr', { hasText: 'purged-1' });
    await row.locator('button:text-is("Purge")').click();
    assert.ok((await dead()).includes('purged-1'));
    await row.locator('button:text-is("Really?")').click();
    await row.waitFor({ state: 'detached' });
    assert.ok(!(await dead()).includes('purged-1'));
    await page.click('button:text-is("Requeue all")');
    await page.waitForSelector('#no-dead:visible');
    assert.equal((await site.client.wait('purged-2')).status, 'ok');
    assert.deepEqual(await dead(), []);
}));

test('a_claim_in_a_paused_queue_waits_and_is_cancelled', async () => {
    const headers = { Authorization: `Bearer ${TOKEN}` };
    await site.call('POST', '/api/queue/pause', undefined, headers);
    await site.visit('/operators', async (page) => {
        await page.waitForSelector('#state:text-is("paused")');
        const job = await site.call('POST', '/api/traces', LONG, { Prefer: 'respond-async' });
        await until('it waits', async () => await number(page, '#sum-waiting') === 1);
        await site.call('DELETE', `/api/jobs/${job.id}`);
        await until('it is gone', async () => await number(page, '#sum-waiting') === 0);
    });
    await site.call('POST', '/api/queue/resume', undefined, headers);
});
