// The form that registers a topic or changes its settings, and the line of curl that does the same.

import { request, topicPath } from './bus.js';
import { codeBox } from './buttons.js';
import { curl } from './curl.js';
import { el, setText } from './dom.js';
import { Fields } from './fields.js';
import { Outcome } from './outcome.js';

const UNITS = [['G', 2 ** 30], ['M', 2 ** 20], ['K', 2 ** 10]];

/** A size as the bus takes it, exactly: `64M`. */
export function sizeText(size) {
    const [unit, factor] = UNITS.find(([, each]) => size > 0 && size % each === 0) ?? ['', 1];
    return `${size / factor}${unit}`;
}

/** As `PUT /topics/{topic}` takes them. */
const SETTINGS = [
    { name: 'keep', label: 'Events', placeholder: 'default' },
    { name: 'bytes', label: 'Bytes', placeholder: 'default' },
    { name: 'for', label: 'Age', placeholder: 'default' },
    { name: 'persist', label: 'Kept over restarts', choices: { yes: 'yes', no: 'no' } },
    { name: 'hold', label: 'Held for the group', placeholder: 'none' },
    { name: 'expect', label: 'Expects an event within', placeholder: 'none' },
];

function textsOf({ keep, keep_bytes: size, keep_for: age, persist, hold, expect }) {
    return {
        keep: String(keep ?? 'none'), bytes: size === null ? 'none' : sizeText(size),
        for: age ?? 'none', persist: persist ? 'yes' : 'no', hold: hold ?? 'none', expect: expect ?? 'none',
    };
}

let forms = 0;

/** The form. */
export class TopicSettings {
    element;
    #name;
    #signal;
    #changed;
    #isKnown = false;
    #isRegistered = false;
    #fields;
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
        this.#fields = new Fields(SETTINGS.map(setting => (
            setting.name === 'hold' ? { ...setting, list: this.#groups.id } : setting)));
        const live = { oninput: () => this.#draw() };
        const form = this.#outcome.form(this.#send, () => this.#put(), live,
            el('p', { class: 'dim' }, 'A bound is a number, as 1000, 64M and 24h are, or ‘none’. '
                + 'An empty field is the default of the bus. A registered topic stays without '
                + 'events, and one that is held keeps what its group has not settled. Where no event comes within '
                + 'the time that is expected, the bus publishes one that says so.'),
            this.#fields.element, this.#groups);
        form.append(codeBox(this.#line, 'curl', 'Copy as curl'));
        this.element = el('details', { class: 'panel more topic-settings' }, this.#title, form);
    }

    /** Takes in how the topic is; null where there is none. `groups` are the names of those that take it. */
    update(row, groups) {
        // Where there is no topic, to register it is what can be done.
        if (!this.#isKnown) this.element.open = row === null;
        this.#isKnown = true;
        this.#isRegistered = row?.registered ?? false;
        this.#fields.update(row && textsOf(row));
        setText(this.#title, this.#isRegistered ? 'Change the settings' : 'Register the topic');
        setText(this.#send, this.#isRegistered ? 'Save' : 'Register');
        this.#groups.replaceChildren(...groups.map(value => el('option', { value })));
        this.#draw();
    }

    /**
     * The parameters that are sent: the settings that were changed. A PUT gives a topic the
     * defaults of all that it does not name, but `hold` and `expect`: those that a registered topic has are
     * sent with them, so that they stay.
     */
    get #query() {
        const { changed, typed } = this.#fields;
        const named = name => (changed[name] === '' ? 'none' : changed[name]);
        return { ...(this.#isRegistered ? typed : changed), hold: named('hold'), expect: named('expect') };
    }

    #draw() {
        setText(this.#line, curl({ method: 'PUT', path: topicPath(this.#name), query: this.#query }));
    }

    async #put() {
        const text = this.#isRegistered ? 'The settings are saved.' : 'The topic is registered.';
        const { typed } = this.#fields;
        const options = { method: 'PUT', query: this.#query, signal: this.#signal };
        await request(topicPath(this.#name), options);
        this.#fields.save(typed);
        this.#changed();
        return text;
    }
}
