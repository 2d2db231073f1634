// The answer of the bus to a publish, in words.

import { Refused, Unreachable } from './bus.js';
import { absolute, clear, count, el, many } from './dom.js';
import { contentOf, payload } from './payload.js';
import { eventAddress, topicAddress } from './places.js';

/** The element that tells the last answer. */
export class Answer {
    element = el('output', { class: 'answer', 'aria-label': 'Answer' },
        el('p', { class: 'dim' }, 'The answer of the bus appears here.'));

    /** The page has sent a request, and a worker has to answer it. */
    wait() {
        this.#say(true, 'Waiting', 'The request is sent. A worker has to answer it.');
    }

    /** The page does not send this. */
    refuse(text) {
        this.#say(false, 'Not sent', text);
    }

    /**
     * The bus took it.
     * @param {Response} response
     * @param {{topic: string, reply: string, ms: number}} sent
     */
    async show(response, { topic, reply, ms }) {
        const status = `${response.status} ${response.statusText}`.trim();
        const say = (text, id) => this.#say(true, status, text, `in ${count(ms)} ms`, id && { topic, id });
        if (reply) {
            const data = new Uint8Array(await response.arrayBuffer());
            say('A worker answered:', response.headers.get('Event-ID'));
            const type = response.headers.get('Content-Type') ?? '';
            this.element.append(payload(contentOf(data, type), 'Reply'));
            return;
        }
        const answer = await response.json();
        if (answer.later !== undefined) {
            say(`It is held until ${absolute(answer.due)}. Nobody receives it before.`);
            this.element.append(el('p', {}, el('a', { href: topicAddress(topic) }, 'Show what is held')));
        } else if (answer.count === undefined) {
            say(`The event is in the log.${heardBy(answer.subscribers)}`, answer.id);
        } else if (answer.count === 0) {
            say('There was no line, so there is no event.');
        } else {
            const are = answer.count === 1 ? 'event is' : 'events are';
            say(`${count(answer.count)} ${are} in the log.`, answer.first);
        }
    }

    /** The bus refused it, or did not answer. Other errors are thrown again. */
    fail(error) {
        if (error instanceof Refused) {
            this.#say(false, `${error.status} ${error.code}`, error.detail);
        } else if (error instanceof Unreachable) {
            this.#say(false, 'No answer', 'The bus did not answer. The event may be in the log. '
                + 'Look before you send it again.');
        } else {
            throw error;
        }
    }

    #say(isGood, status, text, took, event) {
        clear(this.element,
            el('p', {}, el('strong', { class: isGood ? 'text-ok' : 'text-bad' }, status), ' ',
                took && el('span', { class: 'dim' }, took)),
            el('p', {}, text),
            event && el('p', {}, 'Event ', el('code', {}, event.id), '. ',
                el('a', { href: eventAddress(event.topic, event.id) }, 'Show it in Follow')));
    }
}

function heardBy(subscribers) {
    // A caller that may not receive it is not told.
    if (subscribers === undefined) return '';
    if (subscribers === 0) return ' Nobody waited for it at that moment.';
    return ` ${many(subscribers, 'reader')} waited for it.`;
}
