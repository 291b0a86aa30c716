// SPDX-License-Identifier: MIT
//
// The exhibit in a real browser: playing, stepping, changing, claiming.

import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { number, startSite, until } from './site.mjs';

// Of seed 42 and everything else at its default: tests/golden/flock.tsv.
const GOLDEN = { hash: '2859c10a10b68472', polarization: '0.7866', clusters: '4' };

let site;
before(async () => { site = await startSite(); });
after(() => site?.stop());

const tickOf = (page) => number(page, '#tick');
const ready = (page) => page.waitForSelector('#truth[data-state="exact"]');

async function create(page, fields) {
    await ready(page);
    const before = new URL(page.url()).search;
    for (const [name, value] of Object.entries(fields)) await page.fill(`#new [name=${name}]`, String(value));
    await page.click('#new button');
    await page.waitForFunction((old) => location.search !== old, before);
    await ready(page);
}

async function step(page, ticks) {
    const before = await tickOf(page);
    await page.click(`[data-step="${ticks}"]`);
    await until(`${ticks} ticks more`, async () => await tickOf(page) === before + ticks);
}

async function setWeight(page, name, value) {
    await page.fill(`#${name}`, String(value));
    await page.press(`#${name}`, 'Enter');
}

async function claim(page, { note = '', atTick, hash = false }) {
    if (atTick !== undefined) await page.fill('#claim [name=at_tick]', String(atTick));
    await page.fill('#claim [name=note]', note);
    await page.setChecked('#claim [name=hash]', hash);
    await page.click('#claim [name=send]');
}

test('a_flock_is_created_and_stepped_to_the_golden_state', () => site.visit('/', async (page) => {
    await create(page, { seed: 42 });
    assert.equal(await page.textContent('#seed-now'), '42');
    assert.equal(await tickOf(page), 0);
    for (const ticks of [100, 100, 100, 100, 10, 10, 10, 10, 10, 10, 10, 10, 10, 1]) await step(page, ticks);
    for (let i = 0; i < 9; i++) await step(page, 1);
    assert.equal(await tickOf(page), 500);
    const value = (name) => page.textContent(`figure[data-metric="${name}"] .value`);
    await until('the metrics of tick 500', async () => await value('polarization') === GOLDEN.polarization);
    assert.equal(await value('cluster_count'), GOLDEN.clusters);
    assert.match(await page.textContent('#truth'), /^Exact: \d+ answers? .* All agree\.$/);
}));

test('it_plays_and_pauses', () => site.visit('/', async (page) => {
    await ready(page);
    await page.click('#play');
    assert.equal(await page.textContent('#play-text'), 'Pause');
    await until('a hundred ticks', async () => await tickOf(page) > 100);
    await page.click('#play');
    assert.equal(await page.textContent('#play-text'), 'Play');
    const { tick } = await site.call('GET', `/api/sessions/${new URL(page.url()).searchParams.get('session')}`);
    await until('it stands where the server is', async () => await tickOf(page) >= tick);
    const stands = await tickOf(page);
    await page.waitForTimeout(300);
    assert.equal(await tickOf(page), stands);
}));

/** The pixels of the field, as one text. */
const pictureOf = (page) => page.$eval('#field', (canvas) => canvas.toDataURL());

test('the_flock_is_drawn_and_moves', () => site.visit('/', async (page) => {
    await create(page, { seed: 7 });
    const first = await pictureOf(page);
    const inked = await page.$eval('#field', (canvas) => {
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return data.filter((alpha, i) => i % 4 === 3 && alpha > 0).length;
    });
    assert.ok(inked > 120 * 10, `${inked} pixels of 120 birds`);
    await step(page, 10);
    assert.notEqual(await pictureOf(page), first);
}));

test('a_changed_weight_is_logged_with_its_tick', () => site.visit('/', async (page) => {
    await create(page, { seed: 3, birds: 60 });
    await step(page, 10);
    await setWeight(page, 'cohesion', 0.75);
    await page.waitForSelector('#changes li:nth-child(2)');
    assert.deepEqual(await page.$$eval('#changes li', (items) => items.map((item) => item.textContent)),
                     ['tick 10cohesion 0.75', 'tick 0cohesion 0.5, alignment 0.5, separation 0.5']);
    await page.focus('#alignment-slider');
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('text=cohesion 0.75, alignment 0.51');
    await step(page, 100);
    await page.waitForSelector('#truth[data-state="exact"]');
}));

