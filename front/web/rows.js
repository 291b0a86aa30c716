// SPDX-License-Identifier: MIT
//
// A table that is told again and again what there is. A row stays the same element as long as its key is
// there, so that the focus and what is selected stay too.

export class Rows {
    #body;
    #keyOf;
    #make;
    #rows = new Map();

    /** make(item) gives {root, update}: the row and a function that brings it up to date. */
    constructor(body, keyOf, make) {
        this.#body = body;
        this.#keyOf = keyOf;
        this.#make = make;
    }

    set(items) {
        const before = this.#rows;
        this.#rows = new Map(items.map((item) => {
            const key = this.#keyOf(item);
            const row = before.get(key) ?? this.#make(item);
            row.update(item);
            return [key, row];
        }));
        for (const [key, { root }] of before) if (!this.#rows.has(key)) root.remove();
        let place = this.#body.firstElementChild;
        for (const { root } of this.#rows.values()) {
            if (root === place) place = place.nextElementSibling;
            else this.#body.insertBefore(root, place);
        }
    }
}
