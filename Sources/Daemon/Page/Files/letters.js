// The dead letters of a group that were not put back, newest first.

import { confirmed } from './ask.js';
import { absolute, ago, announce, clear, count, el, many, setChildren, setHidden, setText } from './dom.js';
import { Refused, request, Unreachable } from './bus.js';
import { downloadLink, eventPath, followAddress, momentAddress } from './moment.js';
import { Outcome } from './outcome.js';
import { brief, contentOf, payload } from './payload.js';
import { column, smallButton, tableBox } from './parts.js';
import { lettersOf, revive, reviveAll } from './revival.js';
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
export class Letters {
    element;
    #group;
    #signal;
    #changed;
    #topic = null;
    #depth = FIRST;
    #seen = '';
    #loading = null;
    #rows = new Map();
    #body = el('tbody');
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
        const names = ['Letter', 'When', 'From', 'Type', 'Key', 'Attempts', 'Reason', 'Payload'];
        const actions = column(el('span', { class: 'visually-hidden' }, 'Actions'));
        this.#table = tableBox('Dead letters', [...names.map(name => column(name)), actions], this.#body);
        this.element = el('section', { class: 'stack', 'aria-labelledby': 'letters-title' },
            el('div', { class: 'view-head' }, this.#title, this.#about,
                el('span', { class: 'spacer' }), this.#all),
            this.#problem, this.#outcome.element, this.#table, el('div', { class: 'actions' }, this.#older));
    }

    /** Takes in how the group and its dead topic are now, and looks for letters if the topic changed. */
    update(group, topic) {
        this.#topic = group.dead;
        const now = JSON.stringify(topic);
        if (now === this.#seen) return;
        this.#seen = now;
        this.#table.hidden = !topic;
        if (!topic) {
            clear(this.#body);
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
        this.#table.hidden = letters.length === 0;
        const ids = new Set(letters.map(letter => letter.id));
        for (const id of this.#rows.keys()) if (!ids.has(id)) this.#rows.delete(id);
        const rows = letters.map(letter => {
            if (!this.#rows.has(letter.id)) this.#rows.set(letter.id, this.#row(letter));
            return this.#rows.get(letter.id);
        });
        const parts = rows.flatMap(({ element, inside }) => [element, inside.isOpen && inside.element]);
        setChildren(this.#body, parts.filter(Boolean));
    }

    #row(letter) {
        const { attributes } = letter;
        const cell = (name, ...content) => el('td', { 'data-label': name }, content);
        const inside = { element: null, isOpen: false };
        const back = smallButton('Put back', () => this.#revive(letter, back, inside));
        const look = smallButton('Show', () => {
            inside.isOpen = !inside.isOpen;
            look.setAttribute('aria-expanded', String(inside.isOpen));
            look.textContent = inside.isOpen ? 'Hide' : 'Show';
            inside.element ??= this.#inside(letter);
            if (inside.isOpen) element.after(inside.element);
            else inside.element.remove();
        }, { 'aria-expanded': 'false', 'aria-label': `Payload of ${letter.id}` });
        const from = attributes.deadtopic;
        const element = el('tr', {},
            el('th', { scope: 'row' }, el('a', { href: momentAddress(this.#topic, letter.id) }, letter.id)),
            cell('When', el('time', { dateTime: letter.time, title: absolute(letter.time) },
                ago(letter.time))),
            cell('From', from
                && el('a', { class: 'cut', title: from, href: followAddress(from) }, oneLine(from))),
            cell('Type', el('bdi', { class: 'cut', title: letter.type ?? '' }, oneLine(letter.type ?? '–'))),
            cell('Key', el('bdi', { class: 'cut', title: letter.key ?? '' }, oneLine(letter.key ?? '–'))),
            cell('Attempts', attributes.deadattempts ?? '–'),
            cell('Reason', oneLine(REASONS[attributes.deadreason] ?? attributes.deadreason ?? '–')),
            cell('Payload', el('bdi', { class: 'cut mono' }, letter.brief)),
            cell('', el('span', { class: 'actions' }, look, back)));
        return { element, inside };
    }

    /** The payload byte for byte, and all attributes. */
    #inside(letter) {
        const content = el('div', {}, 'Asking…');
        const facts = Object.entries(letter.attributes).map(([name, value]) => [
            el('dt', {}, oneLine(name)), el('dd', {}, el('bdi', {}, oneLine(value)))]);
        request(eventPath(this.#topic, letter.id), { signal: this.#signal, headers: { Accept: '*/*' } })
            .then(async response => {
                const type = response.headers.get('Content-Type') ?? '';
                clear(content, payload(contentOf(new Uint8Array(await response.arrayBuffer()), type)));
            })
            .catch(error => setText(content, error.detail ?? error.message));
        return el('tr', { class: 'inside' }, el('td', { colSpan: 9 },
            el('dl', { class: 'facts' }, facts), content,
            el('div', { class: 'actions' }, downloadLink({ ...letter, topic: this.#topic }))));
    }

    async #revive(letter, button, inside) {
        button.disabled = true;
        setText(this.#problem, '');
        try {
            const id = await revive(this.#group, letter.id, this.#signal);
            const from = letter.attributes.deadtopic;
            const link = from ? el('a', { href: momentAddress(from, id) }, id) : id;
            button.replaceWith(el('span', {}, 'Back as ', link));
            inside.element?.remove();
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

/** What is kept of a letter: its payload is asked for when it is looked at. */
function summary({ id, time, type, key, attributes, content_type: contentType, data, data_base64: base64 }) {
    const content = base64 !== undefined ? { kind: 'binary', text: base64 }
        : { kind: 'text', text: typeof data === 'string' ? data : JSON.stringify(data) };
    return { id, time, type, key, attributes, contentType, kind: content.kind, brief: brief(content, 100) };
}
