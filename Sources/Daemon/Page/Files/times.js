// When the newest events of topics were published, for rows in view whose time nobody saw. The list of topics
// has only their ids.

import { request, topicPath } from './bus.js';

const AT_ONCE = 2;
const REST_MS = 150;

/** Asks for the times of some topics, the last ones that were wanted, a few at a time. */
export class Times {
    #wanted = [];
    #asked = new WeakMap();
    #running = 0;
    #resting = 0;
    #told;
    #signal;

    /** @param {() => void} told a time is known now */
    constructor(told, signal) {
        this.#told = told;
        this.#signal = signal;
        signal.addEventListener('abort', () => clearTimeout(this.#resting), { once: true });
    }

    /** Wants the times of these topics, and not of those before. Nothing is asked while rows rush by. */
    want(topics) {
        const lacking = topics.filter(topic => topic && Number.isNaN(topic.newestAt) && topic.newest > 0
            && this.#asked.get(topic) !== topic.newest);
        if (lacking.length === 0 && this.#wanted.length === 0) return;
        this.#wanted = lacking;
        clearTimeout(this.#resting);
        this.#resting = setTimeout(() => this.#ask(), REST_MS);
    }

    #ask() {
        while (this.#running < AT_ONCE && this.#wanted.length > 0 && !this.#signal.aborted) {
            this.#running += 1;
            this.#time(this.#wanted.shift()).catch(() => {}).finally(() => {
                this.#running -= 1;
                this.#ask();
            });
        }
    }

    async #time(topic) {
        const id = topic.newest;
        this.#asked.set(topic, id);
        const path = `${topicPath(topic.name)}/events/${id}`;
        const response = await request(path, { method: 'HEAD', signal: this.#signal });
        const time = Date.parse(response.headers.get('Event-Time') ?? '');
        if (topic.newest !== id || !Number.isNaN(topic.newestAt)) return;
        topic.newestAt = time;
        this.#told();
    }
}
