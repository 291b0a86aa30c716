// SPDX-License-Identifier: MIT
//
// check.mjs FOLDER: reads history.jsonl and snapshot.jsonl, and nothing else, and says what in them
// breaks a promise of the queue. Exit status 0: nothing. It shares no code with the workers.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { decode } from '../interop/packages.mjs';
import { checkKeys } from './check_keys.mjs';
import { checkReplies, checkResults, checkSeen, checkStats } from './check_results.mjs';
import { checkSessions } from './check_sessions.mjs';
import { checkLosses, checkWorkers } from './check_workers.mjs';
import { digest, readLines } from './history.mjs';
import { Story } from './story.mjs';

const SHOWN = 10; // violations that are told with their story
const bytesOf = (text) => Buffer.from(text, 'base64');
const fields = (map) => Object.fromEntries(Object.entries(map).map(([name, value]) => [name, bytesOf(value)]));

/** The snapshot by what it means. */
function readState(rows) {
    const find = (name) => rows.find((row) => row.name === name)?.value;
    const all = (prefix, read) => new Map(
        rows.filter(({ name }) => name.startsWith(prefix)).map(({ name, value }) => [name.slice(prefix.length), read(value)]));
    const result = (value) => ({ digest: digest(bytesOf(value)), value: decode(bytesOf(value)) });
    const listed = (value) => value.map(bytesOf).map((bytes) => ({ digest: digest(bytes), id: decode(bytes).id }));
    const stream = ({ entries, groups }) => ({ entries: entries.map(([id, map]) => [id, fields(map)]), groups });
    return {
        rows, keys: new Set(rows.map(({ name }) => name)),
        results: all('result:', result), lists: all('reply:', listed),
        sessions: all('session:', (value) => decode(fields(value).body)), rings: all('ring:', bytesOf),
        traces: all('trace:', (value) => decode(bytesOf(value))), index: find('traces') ?? [], workers: find('workers') ?? [],
        streams: new Map(rows.filter(({ type }) => type === 'stream').map(({ name, value }) => [name, stream(value)])),
        stats: Object.fromEntries(Object.entries(fields(find('stats') ?? {})).map(([name, value]) => [name, value.toString()])),
    };
}

/** {violations: [{id, what, story}], counts} */
export function check(lines, rows) {
    const story = new Story(lines);
    const state = readState(rows);
    const violations = [];
    const violate = (id, what, ref) => violations.push({ id, what, story: id || ref ? story.tell(id, ref) : [] });
    checkResults(story, state, violate);
    checkSeen(story, state, violate);
    checkReplies(story, state, violate);
    checkStats(story, state, violate);
    checkSessions(story, state, violate);
    checkKeys(story, state, violate);
    checkWorkers(story, state, violate);
    const losses = checkLosses(story, violate);
    return { violations, counts: count(story, state, losses) };
}

function tally(list) {
    const counts = {};
    for (const name of list) counts[name] = (counts[name] ?? 0) + 1;
    return Object.fromEntries(Object.entries(counts).sort());
}

function count(story, { results }, losses) {
    const fates = [...story.jobs.values()].map(({ fate }) => fate);
    return {
        faults: tally(story.of('fault').filter(({ phase }) => phase === 'begin').map(({ kind }) => kind)),
        jobs: { ...tally(fates), 'of unknown fate and never seen': story.nameless.length },
        requests: tally([...story.outcomes.values()].map(({ ev, state, why }) => (ev === 'answer' ? state : `${ev}: ${why.split(' ')[0]}`))),
        results: tally([...results.values()].map(({ value }) => `${value.kind ?? '(unreadable)'} ${value.error?.code ?? value.status}`)),
        losses, workers: story.of('up').length, seconds: Math.round(story.lines.at(-1).t / 1000),
    };
}

function main(folder) {
    const { violations, counts } = check(readLines(join(folder, 'history.jsonl')), readLines(join(folder, 'snapshot.jsonl')));
    for (const [name, value] of Object.entries(counts)) {
        console.log(`${name}: ${typeof value === 'object' ? Object.entries(value).map(([k, n]) => `${k} ${n}`).join(', ') : value}`);
    }
    for (const { id, what, story } of violations.slice(0, SHOWN)) {
        console.log(`\nVIOLATION ${id && `job ${id}: `}${what}`);
        for (const line of story) console.log(`    ${JSON.stringify(line)}`);
    }
    console.log(violations.length === 0 ? 'every promise was kept' : `\n${violations.length} violations; ${folder} is kept`);
    process.exitCode = violations.length === 0 ? 0 : 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(process.argv[2]);
