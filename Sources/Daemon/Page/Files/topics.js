// The live table of topics: one request waits for what changes, and each row learns its rate from how many
// events were published to it. The model is shared by all who look at it, and rests while nobody does.

import { again, every } from './again.js';
import { json, recovered, Refused } from './bus.js';
import { onToken } from './connection.js';
import { beginAnew, Ring } from './ring.js';

/** Rows that the page keeps. A bus with more topics is told about as having more. */
const ROWS_MAX = 50000;
/** On a busy bus answers come in batches of this time: fewer and larger ones cost less. */
const PAUSE_MS = 500;
const BUSY_PAUSE_MS = 1000;
const BUSY_ROWS = 200;

/** A topic as the list has it, with what the page learned by looking. */
export class Topic {
    /** Events in a second, of the last ten; NaN if the bus does not tell what was published. */
    rate = NaN;
    /** When the newest event was published, in ms since 1970; NaN if there is none. */
    newestAt = NaN;
    /** Since when it has had no event, in ms since 1970, where the bus says that it is silent; else NaN. */
    silentAt = NaN;
    /** Its last minutes as a `Ring`; null if there were no events in them. */
    history = null;

    constructor(name) {
        this.name = name;
    }

    /** Takes a row of the list in. Answers how many events were published since the last one. */
    take(row) {
        const before = this.published;
        const newest = row.newest === null ? 0 : Number(row.newest);
        const { events, bytes, subscribers, published } = row;
        Object.assign(this, { events, bytes, subscribers, published, newest });
        this.newestAt = Date.parse(row.newest_time);
        this.silentAt = Date.parse(row.silent_since);
        if (row.published === undefined) return 0;
        if (Number.isNaN(this.rate)) this.rate = 0;
        if (before === undefined) return 0;
        // A bus that began anew counts from zero.
        return row.published >= before ? row.published - before : row.published;
    }
}

/** Whether a topic is silent: it has had no event for longer than one is expected within. */
export function isSilent({ silentAt }) {
    return Number.isFinite(silentAt);
}

/** All topics that the caller may see. */
class Topics {
    /** Topics by name. */
    rows = new Map();
    /** Rises when a topic comes or goes. */
    version = 0;
    /** Whether the list was received. */
    isKnown = false;
    /** Whether there are more topics than the page keeps. */
    isPartial = false;
    /** All events together. */
    total = new Ring();
    /** Whether the request of the page waits at the bus, which counts it among those that wait. */
    isWaiting = false;
    /** The last refusal of the list; null while it is answered. */
    refusal = null;
    #watchers = new Set();
    #active = new Set();
    #next = '0';
    #answered = NaN;
    #run = null;

    /**
     * Calls back whenever something changed, until `signal` is aborted. The list is asked for as long as somebody
     * watches and the page can be seen.
     * @param {(isNews: boolean) => void} callback without news only rates have fallen
     */
    watch(callback, signal) {
        this.#watchers.add(callback);
        signal.addEventListener('abort', () => {
            this.#watchers.delete(callback);
            this.#rest();
        }, { once: true });
        this.#rest();
    }

    constructor() {
        document.addEventListener('visibilitychange', () => this.#rest());
        onToken(() => {
            this.#run?.abort();
            this.#run = null;
            this.#forget();
            this.#rest();
        });
    }

    #rest() {
        const wanted = this.#watchers.size > 0 && !document.hidden;
        if (wanted && !this.#run) {
            this.#run = new AbortController();
            this.#follow(this.#run.signal);
        } else if (!wanted && this.#run) {
            this.#run.abort();
            this.#run = null;
        }
    }

    #follow(signal) {
        let resumed = true;
        const act = async () => {
            const began = performance.now();
            this.isWaiting = true;
            const asked = json(`/topics?since=${this.#next}&wait=30s`, { signal });
            const answer = await asked.finally(() => { this.isWaiting = false; });
            this.#take(answer, resumed);
            resumed = false;
            const isBusy = answer.topics.length > BUSY_ROWS && performance.now() - began < 2000;
            return isBusy ? BUSY_PAUSE_MS : PAUSE_MS;
        };
        const failed = error => {
            resumed = true;
            if (error instanceof Refused) {
                this.refusal = error;
                this.#tell();
                if (error.status === 400) this.#next = '0';
            }
            return recovered(error, signal);
        };
        again(act, failed, signal);
        every(1000, () => this.#tick(), signal);
    }

    #take({ topics, removed, all, next }, resumed) {
        const now = Date.now();
        const known = this.rows;
        // After a rest nobody knows when in it the events came: they are spread over it.
        const since = resumed && Number.isFinite(this.#answered) ? this.#answered : now;
        const isSure = !resumed && now - this.#answered < 35000;
        if (all) {
            this.rows = new Map();
            this.isPartial = false;
            this.version += 1;
        }
        let published = 0;
        for (const row of topics) {
            const old = known.get(row.name);
            const count = this.#row(row, old, isSure, all);
            if (count > 0) this.#count(this.rows.get(row.name), count, since, now);
            published += count;
        }
        for (const name of removed) {
            this.#active.delete(this.rows.get(name));
            if (this.rows.delete(name)) this.version += 1;
        }
        if (all) {
            const stays = topic => this.rows.get(topic.name) === topic;
            this.#active = new Set([...this.#active].filter(stays));
        }
        if (published > 0) this.total.add(published, since, now);
        this.#next = next;
        this.#answered = now;
        this.isKnown = true;
        this.refusal = null;
        this.#tell();
    }

    /** Takes one row in, and answers how many events it brought. */
    #row(row, old, isSure, all) {
        let topic = old;
        if (!topic) {
            if (this.rows.size >= ROWS_MAX) {
                this.isPartial = true;
                return 0;
            }
            topic = new Topic(row.name);
            this.version += 1;
        }
        if (!old || all) this.rows.set(row.name, topic);
        const count = topic.take(row);
        // All of a topic that came since the last answer is new. In a list of all it may be old.
        if (old || all || !isSure) return count;
        return row.published ?? 0;
    }

    #count(topic, events, since, now) {
        topic.history ??= new Ring();
        topic.history.add(events, since, now);
        topic.rate = topic.history.rate(now);
        this.#active.add(topic);
    }

    /** Rates fall while nothing comes. */
    #tick() {
        if (this.#active.size === 0) return;
        const now = Date.now();
        for (const topic of this.#active) {
            topic.rate = topic.history.rate(now);
            if (!topic.history.isOver(now)) continue;
            topic.history = null;
            this.#active.delete(topic);
        }
        this.#tell(false);
    }

    /**
     * Takes in the number of subscribers, which changes without a change of the row. Answers how many topics
     * there are to be seen; null where there are too many to ask.
     */
    async refreshSubscribers(signal) {
        if (this.rows.size > 500) return null;
        const { topics } = await json('/topics', { signal });
        for (const { name, subscribers } of topics) {
            const topic = this.rows.get(name);
            if (topic) topic.subscribers = subscribers;
        }
        this.#tell(false);
        return topics.length;
    }

    #forget() {
        this.rows = new Map();
        this.#active.clear();
        this.total = new Ring();
        beginAnew();
        this.isKnown = false;
        this.#next = '0';
        this.version += 1;
        this.#tell();
    }

    #tell(isNews = true) {
        for (const callback of [...this.#watchers]) callback(isNews);
    }
}

/** The topics of this bus. */
export const topics = new Topics();
