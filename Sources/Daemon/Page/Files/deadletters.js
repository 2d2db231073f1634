// The dead letters of a group that were not put back, newest first.

import { confirmed } from './ask.js';
import { Refused, request, Unreachable } from './bus.js';
import { facts, smallButton } from './buttons.js';
import { announce, clear, count, el, many, setHidden, setText } from './dom.js';
import { downloadLink, eventPath } from './eventdetail.js';
import { Outcome } from './outcome.js';
import { brief, contentOf, payload } from './payload.js';
import { eventAddress, followAddress } from './places.js';
import { lettersOf, revive, reviveAll } from './revival.js';
import { cut, LiveTable, when } from './tables.js';
import { oneLine } from './text.js';

/** So many events of the dead topic are looked through at first, and at most. */
const FIRST = 100;
const MOST = 1600;
/** So seldom at most it is told how many are back. */
const PACE_MS = 2000;

const REASONS = {
    attempts: 'all tries failed', worker: 'a worker gave it up',
};

/** The section of the group's page. */
export class DeadLetters {
    element;
    #group;
    #signal;
    #changed;
    #topic = null;
    #depth = FIRST;
    #seen = '';
    #loading = null;
    #title = el('h2', { id: 'letters-title', tabIndex: -1 }, 'Dead letters');
    #about = el('span', { class: 'dim' });
    #problem = el('div', { role: 'alert', class: 'field-problem' });
    #outcome;
    #all = smallButton('Put back all', () => this.#outcome.of(this.#all, () => this.#reviveAll()),
        { hidden: true });
    #older = smallButton('Look for older ones', () => this.#lookDeeper(), { hidden: true });
    #table;

    /**
     * @param {string} group
     * @param {AbortSignal} signal
     * @param {() => void} changed a letter was put back
     */
    constructor(group, signal, changed) {
        this.#group = group;
        this.#signal = signal;
        this.#changed = changed;
        this.#outcome = new Outcome(signal);
        this.#table = new LiveTable('Dead letters', this.#columns());
        this.element = el('section', { class: 'stack', 'aria-labelledby': 'letters-title' },
            el('div', { class: 'view-head' }, this.#title, this.#about,
                el('span', { class: 'spacer' }), this.#all),
            this.#problem, this.#outcome.element, this.#table.element,
            el('div', { class: 'actions' }, this.#older));
    }

    /** Takes in how the group and its dead topic are now, and looks for letters if the topic changed. */
    update(group, topic) {
        this.#topic = group.dead;
        const now = JSON.stringify(topic);
        if (now === this.#seen) return;
        this.#seen = now;
        this.#table.element.hidden = !topic;
        if (!topic) {
            this.#table.show(new Map());
            setHidden(this.#all, true, this.#title);
            setText(this.#about, group.dead ? 'There are none.'
                : 'This group has no topic for dead letters. A job is tried until it is done.');
            return;
        }
        this.#load(topic);
    }

    #lookDeeper() {
        this.#depth = Math.min(this.#depth * 4, MOST);
        this.#load(JSON.parse(this.#seen));
    }

    async #load(topic) {
        this.#loading?.abort();
        const loading = new AbortController();
        this.#loading = loading;
        const signal = AbortSignal.any([loading.signal, this.#signal]);
        let letters = null;
        try {
            letters = await lettersOf(this.#group, this.#topic, `-${this.#depth}`, signal, summary);
        } catch (error) {
            if (signal.aborted) return;
            if (error instanceof Refused) setText(this.#problem, error.detail);
            else if (!(error instanceof Unreachable)) throw error;
            this.#seen = '';
            return;
        }
        this.#show([...letters.values()].reverse(), topic);
    }

    #show(letters, topic) {
        setText(this.#problem, '');
        const all = topic.events <= this.#depth;
        const were = letters.length === 1 ? 'letter was' : 'letters were';
        const looked = `the last ${count(this.#depth)} of ${count(topic.events)} events of ${this.#topic}`;
        setText(this.#about, letters.length === 0 && all ? 'There are none that were not put back.'
            : `${count(letters.length)} ${were} not put back${all ? '' : `, in ${looked}`}.`);
        setHidden(this.#older, all || this.#depth >= MOST, this.#title);
        setHidden(this.#all, letters.length === 0 && all, this.#title);
        this.#table.element.hidden = letters.length === 0;
        this.#table.show(new Map(letters.map(letter => [letter.id, letter])));
    }

    #columns() {
        const attribute = (name, words = {}) => ({ attributes: { [name]: value = '–' } }) =>
            oneLine(words[value] ?? value);
        const from = ({ attributes: { deadtopic: topic } }) => (topic === undefined ? '' : el('a', {
            class: 'cut', title: topic, href: followAddress(topic),
        }, oneLine(topic)));
        return [
            ['Letter', ({ id }) => el('a', { href: eventAddress(this.#topic, id) }, id)],
            ['When', ({ time }) => when(time)],
            ['From', from],
            ['Type', ({ type }) => cut(oneLine(type ?? '–'))],
            ['Key', ({ key }) => cut(oneLine(key ?? '–'))],
            ['Attempts', attribute('deadattempts')],
            ['Reason', attribute('deadreason', REASONS)],
            ['Payload', letter => cut(letter.brief, { class: 'cut mono' })],
            ['', letter => this.#actions(letter)],
        ];
    }

    #actions(letter) {
        const back = smallButton('Put back', () => this.#revive(letter, back));
        const look = smallButton('Show', () => {
            const isOpen = look.textContent === 'Show';
            look.setAttribute('aria-expanded', String(isOpen));
            look.textContent = isOpen ? 'Hide' : 'Show';
            this.#table.unfold(letter.id, isOpen ? this.#inside(letter) : null);
        }, { 'aria-expanded': 'false', 'aria-label': `Payload of ${letter.id}` });
        return el('span', { class: 'actions' }, look, back);
    }

    /** The payload byte for byte, and all attributes. */
    #inside(letter) {
        const content = el('div', {}, 'Asking…');
        const attributes = Object.entries(letter.attributes);
        const show = async () => {
            const options = { signal: this.#signal, headers: { Accept: '*/*' } };
            const response = await request(eventPath(this.#topic, letter.id), options);
            const type = response.headers.get('Content-Type') ?? '';
            clear(content, payload(contentOf(new Uint8Array(await response.arrayBuffer()), type)));
        };
        show().catch(error => setText(content, error.detail ?? error.message));
        return el('div', {},
            el('dl', { class: 'facts' },
                facts(attributes.map(([name, value]) => [
                    oneLine(name), el('bdi', {}, oneLine(value))]))),
            content,
            el('div', { class: 'actions' }, downloadLink({ ...letter, topic: this.#topic })));
    }

    async #revive(letter, button) {
        button.disabled = true;
        setText(this.#problem, '');
        try {
            const id = await revive(this.#group, letter.id, this.#signal);
            const from = letter.attributes.deadtopic;
            const link = from ? el('a', { href: eventAddress(from, id) }, id) : id;
            button.replaceWith(el('span', {}, 'Back as ', link));
            this.#table.unfold(letter.id, null);
            announce(`The letter is back as event ${id}.`);
            this.#changed();
        } catch (error) {
            if (this.#signal.aborted) return;
            button.disabled = false;
            setText(this.#problem, error instanceof Refused ? error.detail
                : 'The bus did not answer. Whether the letter is back is unknown: look at the list.');
        }
    }

    /** Not only those that are shown: the whole topic is looked through. */
    async #reviveAll() {
        const found = await lettersOf(this.#group, this.#topic, 'earliest', this.#signal, () => true);
        const ids = [...found.keys()];
        if (ids.length === 0) return 'There are none that were not put back.';
        const them = many(ids.length, 'letter');
        const isWanted = await confirmed({
            title: `Put back ${them}?`,
            text: ['Each is published again to the topic that it came from, and becomes a job there.',
                'They go one after the other, as long as this page is open.'],
            action: `Put back ${count(ids.length)}`,
        }, this.#signal);
        if (!isWanted) return '';
        let back = 0;
        let toldAt = performance.now();
        const tell = () => this.#outcome.tell(`${count(back)} of ${them} came back.`);
        try {
            await reviveAll(this.#group, ids, this.#signal, number => {
                back = number;
                if (performance.now() - toldAt < PACE_MS) return;
                toldAt = performance.now();
                tell();
            });
        } catch (error) {
            tell();
            throw error;
        } finally {
            this.#changed();
        }
        return back === ids.length ? `${many(back, 'letter')} came back.`
            : `${count(back)} of ${them} came back. Others put the rest back meanwhile, or it was removed.`;
    }
}

/** The part of a letter that is kept: its payload is asked for when it is looked at. */
function summary({ id, time, type, key, attributes, content_type: contentType, data, data_base64: base64 }) {
    const content = base64 !== undefined ? { kind: 'binary', text: base64 }
        : { kind: 'text', text: typeof data === 'string' ? data : JSON.stringify(data) };
    return { id, time, type, key, attributes, contentType, kind: content.kind, brief: brief(content, 100) };
}
