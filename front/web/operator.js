// SPDX-License-Identifier: MIT
//
// The operator's token: kept in this tab only (sessionStorage), and only after the server has said that it is right.
// Event `change`: there is one now, or there is none any more.

import { Problem, request } from './server.js';

const KEY = 'susurration-operator-token';

const REFUSED = {
    401: 'This is not the operator’s token.',
    403: 'This server has no operator’s token, so nobody can write here.',
};

class Operator extends EventTarget {
    #token = sessionStorage.getItem(KEY);

    get isIn() {
        return this.#token !== null;
    }

    async enter(token) {
        try {
            await request('GET', '/api/operator', { token });
        } catch (problem) {
            if (problem.status in REFUSED) throw new Problem(problem.status, { detail: REFUSED[problem.status] });
            throw problem;
        }
        sessionStorage.setItem(KEY, token);
        this.#set(token);
    }

    leave() {
        sessionStorage.removeItem(KEY);
        this.#set(null);
    }

    #set(token) {
        this.#token = token;
        this.dispatchEvent(new Event('change'));
    }

    /** A request that writes. A token that is no longer right is forgotten. */
    async write(method, path) {
        try {
            return await request(method, path, { token: this.#token });
        } catch (problem) {
            if (problem.status === 401 || problem.status === 403) this.leave();
            throw problem;
        }
    }
}

export const operator = new Operator();
