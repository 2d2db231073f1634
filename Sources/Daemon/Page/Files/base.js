// Where this bus is, and the parameters of addresses.

/** The begin of every path of this bus: nothing, or the path below which a proxy shows it. */
export const BASE = new URL('..', import.meta.url).pathname.replace(/\/$/, '');

/** Parameters by name, without those that have no value. */
export function given(query = {}) {
    const isGiven = ([, value]) => value !== null && value !== undefined && value !== '';
    return Object.fromEntries(Object.entries(query).filter(isGiven));
}

/** A path with its parameters. Those without a value are left out. */
export function withQuery(path, query) {
    const text = String(new URLSearchParams(given(query)));
    return text ? `${path}?${text}` : path;
}
