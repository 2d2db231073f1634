// The filters of events that the bus knows: one list for the form, the addresses and the tables.

/** Their names at the bus, and as people read them. */
export const FILTERS = { type: 'Type', key: 'Key' };

/**
 * The filters that `value` has a text for; the others are null.
 * @param {(name: string) => string|null|undefined} value
 */
export function filtersOf(value) {
    return Object.fromEntries(Object.keys(FILTERS).map(name => [name, value(name) || null]));
}
