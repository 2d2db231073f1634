// The events that are held for a topic until they are due, by their tickets, and how one is cancelled.

import { confirmed } from './ask.js';
import { BASE } from './base.js';
import { json, Refused, request, topicPath } from './bus.js';
import { smallButton } from './buttons.js';
import { absolute, bytes, count, el, many, setHidden, setText } from './dom.js';
import { Outcome } from './outcome.js';
import { cut, LiveTable, when } from './tables.js';
import { oneLine } from './text.js';

/** So many tickets are asked for at a time. */
const PART = 100;

const MEANINGS = {
    Due: 'How long it takes until they become visible', At: 'The same on the clock of this browser',
    Every: 'The interval of a schedule', User: 'The number of the user that published them',
};

/** The section of the topic's page. It is not there before something is held. */
export class Later {
    element;
    #topic;
    #signal;
    #changed;
    /** The bus does not let this caller see what is held: it is asked no more. */
    #isDenied = false;
    /** The ticket behind which the part that is shown begins, and the one behind which the next does. */
    #after = '';
    #next = null;
    /** What is shown, by the tickets. */
    #held = new Map();
    #title = el('h2', { id: 'later-title', tabIndex: -1 }, 'Held for later');
    #about = el('span', { class: 'dim' });
    #outcome;
    #table;
    #first = smallButton('First tickets', () => this.#go(''), { hidden: true });
    #more = smallButton('Next tickets', () => this.#go(this.#next), { hidden: true });

    /**
     * @param {string} topic
     * @param {() => void} changed another part is wanted, or a ticket was cancelled
     * @param {AbortSignal} signal
     */
    constructor(topic, changed, signal) {
        this.#topic = topic;
        this.#changed = changed;
        this.#signal = signal;
        this.#outcome = new Outcome(signal);
        const options = { meanings: MEANINGS, ticking: signal };
        this.#table = new LiveTable('Held for later', this.#columns(), options);
        this.element = el('section', { class: 'stack', 'aria-labelledby': 'later-title', hidden: true },
            el('div', { class: 'view-head' }, this.#title, this.#about),
            el('p', { class: 'dim' }, 'Nobody receives an event before it is due. You see the events of your own '
                + 'user, and all of them if you may administer the topic: ',
            el('a', { href: `${BASE}/docs/http-events#later` }, 'events for later'), '.'),
            this.#outcome.element, this.#table.element,
            el('div', { class: 'actions' }, this.#first, this.#more));
    }

    get #path() {
        return `${topicPath(this.#topic)}/later`;
    }

    /** Whether the caller sees that something is held. */
    get isHolding() {
        return this.#held.size > 0;
    }

    /** Asks for the part that is shown; null where the bus refuses it. */
    async ask() {
        if (this.#isDenied) return null;
        const query = { max: PART, after: this.#after };
        try {
            return await json(this.#path, { query, signal: this.#signal, isOptional: true });
        } catch (error) {
            if (!(error instanceof Refused)) throw error;
            this.#isDenied = !error.isPassing;
            return null;
        }
    }

    /** Shows what the bus answered. A refusal changes nothing. */
    show(answer) {
        if (!answer) return;
        const { later, next } = answer;
        this.#next = next;
        this.#held = new Map(later.map(ticket => [ticket.later, ticket]));
        const isPart = this.#after !== '' || next !== null;
        // Once shown it stays: it says what became of a ticket.
        if (this.isHolding || isPart) this.element.hidden = false;
        setText(this.#about, this.#aboutText(later.length, isPart));
        const focus = document.activeElement;
        const isWithin = this.element.contains(focus);
        this.#table.show(this.#held);
        setHidden(this.#table.element, !this.isHolding, this.#title);
        setHidden(this.#first, this.#after === '', this.#title);
        setHidden(this.#more, next === null, this.#title);
        // The button of a ticket goes with its row.
        if (isWithin && !focus.isConnected) this.#title.focus({ preventScroll: true });
    }

    #aboutText(shown, isPart) {
        if (shown === 0) return isPart ? 'There are none in this part.' : 'There are none.';
        if (!isPart) return many(shown, 'ticket');
        return `The ${this.#after === '' ? 'first' : 'next'} ${many(shown, 'ticket')}`;
    }

    #go(after) {
        this.#after = after;
        this.#changed();
    }

    #columns() {
        const isOver = ({ due }) => Date.parse(due) < Date.now();
        return [
            ['Ticket', ({ later }) => later],
            ['Due', ticket => when(ticket.due, isOver(ticket) ? 'now' : undefined)],
            ['At', ({ due }) => when(due, absolute(due))],
            ['Type', ({ type }) => cut(oneLine(type ?? '–'))],
            ['Key', ({ key }) => cut(oneLine(key ?? '–'))],
            ['Events', ({ count: events }) => count(events), 'number'],
            ['Bytes', ({ bytes: size }) => bytes(size), 'number'],
            ['Every', ({ every }) => every ?? '–'],
            ['Name', ({ name }) => cut(oneLine(name ?? '–'))],
            ['User', ({ sender }) => String(sender?.uid ?? '–'), 'number'],
            ['', ({ later }) => this.#action(later)],
        ];
    }

    #action(ticket) {
        const cancel = smallButton('Cancel', () => this.#outcome.of(cancel, () => this.#cancel(ticket)));
        return cancel;
    }

    async #cancel(ticket) {
        const { due, count: events, bytes: size, every, name } = this.#held.get(ticket);
        const what = every ? `the schedule ${oneLine(name ?? ticket)}` : `the ticket ${ticket}`;
        const lost = every
            ? [`It publishes an event every ${every}, the next one at ${absolute(due)}. Nobody will receive that `
                + 'one, nor any later one.', 'The events that it has published stay.']
            : `Its ${many(events, 'event')} (${bytes(size)}) would become visible at ${absolute(due)}. `
                + `Nobody will receive ${events === 1 ? 'it' : 'them'}.`;
        const isWanted = await confirmed({
            title: `Cancel ${what}?`, text: lost, action: 'Cancel it', keep: 'Keep it',
        }, this.#signal);
        if (!isWanted) return '';
        try {
            await request(`${this.#path}/${ticket}`, { method: 'DELETE', signal: this.#signal });
        } finally {
            // A refusal shows that the list is old.
            this.#changed();
        }
        return `${what[0].toUpperCase()}${what.slice(1)} is cancelled.`;
    }
}
