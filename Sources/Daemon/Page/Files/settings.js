// The settings of a work group: one table for what a group is, for the form that makes one and for the one that
// changes it.

import { entry, labelled } from './buttons.js';
import { count, el } from './dom.js';
import { followAddress } from './places.js';
import { oneLine } from './text.js';

/**
 * As `PUT /groups/{group}` takes them. `changes` means that a group that is there can be given another one.
 * Where there are choices, the first one is the default.
 */
const SETTINGS = [
    { name: 'of', label: 'Of', isTopic: true, placeholder: 'jobs.mail', required: true },
    { name: 'dead', label: 'Dead letters go to', isTopic: true, placeholder: 'nowhere', changes: true },
    { name: 'attempts', label: 'Attempts', placeholder: '5', inputMode: 'numeric', changes: true },
    { name: 'lease', label: 'Lease', placeholder: '60s', changes: true },
    { name: 'in_flight', label: 'In flight', placeholder: '1000', inputMode: 'numeric', changes: true },
    { name: 'since', label: 'Since', placeholder: 'earliest' },
    { name: 'type', label: 'Type', placeholder: 'all' },
    { name: 'order', label: 'Order', choices: [['none', 'none'], ['key', 'by key']] },
    { name: 'persist', label: 'Kept over restarts', choices: [['yes', 'yes'], ['no', 'no']] },
    { name: 'replies', label: 'Replies', choices: [['no', 'no'], ['yes', 'yes']] },
];

/** What a group is, setting by setting: a label, and what stands for the value. */
export function factsOf(group) {
    return SETTINGS.filter(({ name }) => name in group)
        .map(setting => [setting.label, fact(setting, group[setting.name])]);
}

function fact({ isTopic, choices, placeholder }, value) {
    if (value === null) return placeholder;
    if (isTopic) return el('a', { href: followAddress(value) }, el('bdi', {}, value));
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    if (typeof value === 'number') return count(value);
    return choices?.find(([choice]) => choice === value)?.[1] ?? el('bdi', {}, oneLine(value));
}

/**
 * The fields of a group that is to be made.
 * @param {HTMLElement} names a datalist of topics
 */
export function newFields(names) {
    return SETTINGS.map(setting => labelled(setting.label, field(setting, names)));
}

/** What is to be said of a new group: all that is not as it would be anyway. */
export function wantedOf(form) {
    const wanted = {};
    for (const { name, choices } of SETTINGS) {
        const value = form.elements[name].value.trim();
        if (value !== '' && value !== choices?.[0][0]) wanted[name] = value;
    }
    return wanted;
}

/** The fields of a group that is there, and what of them somebody has changed. */
export class Changes {
    element;
    #fields = new Map();
    #now = {};

    /** @param {HTMLElement} names a datalist of topics */
    constructor(names) {
        for (const setting of SETTINGS.filter(({ changes }) => changes)) {
            const { name, isTopic } = setting;
            this.#fields.set(name, field({ ...setting, required: !isTopic }, names));
        }
        this.element = el('div', { class: 'pair' }, SETTINGS.filter(({ name }) => this.#fields.has(name))
            .map(({ name, label }) => labelled(label, this.#fields.get(name))));
    }

    /** Takes in how the group is now. A field that somebody has changed stays as it is, unless `isSaved`. */
    update(group, isSaved = false) {
        for (const [name, input] of this.#fields) {
            const now = String(group[name] ?? '');
            if (isSaved || input.value === (this.#now[name] ?? '')) input.value = now;
            this.#now[name] = now;
        }
    }

    /** What differs from the group, as parameters. */
    get wanted() {
        const entries = [...this.#fields].map(([name, { value }]) => [name, value.trim()]);
        const changed = entries.filter(([name, value]) => value !== this.#now[name]);
        return Object.fromEntries(changed.map(([name, value]) => [name, value === '' ? 'none' : value]));
    }

    /** The same in words: `Lease 2m, Attempts 7`. */
    static words(wanted) {
        return SETTINGS.filter(({ name }) => name in wanted)
            .map(({ name, label }) => `${label} ${wanted[name]}`).join(', ');
    }
}

function field({ name, isTopic, choices, placeholder, inputMode, required }, names) {
    if (choices) return el('select', { name }, choices.map(([value, text]) => el('option', { value }, text)));
    return entry(name, { placeholder, inputMode, required, list: isTopic ? names.id : null });
}
