// The events that a view has received: a bounded list, with a row wherever something is missing.

import { member } from './json.js';

/** Rows that are kept. */
const ROWS_MAX = 2000;
/** Memory that payloads may take. */
const BYTES_MAX = 16 * 1024 * 1024;

/**
 * An event from its line of a stream.
 * @returns {object} `id`, `topic`, `time`, `type`, `key`, `contentType`, `attributes`, `expires`, `sender`,
 *     and the payload: `kind` is 'json', 'text' or 'binary', `text` JSON as it was written, text, or base64
 */
export function event(line) {
    const { data, data_base64: base64, content_type: contentType, ...rest } = JSON.parse(line);
    let kind = 'text';
    let text = data ?? '';
    if (base64 !== undefined) [kind, text] = ['binary', base64];
    else if (typeof data !== 'string') [kind, text] = ['json', member(line, 'data') ?? 'null'];
    const wide = /[^\x00-\xff]/.test(text);
    // All else of an event is small, but not nothing.
    return { ...rest, contentType, kind, text, cost: text.length * (wide ? 2 : 1) + 300 };
}

/**
 * A list of rows: events, and marks `{mark: 'gap'|'break'|'skip', …}`. Each has a `number` that stays.
 * Rows that a search does not match are kept, and not among `shown`.
 */
export class Events {
    /** All rows. */
    rows = [];
    /** The rows that the search matches, and all marks. The same array as `rows` without a search. */
    shown = this.rows;
    /** Events that came in. */
    received = 0;
    /** Events that left because the list was full. */
    left = 0;
    /** Rows of `shown` that left, so that a view knows by how much everything moved up. */
    shownLeft = 0;
    #bytes = 0;
    #next = 0;
    #needle = '';

    /** Whether a row has to leave before another one comes. */
    get isFull() {
        return this.rows.length >= ROWS_MAX || this.#bytes >= BYTES_MAX;
    }

    get isEmpty() {
        return this.rows.length === 0;
    }

    /** Appends an event or a mark. */
    add(row) {
        row.number = this.#next;
        this.#next += 1;
        this.rows.push(row);
        if (!row.mark) {
            this.received += 1;
            this.#bytes += row.cost;
        }
        if (this.shown !== this.rows && this.#matches(row)) this.shown.push(row);
        return row;
    }

    /** Takes the oldest row out. */
    drop() {
        const row = this.rows[0];
        if (this.shown[0] === row) {
            if (this.shown !== this.rows) this.shown.shift();
            this.shownLeft += 1;
        }
        this.rows.shift();
        if (!row.mark) {
            this.left += 1;
            this.#bytes -= row.cost;
        }
    }

    /** Shows only events whose topic, type, key or payload has this text in it, in capitals or not. */
    find(text) {
        this.#needle = text.toLowerCase();
        this.shown = this.#needle ? this.rows.filter(row => this.#matches(row)) : this.rows;
    }

    /** The place of a row in `shown`, or -1. */
    place(number) {
        let [low, high] = [0, this.shown.length];
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.shown[middle].number < number) low = middle + 1;
            else high = middle;
        }
        return this.shown[low]?.number === number ? low : -1;
    }

    #matches(row) {
        if (row.mark) return true;
        const has = text => text !== undefined && text.toLowerCase().includes(this.#needle);
        if (has(row.topic) || has(row.type) || has(row.key) || row.id === this.#needle) return true;
        return has(row.kind === 'binary' ? atob(row.text) : row.text);
    }
}
