// SPDX-License-Identifier: MIT
//
// Three weights in [0, 1], each as a slider and as a number that takes any value in between.

import { element } from './dom.js';
import { setting } from './format.js';

const WAIT_MS = 150; // keys that are held down make one change

const NAMES = {
    cohesion: 'towards the middle of the neighbors',
    alignment: 'in the direction of the neighbors',
    separation: 'away from those that are too near',
};

export class WeightControls {
    #rows = {};
    #changed = {};
    #timer = null;

    /** onChange gets {name: value} of those that were changed. */
    constructor(place, onChange) {
        for (const [name, meaning] of Object.entries(NAMES)) {
            const both = { min: '0', max: '1', value: '0.5' };
            const slider = element('input', { ...both, type: 'range', id: `${name}-slider`, step: '0.01',
                                              'aria-describedby': `${name}-meaning` });
            const number = element('input', { ...both, type: 'number', id: name, step: 'any', required: true,
                                              'aria-label': `${name}, as a number` });
            slider.addEventListener('input', () => { number.value = slider.value; });
            number.addEventListener('input', () => { if (number.validity.valid) slider.value = number.value; });
            for (const control of [slider, number]) {
                control.addEventListener('change', () => this.#change(name, number, onChange));
            }
            this.#rows[name] = { slider, number };
            place.append(element('div', { class: 'weight' },
                element('label', { for: `${name}-slider` }, name[0].toUpperCase() + name.slice(1)), number, slider,
                element('span', { class: 'meaning', id: `${name}-meaning` }, meaning)));
        }
    }

    get values() {
        return Object.fromEntries(Object.entries(this.#rows).map(([name, { number }]) => [name, Number(number.value)]));
    }

    set(values) {
        for (const [name, { slider, number }] of Object.entries(this.#rows)) {
            number.value = setting(values[name]);
            slider.value = values[name];
        }
    }

    #change(name, number, onChange) {
        if (!number.reportValidity()) return;
        this.#changed[name] = Number(number.value);
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => {
            const changed = this.#changed;
            this.#changed = {};
            onChange(changed);
        }, WAIT_MS);
    }
}
