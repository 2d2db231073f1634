// The token of this tab, and whether the bus is there. One request tries for all of the page when it is lost.

import { quietFor, request, wait } from './bus.js';

const TOKEN = 'belfry.token';
let memory = '';
const holders = new Set();

/** The token that requests carry, or an empty text. */
export function token() {
    try {
        return sessionStorage.getItem(TOKEN) ?? '';
    } catch {
        return memory;
    }
}

/** Takes a token for this tab, or forgets it if the text is empty. Throws if no token can look like that. */
export function setToken(text) {
    const value = text.trim();
    if (!/^[\x21-\x7e]*$/.test(value)) throw new Error('A token has no spaces and only ASCII characters.');
    memory = value;
    try {
        if (value) sessionStorage.setItem(TOKEN, value);
        else sessionStorage.removeItem(TOKEN);
    } catch {
        // Without storage the token lives as long as the page.
    }
    for (const callback of [...holders]) callback();
    become('connecting');
    probe();
}

/** Calls back when another token was given, or none. */
export function onToken(callback, signal) {
    holders.add(callback);
    signal?.addEventListener('abort', () => holders.delete(callback), { once: true });
}

/** What a view says after a 401 where it has nothing to show: the bar says what the bus said, once for all. */
export const NOTHING_YET = 'Nothing is shown until the bus knows who you are.';

const listeners = new Set();
let state = 'connecting';
let about = {};
let again = 0;
let failures = 0;

/**
 * Tells the state of the connection, at once and at each change.
 * @param {(state: string, about: {retryAt?: number, detail?: string}) => void} callback the state is
 *     'connecting', 'connected', 'lost' (`retryAt` in ms since 1970 is when the page tries again) or 'denied'
 *     (`detail` says why)
 * @param {AbortSignal} [signal] ends it
 */
export function onState(callback, signal) {
    listeners.add(callback);
    signal?.addEventListener('abort', () => listeners.delete(callback), { once: true });
    callback(state, about);
    return () => listeners.delete(callback);
}

/**
 * Waits until the bus may answer again after `Unreachable` or a 401: one request tries for all who wait. A
 * random delay keeps the tabs of a machine from coming back all at once.
 */
export async function reconnected(signal) {
    const own = new AbortController();
    if (state === 'lost') {
        await until(own, signal, resolve => onState(now => now !== 'lost' && resolve(), own.signal));
    } else if (state === 'denied') {
        await until(own, signal, resolve => {
            onToken(resolve, own.signal);
            // The rules of the bus may change, too.
            wait(30000, own.signal).then(resolve, () => {});
        });
    }
    await wait(100 + Math.random() * 400, signal);
}

async function until(own, signal, begin) {
    const end = () => own.abort(signal.reason);
    signal?.addEventListener('abort', end);
    try {
        await new Promise((resolve, reject) => {
            own.signal.addEventListener('abort', () => reject(own.signal.reason));
            if (signal?.aborted) end();
            else begin(resolve);
        });
    } finally {
        signal?.removeEventListener('abort', end);
        own.abort();
    }
}

/** Tries at once whether the bus is there again. */
export function tryNow() {
    if (state === 'lost') probe();
}

/** Takes in what an answer showed: 'connected', 'denied', or 'connecting' where nothing is known. */
export function become(next, details = {}, path = '') {
    // Figures and health are for everyone: they do not show that a token is good.
    if (state === 'denied' && next === 'connected' && !/^\/(topics|groups|subscribers)/.test(path)) return;
    if (next === 'connected') {
        failures = 0;
        clearTimeout(again);
    }
    if (next === state && next !== 'lost' && details.detail === about.detail) return;
    state = next;
    about = details;
    for (const callback of [...listeners]) callback(state, about);
}

/** Takes in that there was no answer, and tries again later. */
export function lose() {
    if (state === 'lost' && about.retryAt > Date.now()) return;
    const delay = Math.min(1000 * 1.6 ** failures, 10000) * (0.7 + Math.random() * 0.6);
    failures += 1;
    clearTimeout(again);
    again = setTimeout(probe, delay);
    become('lost', { retryAt: Date.now() + delay });
}

/** Asks for something that takes a right, so that a wrong token shows. A failure tells itself. */
function probe() {
    clearTimeout(again);
    if (document.hidden) return;
    about = {};
    request('/topics?match=belfry', { timeout: 8000 }).catch(() => {});
}

document.addEventListener('visibilitychange', () => {
    if (!document.hidden && state === 'lost') probe();
});

// A view that asks nothing would not see whether the bus is there.
setTimeout(() => {
    if (state === 'connecting' && quietFor() > 0) probe();
}, 500);

setInterval(() => {
    if (document.hidden || state === 'lost' || quietFor() < 15000) return;
    request('/healthz', { timeout: 8000 }).catch(() => {});
}, 5000);
