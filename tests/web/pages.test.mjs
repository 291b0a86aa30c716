// SPDX-License-Identifier: MIT
//
// What holds for every page: it fits a phone, can be read, everything in it has a name, and its policy is strict.

import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { startSite } from './site.mjs';

let site;
const pages = { exhibit: '/', operators: '/operators', trace: '' };
before(async () => {
    site = await startSite();
    const note = 'a note that is as long as one word can be'.replaceAll(' ', '_').repeat(4);
    pages.trace = `/traces/${(await site.call('POST', '/api/traces', { seed: 42, at_tick: 50, note })).id}`;
});
after(() => site?.stop());

const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; "
    + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Controls and pictures that a screen reader could not name. */
const nameless = () => [...document.querySelectorAll('button, input, select, textarea, a, canvas[role], progress')]
    .filter((one) => !one.closest('[hidden]') && !one.closest('.uplot'))
    .filter((one) => !(one.getAttribute('aria-label') || one.textContent.trim() || one.labels?.length))
    .map((one) => one.outerHTML);

const wider = () => [...document.querySelectorAll('body *')]
    .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && getComputedStyle(one).position !== 'absolute')
    .map((one) => one.outerHTML.slice(0, 200));

/** How much text stands out from what is behind it, at least, by WCAG's formula. */
function leastContrast() {
    const light = (color) => {
        const [r, g, b] = color.match(/[\d.]+/g).map(Number).map((v) => v / 255)
            .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (one) => {
        for (let at = one; at; at = at.parentElement) {
            const color = getComputedStyle(at).backgroundColor;
            if (!/, 0\)|transparent/.test(color)) return color;
        }
        return 'rgb(255, 255, 255)';
    };
    const texts = [...document.querySelectorAll('main *')].filter((one) => one.checkVisibility() && !one.closest('.field, :disabled')
        && [...one.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim()));
    const all = texts.map((one) => {
        const [a, b] = [light(getComputedStyle(one).color), light(behind(one))].sort((x, y) => y - x);
        return { ratio: (a + 0.05) / (b + 0.05), text: one.textContent.trim().slice(0, 40) };
    });
    return all.sort((a, b) => a.ratio - b.ratio)[0];
}

for (const name of Object.keys(pages)) {
    for (const width of [360, 1280]) {
        test(`${name}_fits_${width}_pixels`, () => site.visit(pages[name], async (page) => {
            await page.waitForLoadState('networkidle').catch(() => {});
            assert.deepEqual(await page.evaluate(wider), []);
            assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
        }, { viewport: { width, height: 780 } }));
    }

    for (const colorScheme of ['light', 'dark']) {
        test(`${name}_can_be_read_in_${colorScheme}`, () => site.visit(pages[name], async (page) => {
            await page.waitForSelector('.uplot');
            const least = await page.evaluate(leastContrast);
            assert.ok(least.ratio >= 4.5, `${least.ratio} of "${least.text}"`);
        }, { colorScheme }));
    }

    test(`${name}_names_everything`, () => site.visit(pages[name], async (page) => {
        await page.waitForSelector('.uplot');
        assert.deepEqual(await page.evaluate(nameless), []);
    }));

    test(`${name}_has_the_strict_policy`, async () => {
        const { headers } = await fetch(site.origin + pages[name]);
        assert.equal(headers.get('content-security-policy'), POLICY);
        assert.equal(headers.get('x-content-type-options'), 'nosniff');
        assert.equal(headers.get('referrer-policy'), 'no-referrer');
    });
}
