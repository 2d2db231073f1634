// The places of the page: their addresses, and how one comes to them.

import { withQuery } from './base.js';

/** The address that the open view was opened with, or has written down since. */
let taken = null;

/**
 * The address of a place on the page, for links.
 * @param {string[]} path segments, as in `['follow', 'builds.>']`
 * @param {object} [query] empty values are left out
 */
export function place(path, query) {
    return withQuery(`#/${path.map(encodeURIComponent).join('/')}`, query);
}

/** The place that the address names: `{path, query}`. */
export function arrive() {
    taken = location.hash;
    const [path, ...query] = taken.replace(/^#\/?/, '').split('?');
    return {
        path: path.split('/').filter(segment => segment !== '').map(decoded),
        query: new URLSearchParams(query.join('?')),
    };
}

function decoded(segment) {
    try {
        return decodeURIComponent(segment);
    } catch {
        return segment;
    }
}

/** Goes to a place. */
export function go(path) {
    location.hash = place(path);
}

/**
 * Writes down in the address where the open view is now, without a step of the browser's history. A
 * view that was left writes nothing. Nor does one that is about to be left: the browser tells of a
 * new address a moment after it is there, and a timer of the view may come in between.
 * @param {AbortSignal} signal the view's
 */
export function note(path, query, signal) {
    const address = place(path, query);
    if (signal.aborted || location.hash !== taken || location.hash === address) return;
    history.replaceState(null, '', address);
    taken = location.hash;
}

/** The address of the Follow view. Empty parameters of `query` are left out. */
export function followAddress(selector, query) {
    return place(['follow', selector], query);
}

/** The address that opens the view at an event: it begins right before it, and has it open. */
export function eventAddress(selector, id, query) {
    return followAddress(selector, { since: before(id), event: id, ...query });
}

/** The cursor right before an event. Ids are below 2^53. */
export function before(id) {
    return String(Math.max(0, Number(id) - 1));
}

/** The address of the page of a topic. */
export function topicAddress(name) {
    return place(['topics', name]);
}

/** The address of the page of a work group. */
export function groupAddress(name) {
    return place(['work', name]);
}

/** The address of the list of subscribers, of a topic or of all. */
export function subscribersAddress(topic) {
    return place(['subscribers'], { topic });
}
