// The subscribers of one topic or all: a view, and the table that the view of a topic has too.

import { BASE } from './base.js';
import { json } from './bus.js';
import { searchField, viewHead } from './buttons.js';
import { count, el, many, setText } from './dom.js';
import { filterName, filtersOfSubscriber } from './filters.js';
import { followAddress, note, subscribersAddress, topicAddress } from './places.js';
import { poll } from './poll.js';
import { behindText } from './standing.js';
import { LiveTable, when } from './tables.js';
import { oneLine } from './text.js';

const SHOWN = 300;

/** Opens the view: `#/subscribers?topic=…&find=…`. */
export function open({ query }, signal) {
    const topic = query.get('topic') ?? '';
    const title = topic ? `Who waits for ${oneLine(topic)}` : 'Who waits';
    return { title, element: new Subscribers(title, topic, query.get('find') ?? '', signal).element };
}

/** Asks who waits: the rows of `GET /subscribers`. */
export async function askWho(topic, signal) {
    return (await json('/subscribers', { query: { topic }, signal })).subscribers;
}

/** The words on which of them a caller is told of. */
export function whoSees() {
    return el('p', { class: 'dim' }, 'You see yourself, and those whose topics, all of them, you may receive '
        + 'from and administer. Root and the bus’s own user see everybody: ',
    el('a', { href: `${BASE}/docs/http-topics#who-waits` }, 'who waits'), '.');
}

const COLUMNS = [
    ['Selector', each => el('a', {
        class: 'cut', title: each.selector, href: followAddress(each.selector, filtersOfSubscriber(each)),
    }, each.selector)],
    ['Filter', filterText],
    ['Form', ({ form }) => form],
    ['User', ({ user }) => String(user ?? '–'), 'number'],
    ['Token', ({ token }) => token ?? '–'],
    ['Process', ({ pid }) => String(pid ?? '–'), 'number'],
    ['Since', ({ since }) => when(since)],
    ['Cursor', each => (each.cursor === null ? '–' : el('a', {
        href: followAddress(each.selector, { since: each.cursor, ...filtersOfSubscriber(each) }),
    }, each.cursor)), 'number'],
    ['Behind', behindText, 'number'],
];

const MEANINGS = {
    Filter: 'Only events that have this are for it', Form: 'How the bus answers it',
    User: 'The number of the user, as the kernel tells it', Token: 'The name of its token',
    Process: 'Known over the unix socket alone', Since: 'When it began to wait',
    Cursor: 'Everything up to this id was told, or was not for it',
    Behind: 'Events behind its cursor that are for it',
};

function filterText(subscriber) {
    const given = Object.entries(filtersOfSubscriber(subscriber)).filter(([, text]) => text !== null);
    return given.map(([name, text]) => `${filterName(name)} ${oneLine(text)}`).join(', ') || '–';
}

/** The table. */
export class SubscriberTable {
    element;
    #table;

    constructor(signal) {
        const options = { meanings: MEANINGS, ticking: signal };
        this.#table = new LiveTable('Subscribers', COLUMNS, options);
        this.element = this.#table.element;
    }

    /** Shows these, and answers how many of them there was room for. */
    show(subscribers) {
        const shown = new Map();
        for (const each of subscribers.slice(0, SHOWN)) {
            const { selector, form, user, token, pid, since } = each;
            let name = JSON.stringify([selector, filtersOfSubscriber(each), form, user, token, pid, since]);
            // Nothing else tells two requests of one moment apart.
            while (shown.has(name)) name += ' ';
            shown.set(name, each);
        }
        this.element.hidden = subscribers.length === 0;
        this.#table.show(shown);
        return shown.size;
    }
}

class Subscribers {
    element;
    #all = [];
    #table;
    #about = el('span', { class: 'dim' }, 'Asking…');
    #find;

    constructor(title, topic, find, signal) {
        this.#table = new SubscriberTable(signal);
        this.#table.show([]);
        this.#find = searchField('Find subscribers', () => {
            this.#draw();
            note(['subscribers'], { topic, find: this.#find.value.trim() }, signal);
        }, { value: find });
        const { problem } = poll(() => askWho(topic, signal), subscribers => {
            this.#all = subscribers;
            this.#draw();
        }, signal);
        this.element = el('div', { class: 'view work' },
            viewHead(title, topic && el('a', { href: topicAddress(topic) }, 'The topic'),
                topic && el('a', { href: subscribersAddress() }, 'All who wait')),
            whoSees(), problem, el('div', { class: 'toolbar center' }, this.#find, this.#about),
            this.#table.element);
    }

    #draw() {
        const typed = this.#find.value.trim();
        const fits = this.#all.filter(each => textOf(each).includes(typed.toLowerCase()));
        const shown = this.#table.show(fits);
        setText(this.#about, this.#aboutText(fits.length, shown, typed));
    }

    #aboutText(fitting, shown, typed) {
        const all = many(this.#all.length, 'subscriber');
        if (this.#all.length === 0) return 'Nobody that you may see waits now.';
        if (fitting > shown) return `${count(fitting)} subscribers, the first ${count(shown)} are shown.`;
        return typed ? `${count(fitting)} of ${all}` : all;
    }
}

/** The text that a search looks through. */
function textOf(subscriber) {
    const { selector, form, user, token, pid } = subscriber;
    return [selector, ...Object.values(filtersOfSubscriber(subscriber)), form, user, token, pid].join(' ').toLowerCase();
}
