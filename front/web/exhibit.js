// SPDX-License-Identifier: MIT
//
// The exhibit: a session on the canvas, its controls, its metrics, and claims about it.

import { connected, connection } from './server.js';
import { ClaimForm } from './claim_form.js';
import { byId, element, show, tell, write } from './dom.js';
import { FlockCanvas } from './flock_canvas.js';
import { count, fixed, settings, whole } from './format.js';
import { onSpace, startPage } from './page.js';
import { Player, reducedMotion } from './player.js';
import { Session } from './session.js';
import { Timeline } from './timeline.js';
import { TraceList } from './trace_list.js';
import { WeightControls } from './weight_controls.js';

const TIMELINE_EVERY_MS = 400;
const SLOTS = 5000;
const RETRY_MS = 1000;

const canvas = new FlockCanvas(byId('field'));
const session = new Session();
const player = new Player(session, canvas);
const timeline = new Timeline(byId('timeline'));
const traces = new TraceList();
const sliders = new WeightControls(byId('weights'), setWeights);
const form = byId('new');
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Runs what a control asked for and tells beside the field what went wrong. */
async function act(action) {
    try {
        await action();
        tell(byId('problem'), null);
    } catch (problem) {
        tell(byId('problem'), problem);
    }
}

// --- the session ---------------------------------------------------------------------------------

function begin(opened) {
    player.pause();
    player.clear();
    return act(async () => {
        const answer = await opened();
        timeline.clear();
        sliders.set(answer.data.params.weights);
        form.birds.value = answer.data.params.birds;
        byId('seed-now').textContent = answer.data.seed;
        history.replaceState(null, '', `/?session=${encodeURIComponent(answer.data.id)}`);
        player.show(answer);
        updateTimeline();
    });
}

const create = () => begin(() => session.create({
    seed: form.seed.value.trim() === '' ? undefined : Number(form.seed.value),
    birds: Number(form.birds.value),
    weights: sliders.values,
}));

async function step(ticks) {
    player.pause();
    await act(async () => player.show(await session.step(ticks)));
}

async function setWeights(changed) {
    await act(async () => player.show(await session.setWeights(changed)));
}

let timelineTimer = null;

function updateTimeline() {
    timelineTimer ??= setTimeout(async () => {
        const { id, tick } = session.data;
        const from = Math.max((timeline.last ?? -1) + 1, tick - SLOTS + 1);
        const isCurrent = () => session.data.id === id;
        try {
            const more = from <= tick ? await session.timeline(from) : null;
            if (more !== null && isCurrent()) timeline.add(more);
        } catch {
            // What is wrong is told where the session itself is asked for; the next change asks again.
        }
        timelineTimer = null;
        if (session.data.tick > tick || !isCurrent()) updateTimeline();
    }, TIMELINE_EVERY_MS);
}

session.addEventListener('change', () => { showChanges(); updateTimeline(); });

// --- what is shown -------------------------------------------------------------------------------

function showTick(detail) {
    write(byId('tick'), whole(canvas.tick));
    if (detail === null) return;
    const { tick, params, metrics } = detail.data;
    timeline.showNow(tick, metrics);
    byId('field').setAttribute('aria-label', `${params.birds} birds at tick ${tick}, polarization `
        + `${fixed(metrics.polarization, 2)}, ${metrics.cluster_count} clusters`);
}

function showChanges() {
    const { changes, initial_params: first } = session.data;
    const items = changes.map(({ tick, params }) => element('li', {},
        element('span', { class: 'at' }, `tick ${whole(tick)}`), settings(params)));
    byId('changes').replaceChildren(...items.reverse(), element('li', {},
        element('span', { class: 'at' }, 'tick 0'), settings({ weights: first.weights })));
}

const TRUTH = {
    off: () => '',
    behind: () => 'Drawn as the server answers, while your browser’s engine catches up.',
    exact: ({ compared }) => `Exact: ${count(compared, 'answer')} of the server ${compared === 1 ? 'was' : 'were'} `
        + 'compared with your browser’s engine, which draws the ticks in between. All agree.',
    different: ({ message }) => `${message} From here on only the server’s own answers are drawn.`,
    missing: ({ message }) => `${message} Only the server’s own answers are drawn.`,
};

session.addEventListener('engine', () => {
    byId('truth').dataset.state = session.engine.state;
    write(byId('truth'), TRUTH[session.engine.state](session.engine));
});

// --- playing -------------------------------------------------------------------------------------

function showPlaying() {
    byId('play').dataset.playing = player.playing;
    byId('play-text').textContent = player.playing ? 'Pause' : 'Play';
}

/** A session that is gone stops the play; with anything else it goes on when it can. */
async function onProblem(problem) {
    tell(byId('problem'), problem);
    const { playing } = player;
    const { id } = session.data;
    player.pause();
    if (!playing || (problem.status >= 400 && problem.status < 500 && problem.status !== 429)) return;
    await connected();
    await pause((problem.retryAfter ?? 0) * 1000 || RETRY_MS);
    if (player.playing || session.data.id !== id) return;
    await act(async () => player.show(await session.open(id)));
    if (byId('problem').hidden) player.play();
}

player.addEventListener('play', showPlaying);
player.addEventListener('pause', showPlaying);
player.addEventListener('show', ({ detail }) => showTick(detail));
player.addEventListener('problem', ({ detail }) => onProblem(detail));

const togglePlay = () => { if (session.data !== null) player.toggle(); };

function setPace() {
    player.ticksPerSecond = Number(byId('pace').value);
}

function setTrails() {
    canvas.trails = byId('trails').checked && !reducedMotion.matches;
    byId('trails').disabled = reducedMotion.matches;
    canvas.redraw();
}

// --- wiring --------------------------------------------------------------------------------------

startPage();
onSpace(togglePlay);
byId('play').addEventListener('click', togglePlay);
byId('pace').addEventListener('change', setPace);
byId('trails').addEventListener('change', setTrails);
reducedMotion.addEventListener('change', setTrails);
form.addEventListener('submit', (event) => { event.preventDefault(); create(); });
for (const button of document.querySelectorAll('[data-step]')) {
    button.addEventListener('click', () => step(Number(button.dataset.step)));
}
setPace();
setTrails();
new ClaimForm(session, () => traces.refresh());
connection.addEventListener('back', () => traces.refresh());
traces.refresh();

const wanted = new URLSearchParams(location.search).get('session');
await (wanted === null ? create() : begin(() => session.open(wanted)));
show(byId('start-anew'), session.data === null);
