// SPDX-License-Identifier: MIT

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';
import { pause } from '../interop/servers.mjs';
import { Route } from './proxy.mjs';

test('proxy_keeps the order while it grows slow and fast, and while it holds', async () => {
    const got = [];
    const server = createServer((socket) => socket.on('data', (bytes) => got.push(...bytes))).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const route = new Route('here', () => server.address().port);
    await route.opened;
    const client = connect(new URL(route.url).port, '127.0.0.1');
    await once(client, 'connect');
    const sent = Array.from({ length: 120 }, (_, i) => i);
    for (const i of sent) {
        if (i % 20 === 0) route.delayMs = i % 40 === 0 ? 15 : 0;
        if (i % 50 === 25) route.hold(true);
        if (i % 50 === 35) route.hold(false);
        client.write(Buffer.from([i]));
        await pause(1);
    }
    for (let left = 200; got.length < sent.length && left > 0; left--) await pause(10);
    route.close();
    server.close();
    assert.deepEqual(got, sent);
});
