// SPDX-License-Identifier: MIT
//
// The operators' page: what waits, what runs where, what died, and what an operator can do about it.

import { connected, connection, get, jobPath, request } from './server.js';
import { byId, cell, element, show, tell, write } from './dom.js';
import { age, bytes, count, fixed, whole } from './format.js';
import { History } from './history.js';
import { operator } from './operator.js';
import { startPage } from './page.js';
import { Rows } from './rows.js';

const EVERY_MS = 2000;
const SURE_MS = 4000;

// --- buttons -------------------------------------------------------------------------------------

/** What a button does, with what went wrong told in `place`; afterwards everything is asked for again. */
function button(text, place, action, kind = '') {
    return element('button', {
        type: 'button', class: `small ${kind}`,
        async click({ currentTarget }) {
            currentTarget.disabled = true;
            try {
                await action();
                tell(byId(place), null);
            } catch (problem) {
                tell(byId(place), problem);
            }
            currentTarget.disabled = false;
            refresh();
        },
    }, text);
}

/** One that destroys asks once more, in its own place. */
function sure(text, place, action) {
    const really = button('Really?', place, action, 'danger');
    const first = element('button', { type: 'button', class: 'small' }, text);
    const set = (isAsking) => { show(first, !isAsking); show(really, isAsking); };
    first.addEventListener('click', () => {
        set(true);
        really.focus();
        setTimeout(() => set(false), SURE_MS);
    });
    set(false);
    return element('span', {}, first, really);
}

const deadPath = (id) => `/api/dead/${encodeURIComponent(id)}`;
const requeue = (id) => operator.write('POST', `${deadPath(id)}/requeue`);
const purge = (id) => operator.write('DELETE', deadPath(id));

// --- rows ----------------------------------------------------------------------------------------

/** A row of cells with a fixed number of texts, in the order of `columns`: [heading, text of the item, kind?]. */
function textRow(columns, ...more) {
    const cells = columns.map(([label, , kind]) => cell(label, '', kind));
    return {
        root: element('tr', {}, ...cells, ...more),
        update(item) {
            columns.forEach(([, text], i) => write(cells[i], text(item)));
        },
    };
}

const LANE = [
    ['Lane', ({ name }) => name],
    ['Waiting', ({ waiting }) => whole(waiting), 'number'],
    ['Running', ({ running }) => whole(running), 'number'],
    ['Claimed as next', ({ next }) => whole(next), 'number'],
    ['Handed back', ({ released }) => whole(released), 'number'],
    ['Oldest waits', ({ oldest_ms: ms }) => (ms > 0 ? age(ms) : '–'), 'number'],
];

const WORKER = [
    ['Worker', ({ name }) => name, 'long'],
    ['Host', ({ host }) => host ?? '–', 'long'],
    ['Engine', ({ version, isa }) => (version ? `${version} ${isa}` : '–')],
    ['Busy', ({ running, slots }) => (slots ? `${running} of ${slots}` : '–'), 'number'],
    ['Done', ({ done }) => whole(done), 'number'],
    ['Memory', ({ rss_bytes: size }) => bytes(size), 'number'],
    ['Since', ({ started_ms: at }) => (at ? age(Date.now() - at) : '–'), 'number'],
    ['Last beat', ({ beat_ms_ago: ms }) => (ms === undefined ? '–' : `${age(ms)} ago`), 'number'],
];

const workerState = ({ alive, state }) =>
    (alive ? [state ?? 'unknown', state === 'running' ? 'good' : 'warn'] : ['silent', 'bad']);

function workerRow() {
    const mark = element('span', { class: 'mark' });
    const row = textRow(WORKER, cell('State', mark));
    return {
        root: row.root,
        update(worker) {
            row.update(worker);
            const [text, kind] = workerState(worker);
            write(mark, text);
            mark.dataset.state = kind;
        },
    };
}

const RUNNING = [
    ['Job', ({ id }) => id ?? '–', 'long'],
    ['Kind', ({ kind }) => kind ?? '–'],
    ['Worker', ({ worker }) => worker ?? '–', 'long'],
    ['Attempt', ({ attempt }) => whole(attempt), 'number'],
    ['Since', ({ started_ms_ago: ms }) => age(ms), 'number'],
];

function runningRow({ id, ref }) {
    const bar = element('progress', { max: '1', 'aria-label': 'Progress' });
    const text = element('span', { class: 'of' });
    const cancel = button('Cancel', 'running-problem', () => request('DELETE', jobPath(id ?? ref)));
    const row = textRow(RUNNING, cell('Progress', element('span', { class: 'progress' }, bar, text)), cell('', cancel, 'do'));
    return {
        root: row.root,
        update(job) {
            row.update(job);
            if (job.total > 0) bar.value = job.done / job.total;
            write(text, job.total > 0 ? `${fixed((100 * job.done) / job.total, 0)} %` : '');
        },
    };
}

