// The token of this tab, and whether the bus is there, as the answers show it.

import { until } from './again.js';
import { stored } from './storage.js';

const kept = stored('belfry.token', 'sessionStorage');
const holders = new Set();
/** The rules of the bus may change: a refused caller is tried again so seldom. */
const DENIED_MS = 30000;

/** The token that requests carry, or an empty text. */
export function token() {
    return kept.get();
}

/** Takes a token for this tab, or forgets it if the text is empty. Throws if no token can look like that. */
export function setToken(text) {
    const value = text.trim();
    if (!/^[\x21-\x7e]*$/.test(value)) throw new Error('A token has no spaces and only ASCII characters.');
    kept.set(value);
    for (const callback of [...holders]) callback();
    become('connecting');
}

/** Calls back when another token was given, or none. */
export function onToken(callback, signal) {
    holders.add(callback);
    signal?.addEventListener('abort', () => holders.delete(callback), { once: true });
}

/**
 * A view says this after a 401 where it has nothing to show: the bar says what the bus said, once
 * for all.
 */
export const NOTHING_YET = 'Nothing is shown until the bus knows who you are.';

const listeners = new Set();
let state = 'connecting';
let about = {};

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
}

/**
 * Waits until the bus may answer again after `Unreachable` or a 401: one request tries for all who
 * wait.
 */
export async function reconnected(signal) {
    if (state === 'lost') {
        await until((resolve, own) => onState(now => now !== 'lost' && resolve(), own), signal);
    } else if (state === 'denied') {
        await until((resolve, own) => {
            onToken(resolve, own);
            const timer = setTimeout(resolve, DENIED_MS);
            own.addEventListener('abort', () => clearTimeout(timer));
        }, signal);
    }
}

/** Takes in the state that an answer showed, or that there was none. */
export function become(next, details = {}, path = '') {
    // Figures and health are for everyone: they do not show that a token is good.
    if (state === 'denied' && next === 'connected' && !/^\/(topics|groups|subscribers)/.test(path)) return;
    const isSame = details.detail === about.detail && details.retryAt === about.retryAt;
    if (next === state && isSame) return;
    state = next;
    about = details;
    for (const callback of [...listeners]) callback(state, about);
}

/** Takes in that there was no answer. */
export function lose() {
    if (state !== 'lost') become('lost', { retryAt: Date.now() });
}
