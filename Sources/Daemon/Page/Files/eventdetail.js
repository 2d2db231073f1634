// One event in full, and the address of its moment: the same link opens it again, on any page of this bus.

import { BASE } from './base.js';
import { request, topicPath } from './bus.js';
import { smallButton } from './buttons.js';
import { token } from './connection.js';
import { curl } from './curl.js';
import { absolute, ago, clear, copy, el } from './dom.js';
import { payload } from './payload.js';
import { eventAddress, followAddress } from './places.js';
import { oneLine } from './text.js';

/** The path of an event's payload. */
export function eventPath(topic, id) {
    return `${topicPath(topic)}/events/${id}`;
}

/** A link that saves the payload as it was published, byte for byte. */
export function downloadLink(event) {
    const name = `${event.topic}-${event.id}${ending(event)}`;
    return el('a', {
        class: 'button small', href: BASE + eventPath(event.topic, event.id), download: name,
        onclick: async click => {
            // A link carries no token, so a page with one has to ask itself.
            if (!token()) return;
            click.preventDefault();
            const response = await request(eventPath(event.topic, event.id), { headers: { Accept: '*/*' } });
            const address = URL.createObjectURL(await response.blob());
            el('a', { href: address, download: name }).click();
            setTimeout(() => URL.revokeObjectURL(address), 10000);
        },
    }, 'Download payload');
}

function ending({ contentType = '', kind }) {
    if (kind === 'json' || /[/+]json\b/.test(contentType)) return '.json';
    const known = { 'text/csv': '.csv', 'text/html': '.html', 'application/xml': '.xml' };
    return known[contentType.split(';')[0].trim()] ?? (kind === 'text' ? '.txt' : '.bin');
}

/**
 * Everything of an event.
 * @param {object} event of events.js
 * @param {string} selector what the link to its moment follows
 * @param {object} [filters] `type` and `key` of that link
 */
function moment(event, selector, filters = {}) {
    const fact = (name, value) => value !== undefined && value !== null
        && [el('dt', {}, name), el('dd', {}, value)];
    const text = value => value !== undefined && el('bdi', {}, oneLine(value));
    const attributes = Object.entries(event.attributes ?? {});
    return el('div', { class: 'moment' },
        el('div', { class: 'actions' },
            el('a', {
                class: 'button small', href: eventAddress(selector, event.id, filters),
            }, 'Link to this moment'),
            smallButton('Copy event as curl', () => copyCurl(event)),
            downloadLink(event)),
        el('dl', { class: 'facts' },
            fact('Topic', el('a', { href: followAddress(event.topic) }, el('bdi', {}, event.topic))),
            fact('ID', el('code', {}, event.id)),
            fact('Time', el('time', { dateTime: event.time, title: event.time }, bothTimes(event.time))),
            event.type && fact('Type', text(event.type)),
            event.key && fact('Key', text(event.key)),
            event.contentType && fact('Content-Type', text(event.contentType)),
            event.expires && fact('Of use until', bothTimes(event.expires)),
            event.sender && fact('Sender', senderText(event.sender)),
            attributes.map(([name, value]) => fact(oneLine(name), text(value)))),
        payload(event));
}

function bothTimes(time) {
    return `${absolute(time)} (${ago(time)})`;
}

function senderText({ uid, pid }) {
    return `user ${uid}${pid ? `, process ${pid}` : ''}`;
}

function copyCurl(event) {
    copy(curl({ path: eventPath(event.topic, event.id) }), 'The curl line for this event is copied.');
}

/** The panel with the event that was opened. */
export class Detail {
    element = el('section', { class: 'follow-detail', 'aria-label': 'Event', hidden: true });
    /** The event that is open; null if none is. */
    row = null;
    #selector;
    #filters;
    #closed;

    /** `closed` is called when its button was pressed. */
    constructor(selector, filters, closed) {
        this.#selector = selector;
        this.#filters = filters;
        this.#closed = closed;
    }

    open(row) {
        this.row = row;
        clear(this.element, el('div', { class: 'detail-head' }, el('h2', {}, 'Event'),
            smallButton('Close', this.#closed)), moment(row, this.#selector, this.#filters));
        this.element.hidden = false;
        this.element.scrollTop = 0;
    }

    close() {
        this.row = null;
        this.element.hidden = true;
        clear(this.element);
    }
}
