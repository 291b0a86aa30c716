// SPDX-License-Identifier: MIT
//
// Talking with the front: JSON out, JSON or a Problem back. What gets no answer at all is a lost
// connection: `connection` says so once, asks until somebody answers, and says that too.

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 5000;
const POLL_MS = 1000;

/** What went wrong, in words for whoever looks at the page. status 0: there was no answer. */
export class Problem extends Error {
    constructor(status, { detail, title, code, field, advice, job } = {}, retryAfter = null) {
        super(detail || title || `The server answered ${status}.`);
        Object.assign(this, { status, code: code ?? null, field: field ?? null, advice: advice ?? null,
                              job: job ?? null, retryAfter });
    }
}

const NO_ANSWER = {
    detail: 'The server does not answer.',
    advice: 'This page goes on by itself once it is back.',
};

/** Events `lost` and `back`. */
export const connection = Object.assign(new EventTarget(), { lost: false });

function found() {
    if (!connection.lost) return;
    connection.lost = false;
    connection.dispatchEvent(new Event('back'));
}

function lose() {
    if (connection.lost) return;
    connection.lost = true;
    connection.dispatchEvent(new Event('lost'));
    const ask = (delay) => setTimeout(async () => {
        try {
            await fetch('/healthz', { cache: 'no-store' });
            found();
        } catch {
            if (connection.lost) ask(Math.min(2 * delay, LONGEST_RETRY_MS));
        }
    }, delay);
    ask(FIRST_RETRY_MS);
}

/** Resolves at once when there is a connection, else when it is back. */
export const connected = () => new Promise((done) => {
    if (connection.lost) connection.addEventListener('back', () => done(), { once: true });
    else done();
});

async function problemOf(response) {
    const seconds = Number(response.headers.get('Retry-After'));
    const told = await response.json().catch(() => ({}));
    return new Problem(response.status, told, seconds > 0 ? seconds : null);
}

/** The answer's JSON, null where it has no body. Throws a Problem. */
export async function request(method, path, { body, token, prefer } = {}) {
    const headers = { Accept: 'application/json' };
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    if (token) headers.Authorization = `Bearer ${token}`;
    if (prefer) headers.Prefer = prefer;
    let response;
    try {
        response = await fetch(path, { method, headers, body: body && JSON.stringify(body), cache: 'no-store' });
    } catch {
        lose();
        throw new Problem(0, NO_ANSWER);
    }
    found();
    if (!response.ok) throw await problemOf(response);
    return response.status === 204 ? null : response.json();
}

export const get = (path) => request('GET', path);
export const jobPath = (id) => `/api/jobs/${encodeURIComponent(id)}`;

/**
 * Calls `onChange` with the job whenever it changes, and resolves with it when it is done. The stream of events
 * reconnects by itself; where it is refused, the job is asked for.
 */
export function followJob(id, onChange) {
    return new Promise((resolve, reject) => {
        const take = (job) => {
            onChange(job);
            if (job.state === 'done') resolve(job);
            return job.state === 'done';
        };
        const poll = async () => {
            try {
                if (!take(await get(jobPath(id)))) setTimeout(poll, POLL_MS);
            } catch (problem) {
                if (problem.status === 404) reject(problem);
                else setTimeout(poll, POLL_MS);
            }
        };
        const events = new EventSource(`${jobPath(id)}/events`);
        events.addEventListener('job', ({ data }) => {
            if (take(JSON.parse(data))) events.close();
        });
        events.addEventListener('error', () => {
            if (events.readyState === EventSource.CLOSED) poll();
        });
    });
}
