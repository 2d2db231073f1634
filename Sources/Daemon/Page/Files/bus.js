// Requests to the bus. Everything that the page knows comes through here, by the public interface and with
// the token of this tab.

import { BASE, withQuery } from './base.js';
import { become, lose, reconnected, token } from './connection.js';

/** The bus said no. `detail` says in plain words what was wrong and what to do: show it as it is. */
export class Refused extends Error {
    constructor(status, code, detail) {
        super(detail);
        this.name = 'Refused';
        this.status = status;
        this.code = code;
        this.detail = detail;
    }

    /** Whether the same request may well succeed in a moment. */
    get isPassing() {
        return this.status === 429 || this.status === 503;
    }
}

/** There was no answer. */
export class Unreachable extends Error {
    constructor() {
        super('The bus does not answer.');
        this.name = 'Unreachable';
    }
}

/** For `catch`: null for a refusal, where the answer is not needed. */
export function unlessRefused(error) {
    if (error instanceof Refused) return null;
    throw error;
}

/** For loops: waits until the bus may answer again. Throws an error that has another cause. */
export async function recovered(error, signal) {
    if (error instanceof Unreachable || error.status === 401) await reconnected(signal);
    else if (!(error instanceof Refused)) throw error;
}

let underWay = 0;
let heard = 0;

/** How long no request was under way, in ms. */
export function quietFor() {
    return underWay > 0 ? 0 : performance.now() - heard;
}

const ANSWER_MS = 45000;
const HEARTBEATS_MS = 45000;
const LINE_MAX = 64 * 1024 * 1024;

/**
 * Sends a request.
 * @param {string} path behind `BASE`, from `/` on
 * @param {object} [options] `query` (parameters without a value are left out), `method`, `body`,
 *     `headers`, `signal`; `timeout` in ms for the head of the answer (0 for none); `isOptional` for what a
 *     caller may do without: a 401 says nothing of the page then
 * @returns {Promise<Response>} an answer below 400
 * @throws {Refused|Unreachable|DOMException} the last one when `signal` was aborted
 */
export async function request(path, options = {}) {
    const { query, method = 'GET', body, headers, signal, timeout = ANSWER_MS, isOptional } = options;
    signal?.throwIfAborted();
    const late = new AbortController();
    const timer = timeout && setTimeout(() => late.abort(), timeout);
    const sent = { Accept: 'application/json', ...headers };
    if (token()) sent.Authorization = `Bearer ${token()}`;
    underWay += 1;
    let response;
    try {
        response = await fetch(BASE + withQuery(path, query), {
            method, body, headers: sent, cache: 'no-store', credentials: 'omit', redirect: 'error',
            signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
        });
    } catch {
        signal?.throwIfAborted();
        lose();
        throw new Unreachable();
    } finally {
        clearTimeout(timer);
        underWay -= 1;
        heard = performance.now();
    }
    if (!response.ok) throw await refusal(response, isOptional);
    become('connected', {}, path);
    return response;
}

async function refusal(response, isOptional) {
    let problem = {};
    try {
        problem = JSON.parse(await response.text());
    } catch {
        // A proxy in front of a bus that is away answers in words of its own.
        if ([502, 503, 504].includes(response.status)) {
            lose();
            return new Unreachable();
        }
    }
    const detail = problem.detail ?? `The answer was ${response.status} ${response.statusText}`.trim() + '.';
    if (response.status !== 401) become('connected');
    else if (!isOptional) become('denied', { detail });
    return new Refused(response.status, problem.code ?? '', detail);
}

/** Sends a request, and answers the JSON of its answer. An answer without a body is null. */
export async function json(path, options) {
    const response = await request(path, options);
    try {
        const text = await response.text();
        return text === '' ? null : JSON.parse(text);
    } catch {
        options?.signal?.throwIfAborted();
        lose();
        throw new Unreachable();
    }
}

/**
 * Reads a stream of NDJSON in the pace in which it is taken: the lines of each piece that came, as
 * texts. Ends when the bus ends the stream.
 */
export async function* lines(response, signal) {
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    let begun = [];
    let length = 0;
    let watch = 0;
    let isSilent = false;
    const giveUp = () => {
        isSilent = true;
        reader.cancel().catch(() => {});
    };
    try {
        for (;;) {
            // The bus says something each 15 s. A connection without that is dead, whatever TCP thinks.
            watch = setTimeout(giveUp, HEARTBEATS_MS);
            const { value, done } = await reader.read();
            clearTimeout(watch);
            heard = performance.now();
            if (isSilent) throw new Unreachable();
            if (done) return;
            const texts = decoder.decode(value, { stream: true }).split('\n');
            length += texts[0].length;
            if (length > LINE_MAX) throw new Error('A line of the stream has no end.');
            begun.push(texts[0]);
            if (texts.length === 1) continue;
            texts[0] = begun.join('');
            begun = [texts.pop()];
            length = begun[0].length;
            yield texts.filter(text => text !== '');
        }
    } catch {
        signal.throwIfAborted();
        lose();
        throw new Unreachable();
    } finally {
        clearTimeout(watch);
        reader.cancel().catch(() => {});
    }
}

/** The path of a selector, percent-encoded. */
export function topicPath(selector) {
    // A browser takes a segment of dots out of every path, however it is written.
    if (['', '.', '..'].includes(selector)) {
        throw new Refused(400, 'SELECTOR_INVALID', `'${selector}' is no topic, pattern or list of them.`);
    }
    return `/topics/${encodeURIComponent(selector).replaceAll('%2C', ',')}`;
}

/** The path of a work group. */
export function groupPath(name) {
    return `/groups/${encodeURIComponent(name)}`;
}

/** The figures of `/metrics`: name → `[{labels, value}]`. */
export async function metrics({ signal } = {}) {
    const text = await (await request('/metrics', { signal, headers: { Accept: 'text/plain' } })).text();
    const figures = new Map();
    for (const line of text.split('\n')) {
        const [, name, labels, value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
        if (!name) continue;
        if (!figures.has(name)) figures.set(name, []);
        figures.get(name).push({ labels: labelsOf(labels), value: Number(value) });
    }
    return figures;
}

function labelsOf(text) {
    const labels = {};
    for (const [, name, value] of (text ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
        labels[name] = value.replace(/\\(.)/g, (_, escaped) => (escaped === 'n' ? '\n' : escaped));
    }
    return labels;
}