const DEAD = [
    ['Job', ({ id }) => id, 'long'],
    ['Kind', ({ kind }) => kind ?? '–'],
    ['Reason', ({ reason }) => reason, 'long'],
    ['Losses', ({ losses }) => whole(losses), 'number'],
    ['Last worker', ({ worker }) => worker || '–', 'long'],
    ['Since', ({ at }) => age(Math.max(0, Date.now() - new Date(at))), 'number'],
];

function deadRow({ dead_id: id }) {
    const actions = element('span', { class: 'row' },
        button('Requeue', 'dead-problem', () => requeue(id)), sure('Purge', 'dead-problem', () => purge(id)));
    return textRow(DEAD, cell('', actions, 'do writes'));
}

const tables = {
    lanes: new Rows(byId('lanes'), ({ name }) => name, () => textRow(LANE)),
    workers: new Rows(byId('workers'), ({ name }) => name, workerRow),
    running: new Rows(byId('running'), ({ ref }) => ref, runningRow),
    dead: new Rows(byId('dead'), ({ dead_id: id }) => id, deadRow),
};

// --- what is shown -------------------------------------------------------------------------------

const history = new History(byId('history'));

function showQueue(queue) {
    const lanes = Object.entries(queue.lanes).map(([name, lane]) => ({ name, ...lane }));
    const sum = (field) => lanes.reduce((total, lane) => total + lane[field], 0);
    write(byId('queue-name'), queue.queue);
    write(byId('state'), queue.paused ? 'paused' : 'open');
    byId('state').dataset.state = queue.paused ? 'warn' : 'good';
    show(byId('pause'), !queue.paused);
    show(byId('resume'), queue.paused);
    write(byId('sum-waiting'), whole(sum('waiting')));
    write(byId('sum-most'), `of ${whole(queue.limits.max_jobs)}`);
    write(byId('sum-running'), whole(sum('running')));
    write(byId('sum-dead'), whole(queue.dead));
    tables.lanes.set(lanes);
    tables.running.set(queue.running);
    show(byId('no-running'), queue.running.length === 0);
    show(byId('running-table'), queue.running.length > 0);
    showStats(queue.stats);
}

function showStats(stats) {
    const names = Object.keys(stats).sort();
    byId('stats').replaceChildren(...names.flatMap((name) => [
        element('dt', {}, name), element('dd', {}, whole(stats[name]))]));
}

function showWorkers({ workers }) {
    const alive = workers.filter((worker) => worker.alive);
    write(byId('sum-workers'), whole(alive.length));
    write(byId('sum-slots'), count(alive.reduce((slots, worker) => slots + worker.slots, 0), 'slot'));
    tables.workers.set(workers);
    show(byId('no-workers'), workers.length === 0);
    show(byId('workers-table'), workers.length > 0);
}

function showDead({ dead }) {
    tables.dead.set(dead);
    show(byId('no-dead'), dead.length === 0);
    show(byId('dead-table'), dead.length > 0);
    show(byId('dead-all'), dead.length > 1);
}

function showHistory(past) {
    history.set(past);
    write(byId('sum-rate'), fixed(past.done_per_s.at(-1), 1));
}

const SOURCES = [
    ['/api/queue', showQueue, 'queue-problem'],
    ['/api/workers', showWorkers, 'workers-problem'],
    ['/api/dead', showDead, 'dead-list-problem'],
    ['/api/queue/history', showHistory, 'history-problem'],
];

async function refreshOne([path, take, place]) {
    try {
        take(await get(path));
        tell(byId(place), null);
    } catch (problem) {
        if (problem.status !== 0) tell(byId(place), problem); // a lost connection is said at the top
    }
}

const refresh = () => Promise.all(SOURCES.map(refreshOne));

async function watch() {
    for (;;) {
        await connected();
        if (!document.hidden) await refresh();
        await new Promise((done) => setTimeout(done, EVERY_MS));
    }
}

// --- the operator --------------------------------------------------------------------------------

function showOperator() {
    document.body.dataset.operator = operator.isIn;
    show(byId('token'), !operator.isIn);
    show(byId('signed-in'), operator.isIn);
}

async function enter(event) {
    event.preventDefault();
    const { token } = event.target;
    try {
        await operator.enter(token.value);
        tell(byId('token-problem'), null);
        token.value = '';
    } catch (problem) {
        tell(byId('token-problem'), problem);
    }
}

// --- wiring --------------------------------------------------------------------------------------

startPage();
const queueButton = (id, text) => element('span', { id },
    button(text, 'queue-problem', () => operator.write('POST', `/api/queue/${id}`)));
byId('queue-actions').append(queueButton('pause', 'Pause the queue'), queueButton('resume', 'Resume the queue'));
byId('dead-all').append(button('Requeue all', 'dead-problem', () => requeue('all')),
                        sure('Purge all', 'dead-problem', () => purge('all')));
byId('token').addEventListener('submit', enter);
byId('leave').addEventListener('click', () => operator.leave());
operator.addEventListener('change', showOperator);
connection.addEventListener('lost', () => { document.body.dataset.stale = true; });
connection.addEventListener('back', () => { delete document.body.dataset.stale; refresh(); });
document.addEventListener('visibilitychange', () => { if (!document.hidden) refresh(); });
showOperator();
watch();
