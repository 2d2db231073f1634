// The form that registers a topic or changes its settings, and the line of curl that does the same.

import { request, topicPath } from './bus.js';
import { codeBox, entry, labelled } from './buttons.js';
import { curl } from './curl.js';
import { el, setText } from './dom.js';
import { Outcome } from './outcome.js';

const UNITS = [['G', 2 ** 30], ['M', 2 ** 20], ['K', 2 ** 10]];

/** A size as the bus takes it, exactly: `64M`. */
export function sizeText(size) {
    const [unit, factor] = UNITS.find(([, each]) => size > 0 && size % each === 0) ?? ['', 1];
    return `${size / factor}${unit}`;
}

/** The parameters of PUT: their names, their fields, and how a topic has them. */
const SETTINGS = [
    ['keep', 'Events', { placeholder: 'default' }, ({ keep }) => String(keep ?? 'none')],
    ['bytes', 'Bytes', { placeholder: 'default' }, row => (row.keep_bytes === null ? 'none'
        : sizeText(row.keep_bytes))],
    ['for', 'Age', { placeholder: 'default' }, row => row.keep_for ?? 'none'],
    ['persist', 'Kept over restarts', { choices: ['yes', 'no'] }, ({ persist }) => (persist ? 'yes' : 'no')],
    ['hold', 'Held for the group', { placeholder: 'none' }, ({ hold }) => hold ?? 'none'],
];

let forms = 0;

/** The form. What a person has typed stays while the topic changes. */
export class TopicSettings {
    element;
    #name;
    #signal;
    #changed;
    #isRegistered = false;
    #fields = {};
    /** The settings as the bus has them, by parameter. */
    #had = {};
    #title = el('summary');
    #send = el('button', { type: 'submit' });
    #outcome;
    #line = el('code');
    #groups;

    /**
     * @param {string} name of the topic
     * @param {() => void} changed the topic is another one now
     * @param {AbortSignal} signal
     */
    constructor(name, changed, signal) {
        forms += 1;
        this.#name = name;
        this.#changed = changed;
        this.#signal = signal;
        this.#outcome = new Outcome(signal);
        this.#groups = el('datalist', { id: `groups-${forms}` });
        for (const [parameter, , more] of SETTINGS) this.#fields[parameter] = this.#field(parameter, more);
        const form = el('form', {
            onsubmit: event => {
                event.preventDefault();
                this.#outcome.of(this.#send, () => this.#put());
            },
            oninput: () => this.#draw(),
        }, el('p', { class: 'dim' }, 'A bound is a number, as 1000, 64M and 24h are, or ‘none’. An empty field '
            + 'is the default of the bus. A registered topic stays without events, and one that is held keeps '
            + 'what its group has not settled.'),
        el('div', { class: 'pair' },
            SETTINGS.map(([parameter, title]) => labelled(title, this.#fields[parameter]))),
        this.#groups, this.#outcome.element, el('div', { class: 'actions' }, this.#send),
        codeBox(this.#line, 'curl', 'Copy as curl'));
        this.element = el('details', { class: 'panel more topic-settings' }, this.#title, form);
    }

    #field(name, { choices, ...more }) {
        if (choices) return el('select', { name }, choices.map(value => el('option', { value }, value)));
        return entry(name, { ...more, ...(name === 'hold' ? { list: this.#groups.id } : {}) });
    }

    /** Takes in how the topic is; null where there is none. `groups` are the names of those that take it. */
    update(row, groups) {
        // Where there is no topic, to register it is what can be done.
        if (!('keep' in this.#had)) this.element.open = row === null;
        this.#isRegistered = row?.registered ?? false;
        for (const [parameter, , { choices }, textOf] of SETTINGS) {
            const field = this.#fields[parameter];
            const has = row ? textOf(row) : choices?.[0] ?? '';
            if (!this.#isChanged(parameter)) field.value = has;
            this.#had[parameter] = has;
        }
        setText(this.#title, this.#isRegistered ? 'Change the settings' : 'Register the topic');
        setText(this.#send, this.#isRegistered ? 'Save' : 'Register');
        this.#groups.replaceChildren(...groups.map(value => el('option', { value })));
        this.#draw();
    }

    #isChanged(parameter) {
        return parameter in this.#had && this.#fields[parameter].value.trim() !== this.#had[parameter];
    }

    /**
     * What is sent: the settings that were changed. A PUT gives a topic the defaults of all that it does not
     * name, but `hold`: those that a registered topic has are sent with them, so that they stay.
     */
    get #query() {
        const query = {};
        for (const [parameter] of SETTINGS) {
            const value = this.#fields[parameter].value.trim();
            const isChanged = this.#isChanged(parameter);
            if (parameter === 'hold') {
                if (isChanged) query.hold = value || 'none';
            } else if (value && (isChanged || this.#isRegistered)) {
                query[parameter] = value;
            }
        }
        return query;
    }

    #draw() {
        setText(this.#line, curl({ method: 'PUT', path: topicPath(this.#name), query: this.#query }));
    }

    async #put() {
        const query = new URLSearchParams(this.#query);
        const text = this.#isRegistered ? 'The settings are saved.' : 'The topic is registered.';
        // What is typed meanwhile is a change again.
        const sent = SETTINGS.map(([parameter]) => [parameter, this.#fields[parameter].value.trim()]);
        await request(`${topicPath(this.#name)}?${query}`, { method: 'PUT', signal: this.#signal });
        Object.assign(this.#had, Object.fromEntries(sent));
        this.#changed();
        return text;
    }
}
