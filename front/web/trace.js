// SPDX-License-Identifier: MIT
//
// The page of a trace: what the server stored of it, a replay by this browser's engine, and the comparison of both.

import { get } from './server.js';
import { byId, element, show, tell, write } from './dom.js';
import { FlockCanvas } from './flock_canvas.js';
import { FlockThread } from './flock_thread.js';
import { METRICS, count, fixed, parameters, setting, settings, time, whole } from './format.js';
import { onSpace, startPage } from './page.js';
import { Player, reducedMotion } from './player.js';
import { Replay } from './replay.js';
import { Timeline } from './timeline.js';
import { verdictMark } from './trace_list.js';

const SLOTS = 5000;
const MODEL = 'flock'; // what the engine for browsers runs
const path = `/api/traces/${location.pathname.split('/').at(-1)}`;

// --- what the server stored ----------------------------------------------------------------------

function fact(name, content, kind = null) {
    return element('div', { class: kind }, element('dt', {}, name), element('dd', {}, content));
}

/** "max_speed" as "Max speed". */
const capital = (name) => (name[0].toUpperCase() + name.slice(1)).replaceAll('_', ' ');

function showFacts(trace) {
    const { seed, params, at_tick: atTick, verdict, verified_at: at, engine } = trace;
    document.title = `Seed ${seed} at tick ${atTick} · Susurration`;
    byId('title').textContent = `Seed ${seed}, ${whole(params.birds ?? params.boids)} birds, ${whole(atTick)} ticks`;
    byId('note').textContent = trace.note;
    show(byId('note'), trace.note !== '');
    byId('facts').replaceChildren(
        fact('Seed', String(seed)),
        ...parameters(params).map(([name, value]) => fact(capital(name), setting(value))),
        fact('Tick', whole(atTick)),
        ...METRICS.map(({ name, label, digits }) => fact(label, fixed(trace.metrics[name], digits))),
        fact('Verdict', verdictMark(verdict)),
        fact('Verified', time(at)),
        fact('By engine', `${engine.version} ${engine.isa}`),
        fact('State hash', element('span', { class: 'hash', id: 'hash' }, trace.state_hash), 'wide'));
    byId('changes').replaceChildren(...trace.changes.map(({ tick, params: changed }) => element('li', {},
        element('span', { class: 'at' }, `tick ${whole(tick)}`), settings(changed))));
    show(byId('log'), trace.changes.length > 0);
}

/** The metrics of the last ticks, which the server keeps for a day; null when they are gone. */
async function loadTimeline({ at_tick: atTick, metrics }) {
    const timeline = new Timeline(byId('timeline'));
    timeline.showNow(atTick, metrics);
    try {
        const stored = await get(`${path}/timeline?from=${Math.max(0, atTick - SLOTS + 1)}&to=${atTick}`);
        timeline.add(stored);
        return stored;
    } catch (problem) {
        tell(byId('timeline-problem'), problem);
        return null;
    }
}

// --- the replay ----------------------------------------------------------------------------------

const ILLUSTRATION = 'An illustration by your browser’s engine. Verify it to know whether it is exact.';

