// One selector read without end and without loss: over breaks, restarts of the bus, pauses and a full list
// there is one cursor, and it moves with what was taken. Gaps are handed on where the bus told them.

import { reconnected, Refused, request, topicPath, Unreachable, wait } from './bus.js';
import { lose } from './connection.js';

/** The bus says something each 15 s. A connection without that is dead, whatever TCP thinks. */
const SILENCE_MS = 45000;
/** Lines of a burst are taken for so long, then the browser may draw. */
const TURN_MS = 8;
const LINE_MAX = 16 * 1024 * 1024;

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
    #short = 0;

    /**
     * @param {{selector: string, since: string, type?: string, key?: string}} wanted
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

    /** Goes to the last 200 events. What lies between is not read, and a mark says so. */
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
    async run(signal) {
        try {
            for (;;) {
                while (this.#reasons.size > 0) await this.#resumed(signal);
                this.#told('connecting');
                if (!await this.#connect(signal)) return;
            }
        } catch (error) {
            if (!signal.aborted) throw error;
        }
    }

    #resumed(signal) {
        return new Promise((resolve, reject) => {
            const end = () => reject(signal.reason);
            signal.addEventListener('abort', end, { once: true });
            if (signal.aborted) end();
            this.#wake = () => {
                signal.removeEventListener('abort', end);
                resolve();
            };
        });
    }

    /** One connection, and the pause behind it. Answers whether another one makes sense. */
    async #connect(signal) {
        const connection = new AbortController();
        const end = () => connection.abort();
        signal.addEventListener('abort', end);
        this.#connection = connection;
        const began = performance.now();
        try {
            await this.#read(connection.signal);
            if (connection.signal.aborted) return true;
        } catch (error) {
            signal.throwIfAborted();
            if (connection.signal.aborted) return true;
            if (error instanceof Refused) return await this.#refused(error, signal);
            if (!(error instanceof Unreachable)) throw error;
        } finally {
            signal.removeEventListener('abort', end);
            connection.abort();
            this.#connection = null;
        }
        // It broke, or the bus ended it. All that followed it should not come back in the same moment.
        if (this.#reasons.size > 0) return true;
        if (this.cursor !== null) this.#take({ mark: 'break', from: Date.now() });
        this.#told('lost');
        this.#short = performance.now() - began > 5000 ? 0 : Math.min(this.#short + 1, 5);
        await wait(Math.random() * 300 * 2 ** this.#short, signal);
        await reconnected(signal);
        return true;
    }

    async #refused(problem, signal) {
        if (problem.status === 401) {
            this.#told('denied');
            await reconnected(signal);
            return true;
        }
        if (problem.isPassing) {
            this.#told('waiting', problem.detail);
            await wait(1000 + Math.random() * 2000, signal);
            return true;
        }
        this.#told('refused', problem.detail);
        return false;
    }

    get #path() {
        const { selector, type, key } = this.#request;
        const since = this.#skipped === null ? this.since : '-200';
        const query = new URLSearchParams({ since, as: 'ndjson' });
        if (type) query.set('type', type);
        if (key) query.set('key', key);
        return `${topicPath(selector)}?${query}`;
    }

    async #read(signal) {
        const response = await request(this.#path, { signal, headers: { Accept: 'application/x-ndjson' } });
        this.#told('reading');
        const reader = response.body.getReader();
        const decoder = new TextDecoder();
        let begun = [];
        let watch = 0;
        try {
            for (;;) {
                watch = setTimeout(() => reader.cancel().catch(() => {}), SILENCE_MS);
                const { value, done } = await reader.read().catch(() => broken(signal));
                clearTimeout(watch);
                if (done) return;
                const texts = decoder.decode(value, { stream: true }).split('\n');
                begun.push(texts[0]);
                if (texts.length === 1) {
                    if (begun.reduce((sum, text) => sum + text.length, 0) > LINE_MAX) throw new Unreachable();
                    continue;
                }
                texts[0] = begun.join('');
                begun = [texts.pop()];
                if (!await this.#lines(texts, signal)) return;
            }
        } finally {
            clearTimeout(watch);
            reader.cancel().catch(() => {});
        }
    }

    /** Takes lines in the order of the stream. Answers false where it has to stop. */
    async #lines(texts, signal) {
        let began = performance.now();
        for (const text of texts) {
            if (text === '') continue;
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

/** Tells a broken connection from one that was ended here. */
function broken(signal) {
    signal.throwIfAborted();
    lose();
    throw new Unreachable();
}
