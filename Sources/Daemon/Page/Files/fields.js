// The fields of a form for settings: of something new, or of something that is there and changes
// meanwhile.

import { entry, labelled } from './buttons.js';
import { el } from './dom.js';
import { attributesField } from './filters.js';

/**
 * @typedef {object} Setting
 * @property {string} name its parameter
 * @property {string} label
 * @property {object} [choices] values and their words; the first one is the default. A setting
 *     without choices has properties of its field besides.
 * @property {boolean} [isAttributes] whether it takes lines of NAME=VALUE
 */

/** The fields. A field stays as somebody has typed it. */
export class Fields {
    element;
    #fields = new Map();
    /** The settings as they are without what was typed. */
    #had = {};
    #defaults;

    /** @param {Setting[]} settings */
    constructor(settings) {
        for (const { name, label, choices, isAttributes, ...more } of settings) {
            const options = Object.entries(choices ?? {})
                .map(([value, text]) => el('option', { value }, text));
            const plain = isAttributes ? attributesField('') : entry(name, more);
            const field = choices ? el('select', { name }, options) : plain;
            this.#fields.set(name, { field, label });
            this.#had[name] = field.value;
        }
        this.#defaults = { ...this.#had };
        this.element = el('div', { class: 'pair' },
            [...this.#fields.values()].map(({ field, label }) => labelled(label, field)));
    }

    /**
     * Takes in how the settings are now, or the defaults. A field that somebody has changed stays
     * as it is.
     */
    update(now) {
        const { changed } = this;
        Object.assign(this.#had, now ?? this.#defaults);
        for (const [name, { field }] of this.#fields) {
            if (!(name in changed)) field.value = this.#had[name];
        }
    }

    /** Takes in that these were saved. A field that changed meanwhile is a change again. */
    save(typed) {
        Object.assign(this.#had, typed);
    }

    /** The texts of all fields. */
    get typed() {
        const entries = [...this.#fields].map(([name, { field }]) => [name, field.value.trim()]);
        return Object.fromEntries(entries);
    }

    /** The part of it that somebody has changed. */
    get changed() {
        const isChanged = ([name, value]) => value !== this.#had[name];
        return Object.fromEntries(Object.entries(this.typed).filter(isChanged));
    }

    /** Settings in words: `Lease 2m, Attempts 7`. */
    words(settings) {
        return Object.entries(settings)
            .map(([name, value]) => `${this.#fields.get(name).label} ${value}`).join(', ');
    }
}
