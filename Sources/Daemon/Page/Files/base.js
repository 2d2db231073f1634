// Where this bus is.

/** What stands in front of every path of this bus: nothing, or the path below which a proxy shows it. */
export const BASE = new URL('..', import.meta.url).pathname.replace(/\/$/, '');
