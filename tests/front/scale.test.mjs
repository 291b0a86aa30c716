// SPDX-License-Identifier: MIT
//
// One front-end, and workers that come, drain and die under load: every request is answered, and rightly.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { end, pause, startWorker } from '../interop/servers.mjs';
import { Front, until } from './front.mjs';

const CLIENTS = 30;
const HASH = new Map(); // of the state at tick 300, by seed: what the first answer said

let front;
const more = [];
before(async () => { front = await Front.start({ wait: 60 }); });
after(async () => {
    for (const worker of more) if (worker.ended === null) await end(worker);
    await front.stop();
});

const add = async () => more[more.push(await startWorker(front.folder, front.redis.url, 'main', 1)) - 1];
const workers = async () => (await front.expect(200, 'GET', '/api/workers')).json.workers.filter(({ alive }) => alive).length;

test('workers come and go under load, and nothing is lost', async () => {
    let stop = false, answered = 0;
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
        const { json: session } = await front.expect(201, 'POST', '/api/sessions', { seed: client, params: { birds: 10 } });
        let ticks = 0;
        for (let i = 0; !stop; i++) {
            const seed = (client + i) % 7;
            const { json: trace } = await front.expect(201, 'POST', '/api/traces', { seed, at_tick: 300 });
            assert.equal(trace.state_hash, HASH.get(seed) ?? HASH.set(seed, trace.state_hash).get(seed));
            const { json: stepped } = await front.expect(200, 'POST', `/api/sessions/${session.id}/step`, { ticks: 10 });
            assert.equal(stepped.tick, ticks += 10); // never twice, never not at all
            answered += 2;
        }
    });
    const one = await add();
    await until('two work', async () => await workers() === 2);
    await pause(1000);
    one.kill('SIGKILL'); // what it holds goes to the other when its lease is over
    const two = await add();
    await pause(1000);
    assert.equal(await end(front.worker), 'exit 0'); // hands back what it has not begun
    front.worker = two;
    more.splice(more.indexOf(two), 1);
    await pause(1000);
    stop = true;
    await Promise.all(clients);
    assert.ok(answered >= 2 * CLIENTS);
    assert.equal(await front.client.hlen(front.key('ids')), 0);
    assert.equal(await front.client.xlen(front.key('dead')), 0);
});
