// SPDX-License-Identifier: MIT
//
// Elements without markup: everything that comes from elsewhere becomes text, never HTML.

export const byId = (id) => document.getElementById(id);

/** An element with its attributes (a function is a listener, null and false leave it out) and children. */
export function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === 'function') made.addEventListener(name, value);
        else if (value !== null && value !== false) made.setAttribute(name, value === true ? '' : value);
    }
    made.append(...children.filter((child) => child !== null));
    return made;
}

export const show = (shown, isShown) => { shown.hidden = !isShown; };

/** Sets the text only where it differs, so that a screen reader is not told the same again. */
export function write(written, text) {
    if (written.textContent !== text) written.textContent = text;
}

/** A problem in words, with the advice that came with it, next to what caused it; null takes it away. */
export function tell(place, problem) {
    place.replaceChildren();
    show(place, problem !== null);
    if (problem === null) return;
    place.append(element('span', {}, problem.message));
    if (problem.advice) place.append(element('span', { class: 'advice' }, problem.advice));
}

/** A cell of a table whose rows become cards where there is no room: each cell then shows its heading. */
export const cell = (label, content, kind = '') =>
    element('td', { 'data-label': label, class: kind || null }, content);
