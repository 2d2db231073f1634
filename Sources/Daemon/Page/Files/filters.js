// The filters of events that the bus knows: one list for the form, the addresses and the tables. Attributes
// are as many as their publisher chose, and people type them as lines of NAME=VALUE.

import { el } from './dom.js';

/** Their names at the bus, and as people read them; those of attributes aside. */
export const FILTERS = { type: 'Type', key: 'Key' };

const ATTRIBUTE = 'attribute.';

/**
 * The filters that `value` has a text for; the others are null.
 * @param {(name: string) => string|null|undefined} value
 */
export function filtersOf(value) {
    return Object.fromEntries(Object.keys(FILTERS).map(name => [name, value(name) || null]));
}

/**
 * The filters in the query of an address, those of attributes too.
 * @param {URLSearchParams} query
 */
export function filtersIn(query) {
    const attributes = [...query].filter(([name]) => name.startsWith(ATTRIBUTE));
    return { ...filtersOf(name => query.get(name)), ...Object.fromEntries(attributes) };
}

/** The filters of a subscriber. */
export function filtersOfSubscriber(subscriber) {
    const attributes = Object.entries(subscriber.attributes ?? {});
    return {
        ...filtersOf(name => subscriber[name]),
        ...Object.fromEntries(attributes.map(([name, value]) => [ATTRIBUTE + name, value])),
    };
}

/** A filter by its name at the bus, for people. */
export function filterName(name) {
    return FILTERS[name]?.toLowerCase() ?? name.slice(ATTRIBUTE.length);
}

/** The parameters that say the attributes in lines of NAME=VALUE. */
export function attributesOf(text) {
    return Object.fromEntries(text.split('\n').filter(line => line.trim()).map(line => {
        const [name, value] = parts(line);
        return [ATTRIBUTE + name, value];
    }));
}

/** The name and the value of a line: blanks belong to a value alone. */
function parts(line) {
    const at = line.indexOf('=');
    return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1)];
}

/** The lines of the attributes among filters. */
export function attributesText(filters) {
    return Object.entries(filters).filter(([name]) => name.startsWith(ATTRIBUTE))
        .map(([name, value]) => `${name.slice(ATTRIBUTE.length)}=${value}`).join('\n');
}

/**
 * The field for lines of NAME=VALUE. A line that is none is told before anything is sent.
 * @param {string} value
 * @param {(text: string) => void} changed
 */
export function attributesField(value, changed = () => {}) {
    const field = el('textarea', {
        name: 'attributes', rows: 2, value, spellcheck: false, dir: 'auto', placeholder: 'host=web1',
        oninput: () => {
            const isWrong = Object.values(attributesOf(field.value)).includes('');
            field.setCustomValidity(isWrong ? 'Write NAME=VALUE, each on a line of its own.' : '');
            changed(field.value);
        },
    });
    return field;
}
