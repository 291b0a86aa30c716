// SPDX-License-Identifier: MIT
//
// What every page does: it says when the connection is lost, and SPACE plays where no field has the focus.

import { connection } from './server.js';
import { byId, show } from './dom.js';

const TYPED_INTO = 'input, textarea, select, button, a, summary, [contenteditable]';

export function startPage() {
    const banner = byId('connection');
    connection.addEventListener('lost', () => {
        banner.textContent = 'Connection lost. Trying again…';
        show(banner, true);
    });
    connection.addEventListener('back', () => show(banner, false));
}

/** Calls `toggle` for SPACE, except where SPACE has a meaning already. */
export function onSpace(toggle) {
    document.addEventListener('keydown', (event) => {
        if (event.key !== ' ' || event.target.closest(TYPED_INTO) || event.ctrlKey || event.altKey || event.metaKey) return;
        event.preventDefault();
        toggle();
    });
}