test('a_session_goes_on_after_a_reload', () => site.visit('/', async (page) => {
    await create(page, { seed: 5, birds: 40 });
    await step(page, 100);
    await setWeight(page, 'separation', 0.9);
    await page.waitForSelector('#changes li:nth-child(2)');
    await page.reload();
    await ready(page);
    assert.equal(await tickOf(page), 100);
    assert.equal(await page.inputValue('#separation'), '0.9');
    await step(page, 10);
    await ready(page);
}));

test('the_timeline_is_the_servers', () => site.visit('/', async (page) => {
    await create(page, { seed: 42 });
    await step(page, 100);
    await page.waitForSelector('.chart .uplot canvas');
    await page.click('.as-table summary');
    await page.waitForSelector('.as-table tbody tr:last-child th:text-is("100")');
    const shown = await page.$$eval('.as-table tbody tr:last-child td', (cells) => cells.map((cell) => cell.textContent));
    const id = new URL(page.url()).searchParams.get('session');
    const theirs = await site.call('GET', `/api/sessions/${id}/timeline?from=100&to=100`);
    assert.deepEqual(shown, [theirs.polarization[0].toFixed(4), String(theirs.cluster_count[0]),
                             theirs.mean_neighbor_distance[0].toFixed(4)]);
}));

test('a_claim_is_verified_and_checked_again_in_the_browser', () => site.visit('/', async (page) => {
    await create(page, { seed: 42 });
    await claim(page, { atTick: 500, hash: true, note: 'four clusters' });
    await page.waitForSelector('.claim[data-how="exact"]');
    await page.waitForSelector('#traces td:text-is("four clusters")');
    await page.click('.claim a');
    await page.waitForURL('**/traces/*');
    await page.waitForSelector('#hash');
    assert.equal(await page.textContent('#hash'), GOLDEN.hash);
    assert.match(await page.textContent('#truth'), /^An illustration/);
    await page.click('#verify');
    await page.waitForSelector('#answer[data-equal="true"]');
    assert.equal(await page.textContent('#browser-hash'), GOLDEN.hash);
    assert.match(await page.textContent('#answer'), /1 state hash and the metrics of 501 ticks were compared/);
    assert.match(await page.textContent('#truth'), /^Exact/);
}));

test('changes_are_part_of_a_claim', () => site.visit('/', async (page) => {
    await create(page, { seed: 9, birds: 50 });
    await step(page, 10);
    await setWeight(page, 'cohesion', 1);
    await page.waitForSelector('#changes li:nth-child(2)');
    await step(page, 100);
    assert.match(await page.textContent('#claim-summary'), /1 change of weights before tick 110/);
    await claim(page, { hash: true });
    await page.waitForSelector('.claim[data-how="exact"]');
}));

/** There is no claim that is over budget on every machine: this one gets a smaller budget. */
const withBudget = (milliseconds) => (page) => page.route('**/api/traces', (route) => (route.request().method() === 'POST'
    ? route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), budget_ms: milliseconds }) })
    : route.continue()));

test('a_claim_over_budget_shows_the_advice', () => site.visit('/', async (page) => {
    await create(page, { seed: 1, birds: 400 });
    await claim(page, { atTick: 20000 });
    await page.waitForSelector('.claim[data-how="rejected"]');
    const told = await page.textContent('.claim .problem');
    assert.match(told, /20000/);
    assert.match(await page.textContent('.claim .advice'), /at_tick/);
    assert.equal(await page.isVisible('.claim a'), false);
}, { before: withBudget(50) }));

test('a_claim_is_cancelled', () => site.visit('/', async (page) => {
    await setWeight(page, 'cohesion', 1);
    await setWeight(page, 'alignment', 1);
    await setWeight(page, 'separation', 0.000001);
    await create(page, { seed: 1, birds: 400 });
    await claim(page, { atTick: 20000 });
    await page.click('.claim button:text-is("Cancel")');
    await page.waitForSelector('.claim[data-how="cancelled"]');
    assert.equal(await page.textContent('.claim .state'), 'Cancelled.');
}));

test('a_note_with_markup_stays_text', () => site.visit('/', async (page) => {
    const note = '<script>alert(1)</script><img src=x onerror=alert(2)>';
    await create(page, { seed: 11, birds: 10 });
    await claim(page, { atTick: 5, note });
    await page.waitForSelector('.claim[data-how="verified"]');
    await page.waitForFunction((text) => document.querySelector('#traces td.note')?.textContent === text, note);
    await page.click('.claim a');
    await page.waitForSelector('#note:visible');
    assert.equal(await page.textContent('#note'), note);
    assert.equal(await page.$$eval('main script, main img', (found) => found.length), 0);
}));

