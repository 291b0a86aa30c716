// SPDX-License-Identifier: MIT
//
// A TCP proxy in front of Redis, one route for each worker and one for the producers: what breaks on
// a route breaks for its user alone. Where the route leads is asked for each connection, so after a
// failover the next one leads to the new primary.

import { once } from 'node:events';
import { connect, createServer } from 'node:net';

export class Route {
    /** target(): the port that Redis has now. Open once `opened` is done. */
    constructor(name, target) {
        this.name = name;
        this.target = target;
        this.sockets = new Set();
        this.refuses = false; // new connections are closed at once
        this.holds = false;   // nothing is forwarded and nothing closed: half-open, as far as anybody can tell
        this.delayMs = 0;
        this.server = createServer((client) => this.#take(client));
        this.opened = (async () => {
            this.server.listen(0, '127.0.0.1');
            await once(this.server, 'listening');
            this.url = `redis://127.0.0.1:${this.server.address().port}`;
        })();
    }

    #take(client) {
        if (this.refuses) {
            client.destroy();
            return;
        }
        const server = connect(this.target(), '127.0.0.1');
        for (const [from, to] of [[client, server], [server, client]]) {
            this.sockets.add(from);
            from.setNoDelay(true);
            const late = []; // {at, bytes}: what is yet to go on, which nothing may overtake
            from.on('data', (bytes) => this.#forward(to, bytes, late));
            from.on('error', () => {}); // close follows
            from.on('close', () => {
                this.sockets.delete(from);
                to.destroy();
            });
            if (this.holds) from.pause();
        }
    }

    #forward(to, bytes, late) {
        if (this.delayMs === 0 && late.length === 0) {
            to.write(bytes);
            return;
        }
        late.push({ at: performance.now() + this.delayMs, bytes });
        if (late.length === 1) setTimeout(() => this.#goOn(to, late), this.delayMs);
    }

    #goOn(to, late) {
        while (late.length > 0 && late[0].at <= performance.now()) to.write(late.shift().bytes);
        if (late.length > 0) setTimeout(() => this.#goOn(to, late), late[0].at - performance.now());
    }

    /** Breaks every connection. */
    drop() {
        for (const socket of this.sockets) socket.destroy();
    }

    hold(on) {
        this.holds = on;
        for (const socket of this.sockets) {
            if (on) socket.pause();
            else socket.resume();
        }
    }

    close() {
        this.drop();
        this.server.close();
    }
}