function startReplay(trace) {
    const canvas = new FlockCanvas(byId('field'));
    canvas.trails = !reducedMotion.matches;
    const replay = new Replay(trace);
    const player = new Player(replay, canvas);
    const scrub = byId('scrub');
    const fail = (error) => {
        player.pause();
        byId('truth').dataset.state = 'missing';
        write(byId('truth'), `No replay: ${error.message}`);
        for (const control of [scrub, byId('play'), byId('verify')]) control.disabled = true;
    };
    const goTo = (tick) => replay.goTo(tick, (answer) => { player.clear(); player.show(answer); }).catch(fail);
    const toggle = () => {
        if (byId('play').disabled) return;
        if (!player.playing && canvas.tick === trace.at_tick) goTo(0);
        player.toggle();
    };
    const showPlaying = () => {
        byId('play').dataset.playing = player.playing;
        byId('play-text').textContent = player.playing ? 'Pause' : 'Play';
    };
    player.addEventListener('play', showPlaying);
    player.addEventListener('pause', showPlaying);
    player.addEventListener('problem', ({ detail }) => fail(detail));
    player.addEventListener('show', () => {
        scrub.value = canvas.tick;
        scrub.setAttribute('aria-valuetext', `tick ${canvas.tick} of ${trace.at_tick}`);
        write(byId('tick'), whole(canvas.tick));
        byId('field').setAttribute('aria-label', `Replay: ${trace.params.birds} birds at tick ${canvas.tick}`);
    });
    scrub.max = trace.at_tick;
    scrub.addEventListener('input', () => goTo(Number(scrub.value)));
    byId('last').textContent = whole(trace.at_tick);
    byId('play').addEventListener('click', toggle);
    byId('pace').addEventListener('change', () => { player.ticksPerSecond = Number(byId('pace').value); });
    onSpace(toggle);
    write(byId('truth'), ILLUSTRATION);
    byId('truth').dataset.state = 'behind';
    if (trace.model !== MODEL) fail(new Error(`the engine for browsers runs the model ${MODEL} only.`));
    else replay.open().then(() => goTo(0), fail);
}

// --- verify in the browser -----------------------------------------------------------------------

const NAMES = { state_hash: 'state hash', ...Object.fromEntries(METRICS.map(({ name, label }) => [name, label.toLowerCase()])) };

/** Where the first difference is, in words. */
function differenceText({ tick, name, server, browser, after }) {
    const values = `the server has ${server ?? 'null'}, this browser ${browser ?? 'null'}`;
    if (after === undefined) return `The first difference is at tick ${whole(tick)}, in ${NAMES[name]}: ${values}.`;
    return `The state differs at tick ${whole(tick)} (${values}); at tick ${whole(after)} it was still equal.`;
}

function compared({ ticks, hashes }) {
    return `${whole(hashes)} state ${hashes === 1 ? 'hash' : 'hashes'} and the metrics of ${count(ticks, 'tick')} were compared.`;
}

function showAnswer(trace, result) {
    const isEqual = result.equal && result.difference === null;
    byId('answer').dataset.equal = isEqual;
    byId('answer').replaceChildren(
        element('strong', {}, isEqual ? 'Exact: your browser gets the same state, bit for bit.'
            : 'Not equal: your browser gets another state than the server.'),
        element('span', {}, 'Server ', element('span', { class: 'hash' }, trace.state_hash)),
        element('span', {}, 'Browser ', element('span', { class: 'hash', id: 'browser-hash' }, result.hash)),
        element('span', {}, isEqual ? compared(result) : differenceText(result.difference)));
    show(byId('answer'), true);
    byId('truth').dataset.state = isEqual ? 'exact' : 'different';
    write(byId('truth'), isEqual ? 'Exact: this replay ends in the very state that the server verified.'
        : 'An illustration: this browser’s replay is not the server’s. The server’s numbers are the authoritative ones.');
}

function startVerify(trace, timeline) {
    const button = byId('verify');
    const bar = byId('verify-bar');
    button.addEventListener('click', async () => {
        const thread = new FlockThread();
        button.disabled = true;
        show(bar, true);
        try {
            const result = await thread.call('verify', { trace, timeline: await timeline },
                                             (tick) => { bar.value = tick / trace.at_tick; });
            showAnswer(trace, result);
            tell(byId('verify-problem'), null);
        } catch (error) {
            tell(byId('verify-problem'), error);
        }
        thread.stop();
        show(bar, false);
        button.disabled = false;
    });
}

// --- wiring --------------------------------------------------------------------------------------

startPage();
try {
    const trace = await get(path);
    showFacts(trace);
    show(byId('trace'), true);
    startReplay(trace);
    startVerify(trace, loadTimeline(trace));
} catch (problem) {
    byId('title').textContent = problem.status === 404 ? 'No such trace' : 'This trace cannot be shown';
    tell(byId('problem'), problem);
}