test('what_the_server_refuses_is_told_beside_the_field', () => site.visit('/', async (page) => {
    await ready(page);
    await page.$eval('#new', (form) => { form.noValidate = true; });
    await page.fill('#new [name=birds]', '9');
    await page.click('#new button');
    await page.waitForSelector('#problem:visible');
    assert.match(await page.textContent('#problem'), /birds/);
    await page.fill('#new [name=birds]', '12');
    await page.click('#new button');
    await page.waitForSelector('#problem', { state: 'hidden' });
}, { expected: [/status of 4\d\d .*\/api\/sessions/] }));

test('traces_are_paged', () => site.visit('/', async (page) => {
    const list = await site.call('GET', '/api/traces?limit=100');
    for (let seed = list.traces.length; seed < 13; seed++) {
        await site.call('POST', '/api/traces', { seed, at_tick: 1, params: { birds: 10 } });
    }
    const { traces } = await site.call('GET', '/api/traces?limit=100');
    await page.reload();
    await page.waitForSelector('#traces tr:nth-child(10)');
    await page.click('#older');
    await page.waitForSelector('text=Page 2');
    const shown = await page.$$eval('#traces a', (links) => links.map((link) => link.getAttribute('href')));
    assert.deepEqual(shown, traces.slice(10, 20).map(({ id }) => `/traces/${id}`));
    assert.ok(await page.isEnabled('#newer'));
    await page.click('#newer');
    await page.waitForSelector('text=Page 1');
    assert.ok(await page.isDisabled('#newer'));
}));

test('it_works_with_the_keyboard', () => site.visit('/', async (page) => {
    await ready(page);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the flock');
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('Space');
    await until('it plays', async () => await page.textContent('#play-text') === 'Pause');
    await page.keyboard.press('Space');
    await until('it pauses', async () => await page.textContent('#play-text') === 'Play');
    await page.focus('#claim [name=note]');
    await page.keyboard.type('a b');
    assert.equal(await page.inputValue('#claim [name=note]'), 'a b');
    assert.equal(await page.textContent('#play-text'), 'Play');
    await page.focus('#play');
    await page.keyboard.press('Tab');
    const { text, outline } = await page.evaluate(() => ({
        text: document.activeElement.textContent, outline: getComputedStyle(document.activeElement).outlineStyle,
    }));
    assert.deepEqual([text, outline], ['1', 'solid']);
    await page.keyboard.press('Enter');
    await until('a step', async () => await tickOf(page) > 0);
}));

test('reduced_motion_shows_still_pictures', () => site.visit('/', async (page) => {
    await ready(page);
    assert.ok(await page.isDisabled('#trails'));
    await page.click('#play');
    const ticks = new Set();
    for (let i = 0; i < 40; i++) {
        ticks.add(await tickOf(page));
        await page.waitForTimeout(50);
    }
    await page.click('#play');
    assert.ok(ticks.size >= 2 && ticks.size <= 8, `${ticks.size} pictures in two seconds`);
}, { reducedMotion: 'reduce' }));

test('a_lost_connection_is_said_and_comes_back', () => site.visit('/', async (page) => {
    await ready(page);
    await page.click('#play');
    await until('it plays', async () => await tickOf(page) > 10);
    await page.context().setOffline(true);
    await page.waitForSelector('#connection:visible');
    const lost = await tickOf(page);
    await page.context().setOffline(false);
    await page.waitForSelector('#connection', { state: 'hidden' });
    await until('it plays on', async () => await tickOf(page) > lost + 10);
    assert.equal(await page.isVisible('#problem'), false);
}, { expected: [/ERR_INTERNET_DISCONNECTED/] }));

test('without_the_engine_the_servers_answers_are_drawn', () => site.visit('/', async (page) => {
    await page.waitForSelector('#truth[data-state="missing"]');
    await step(page, 10);
    await page.click('#play');
    await until('it plays', async () => await tickOf(page) > 30);
    assert.ok(await page.isDisabled('#claim [name=hash]'));
}, {
    expected: [/404 .*susurration\.wasm/],
    before: (page) => page.context().route('**/susurration.wasm', (route) => route.fulfill({ status: 404 })),
}));

test('without_charts_there_are_tables', () => site.visit('/', async (page) => {
    await page.waitForSelector('.as-table[open] tbody tr');
    assert.equal(await page.$('.uplot'), null);
}, {
    expected: [/404 .*uPlot/, /Failed to fetch dynamically/],
    before: (page) => page.route('**/uPlot*', (route) => route.fulfill({ status: 404 })),
}));

test('a_session_that_is_gone_is_said', () => site.visit('/?session=gone', async (page) => {
    await page.waitForSelector('#problem:visible');
    await page.click('#start-anew a');
    await ready(page);
    assert.equal(await tickOf(page), 0);
}, { expected: [/404 .*\/api\/sessions\/gone/] }));
