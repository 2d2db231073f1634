// One event in full, and the address of its moment: the same link opens it again, on any page of
// this bus.

import { BASE } from './base.js';
import { request, topicPath } from './bus.js';
import { facts, smallButton } from './buttons.js';
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
            const path = eventPath(event.topic, event.id);
            const response = await request(path, { headers: { Accept: '*/*' } });
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

/** The panel with the event that was opened. */
export class Detail {
    element = el('section', { class: 'follow-detail', 'aria-label': 'Event', hidden: true });
    /** The event that is open; null if none is. */
    row = null;
    #selector;
    #filters;
    #closed;

    /**
     * @param {string} selector what the link to its moment follows
     * @param {object} filters those of that link
     * @param {() => void} closed its button was pressed
     */
    constructor(selector, filters, closed) {
        this.#selector = selector;
        this.#filters = filters;
        this.#closed = closed;
    }

    open(event) {
        this.row = event;
        const link = eventAddress(this.#selector, event.id, this.#filters);
        const path = eventPath(event.topic, event.id);
        clear(this.element,
            el('div', { class: 'detail-head' },
                el('h2', {}, 'Event'), smallButton('Close', this.#closed)),
            el('div', { class: 'moment' },
                el('div', { class: 'actions' },
                    el('a', { class: 'button small', href: link }, 'Link to this moment'),
                    smallButton('Copy event as curl',
                        () => copy(curl({ path }), 'The curl line for this event is copied.')),
                    downloadLink(event)),
                el('dl', { class: 'facts' }, facts(factsOf(event))),
                payload(event)));
        this.element.hidden = false;
        this.element.scrollTop = 0;
    }

    close() {
        this.row = null;
        this.element.hidden = true;
        clear(this.element);
    }
}

function factsOf({ topic, id, time, type, key, contentType, expires, sender, attributes }) {
    const both = moment => `${absolute(moment)} (${ago(moment)})`;
    const text = value => value && el('bdi', {}, oneLine(value));
    return [
        ['Topic', el('a', { href: followAddress(topic) }, el('bdi', {}, topic))],
        ['ID', el('code', {}, id)],
        ['Time', el('time', { dateTime: time, title: time }, both(time))],
        ['Type', text(type)], ['Key', text(key)], ['Content-Type', text(contentType)],
        ['Of use until', expires && both(expires)],
        ['Sender', sender && `user ${sender.uid}${sender.pid ? `, process ${sender.pid}` : ''}`],
        ...Object.entries(attributes ?? {}).map(([name, value]) => [
            oneLine(name), el('bdi', {}, oneLine(value))]),
    ];
}
