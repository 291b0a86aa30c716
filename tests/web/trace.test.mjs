// SPDX-License-Identifier: MIT
//
// The page of a trace in a real browser: the replay, and what it says where browser and server differ.

import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { number, startSite, until } from './site.mjs';

let site;
let trace;
before(async () => {
    site = await startSite();
    trace = await site.call('POST', '/api/traces', {
        seed: 42, at_tick: 2500, note: 'turns at 800',
        changes: [{ tick: 800, params: { weights: { cohesion: 1, alignment: 0.2 } } }],
    });
});
after(() => site?.stop());

const path = () => `/traces/${trace.id}`;
const tickOf = (page) => number(page, '#tick');
const goTo = async (page, tick) => {
    await page.fill('#scrub', String(tick));
    await until(`tick ${tick}`, async () => await tickOf(page) === tick);
};
const pictureOf = (page) => page.$eval('#field', (canvas) => canvas.toDataURL());

/** Changes what the server says, as the page sees it. */
const lie = (address, change) => (page) => page.route(address, async (route) => {
    const response = await route.fetch();
    const told = await response.json();
    change(told);
    await route.fulfill({ response, json: told });
});

test('it_shows_what_the_server_stored', () => site.visit(path(), async (page) => {
    await page.waitForSelector('#facts div');
    const facts = await page.textContent('#facts');
    for (const part of ['42', '120', '2,500', trace.state_hash, trace.metrics.polarization.toFixed(4), trace.engine.isa]) {
        assert.ok(facts.includes(part), part);
    }
    assert.equal(await page.textContent('#note'), 'turns at 800');
    assert.equal(await page.textContent('#changes'), 'tick 800cohesion 1, alignment 0.2');
    await page.waitForSelector('.chart .uplot');
}));

test('any_tick_can_be_gone_to_and_is_the_same_each_time', () => site.visit(path(), async (page) => {
    await page.waitForSelector('#tick:text-is("0")');
    await goTo(page, 1700);
    const first = await pictureOf(page);
    await goTo(page, 300);
    assert.notEqual(await pictureOf(page), first);
    await goTo(page, 2500);
    await goTo(page, 1700);
    assert.equal(await pictureOf(page), first);
}));

test('it_plays_to_the_end_and_from_the_start_again', () => site.visit(path(), async (page) => {
    await page.waitForSelector('#tick:text-is("0")');
    await goTo(page, 2450);
    await page.keyboard.press('Escape');
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('Space');
    await until('it ends', async () => await tickOf(page) === 2500 && await page.textContent('#play-text') === 'Play');
    await page.click('#play');
    await until('it is near the start', async () => await tickOf(page) < 1000);
    await page.click('#play');
}));

test('an_equal_hash_makes_it_exact', () => site.visit(path(), async (page) => {
    await page.click('#verify');
    await page.waitForSelector('#answer[data-equal="true"]');
    assert.equal(await page.textContent('#browser-hash'), trace.state_hash);
    assert.match(await page.textContent('#answer'), /3 state hashes and the metrics of 2,501 ticks were compared/);
    assert.equal(await page.getAttribute('#truth', 'data-state'), 'exact');
}));

test('another_metric_is_named_with_its_tick', () => site.visit(path(), async (page) => {
    await page.click('#verify');
    await page.waitForSelector('#answer[data-equal="false"]');
    assert.match(await page.textContent('#answer'), /first difference is at tick 1,234, in polarization: the server has 2,/);
    assert.match(await page.textContent('#truth'), /^An illustration/);
}, { before: lie('**/timeline?*', (told) => { told.polarization[told.tick.indexOf(1234)] = 2; }) }));

test('another_hash_is_named_with_the_last_equal_one', () => site.visit(path(), async (page) => {
    await page.click('#verify');
    await page.waitForSelector('#answer[data-equal="false"]');
    assert.match(await page.textContent('#answer'), /differs at tick 2,000 .* at tick 1,000 it was still equal/);
}, { before: lie('**/api/traces/*', (told) => { told.checkpoints[1] = '0'.repeat(16); }) }));

test('a_trace_whose_timeline_is_gone_is_verified_all_the_same', () => site.visit(path(), async (page) => {
    await page.waitForSelector('#timeline-problem:visible');
    await page.click('#verify');
    await page.waitForSelector('#answer[data-equal="true"]');
    assert.match(await page.textContent('#answer'), /3 state hashes and the metrics of 1 tick were compared/);
}, {
    expected: [/404 .*timeline/],
    before: () => site.client.redis.del(site.client.key(`ring:${trace.id}`)),
}));

test('no_such_trace', () => site.visit('/traces/nothing-here', async (page) => {
    await page.waitForSelector('#problem:visible');
    assert.equal(await page.textContent('#title'), 'No such trace');
    assert.equal(await page.isVisible('#trace'), false);
}, { expected: [/404 .*\/api\/traces/] }));
