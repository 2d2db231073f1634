// One selector read without end and without loss: over breaks, restarts of the bus, pauses and a full list
// there is one cursor, and it moves with what was taken. Gaps are handed on where the bus told them.

import { again, until } from './again.js';
import { lines, recovered, Refused, request, topicPath, Unreachable } from './bus.js';

/** Lines of a burst are taken for so long, then the browser may draw. */
const TURN_MS = 8;

/**
 * @callback Take takes an event's line or a mark; answers false if there is no room, and gets it again later
 * @param {string|object} row
 * @returns {boolean}
 */

/** Reads as long as nothing keeps it from reading. */
export class Stream {
    /** Where reading goes on; null before the bus has told it. */
    cursor = null;
    #request;
    #take;
    #told;
    #reasons = new Set();
    #wake = () => {};
    #connection = null;
    #skipped = null;
    #lastGap = '';

    /**
     * @param {{selector: string, since: string, filters: object}} wanted
     * @param {Take} take
     * @param {(state: string, detail?: string) => void} told 'connecting', 'reading', 'resting', 'lost',
     *     'denied', 'waiting' or 'refused', the last two with what the bus said
     */
    constructor(wanted, take, told) {
        this.#request = wanted;
        this.#take = take;
        this.#told = told;
    }

    /** Why it does not read: any of 'paused', 'full', 'hidden'. */
    get reasons() {
        return this.#reasons;
    }

    /** Stops reading for a reason. Nothing is lost: the cursor stays. */
    rest(reason) {
        if (this.#reasons.has(reason)) return;
        this.#reasons.add(reason);
        this.#connection?.abort();
        this.#told('resting');
    }

    /** Takes a reason away, and reads on if it was the last one. */
    resume(reason) {
        if (!this.#reasons.delete(reason)) return;
        if (this.#reasons.size > 0) this.#told('resting');
        else this.#wake();
    }

    /** Goes to the last 200 events. The events between are not read, and a mark says so. */
    jump() {
        if (this.cursor !== null) this.#skipped = this.cursor;
        this.#connection?.abort();
        this.resume('full');
    }

    /** Where a request would begin now. */
    get since() {
        return this.cursor ?? this.#request.since;
    }

    /** Reads until `signal` is aborted or the bus refuses. */
    run(signal) {
        again(() => this.#connect(signal), error => this.#failed(error, signal), signal);
    }

    /**
     * One connection, as soon as there is no reason to rest. It ends well where it was ended here.
     */
    async #connect(signal) {
        while (this.#reasons.size > 0) await until(resolve => { this.#wake = resolve; }, signal);
        this.#told('connecting');
        const connection = new AbortController();
        this.#connection = connection;
        try {
            await this.#read(AbortSignal.any([connection.signal, signal]));
            if (!connection.signal.aborted) throw new Unreachable();
        } catch (error) {
            if (!connection.signal.aborted) throw error;
        } finally {
            this.#connection = null;
            connection.abort();
        }
        return 0;
    }

    /** Tells why a connection ended. Answers false where another one makes no sense. */
    async #failed(error, signal) {
        if (error instanceof Unreachable && this.#reasons.size === 0) {
            if (this.cursor !== null) this.#take({ mark: 'break', from: Date.now() });
            this.#told('lost');
        }
        if (error.status === 401) {
            this.#told('denied');
        } else if (error instanceof Refused) {
            this.#told(error.isPassing ? 'waiting' : 'refused', error.detail);
            if (!error.isPassing) return false;
        }
        return recovered(error, signal);
    }

    async #read(signal) {
        const { selector, filters } = this.#request;
        const since = this.#skipped === null ? this.since : '-200';
        const response = await request(topicPath(selector), {
            query: { since, as: 'ndjson', ...filters }, signal,
            headers: { Accept: 'application/x-ndjson' },
        });
        this.#told('reading');
        for await (const texts of lines(response, signal)) {
            if (!await this.#lines(texts, signal)) return;
        }
    }

    /** Takes lines in the order of the stream. Answers false where it has to stop. */
    async #lines(texts, signal) {
        let began = performance.now();
        for (const text of texts) {
            if (!this.#line(text)) return false;
            if (performance.now() - began < TURN_MS) continue;
            await (globalThis.scheduler?.yield?.() ?? new Promise(resolve => setTimeout(resolve)));
            signal.throwIfAborted();
            began = performance.now();
        }
        return true;
    }

    #line(text) {
        if (text.startsWith('{"id":"')) {
            if (!this.#take(text)) return this.#full();
            this.cursor = text.slice(7, text.indexOf('"', 7));
            return true;
        }
        const told = JSON.parse(text);
        if (told.gap) return this.#gap(told.gap) || this.#full();
        if (told.cursor) return this.#moved(told.cursor);
        return true;
    }

    #full() {
        this.rest('full');
        return false;
    }

    /** A gap is told again where a stream goes on right behind it; one row says it once. */
    #gap(gap) {
        const name = `${gap.after} ${gap.through}`;
        if (name === this.#lastGap) return true;
        if (!this.#take({ mark: 'gap', ...gap })) return false;
        this.#lastGap = name;
        return true;
    }

    #moved(cursor) {
        if (this.#skipped !== null) {
            const after = this.#skipped;
            if (Number(cursor) <= Number(after)) {
                // The last 200 reach back to what is already there: nothing has to be skipped.
                this.#skipped = null;
                this.#connection?.abort();
                return false;
            }
            if (!this.#take({ mark: 'skip', after, through: cursor })) return this.#full();
            this.#skipped = null;
        }
        this.cursor = cursor;
        return true;
    }
}
