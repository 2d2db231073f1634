// The settings of a work group: one table for what a group is, for the form that makes one and for the one that
// changes it.

import { count, el } from './dom.js';
import { Fields } from './fields.js';
import { followAddress } from './places.js';
import { oneLine } from './text.js';

/**
 * As `PUT /groups/{group}` takes them. `changes` means that a group that is there can be given another one.
 * Where there are choices, the first one is the default.
 */
const SETTINGS = [
    { name: 'of', label: 'Of', isTopic: true, placeholder: 'jobs.mail', required: true },
    { name: 'dead', label: 'Dead letters go to', isTopic: true, placeholder: 'nowhere', changes: true },
    { name: 'attempts', label: 'Attempts', placeholder: '5', inputMode: 'numeric', changes: true },
    { name: 'lease', label: 'Lease', placeholder: '60s', changes: true },
    { name: 'in_flight', label: 'In flight', placeholder: '1000', inputMode: 'numeric', changes: true },
    { name: 'since', label: 'Since', placeholder: 'earliest' },
    { name: 'type', label: 'Type', placeholder: 'all' },
    { name: 'attributes', label: 'Attributes', isAttributes: true, placeholder: 'all' },
    { name: 'order', label: 'Order', choices: { none: 'none', key: 'by key' } },
    { name: 'persist', label: 'Kept over restarts', choices: { yes: 'yes', no: 'no' } },
    { name: 'replies', label: 'Replies', choices: { no: 'no', yes: 'yes' } },
];

/** All settings of a group: a label, and what stands for the value. */
export function factsOf(group) {
    return SETTINGS.filter(({ name }) => name in group)
        .map(setting => [setting.label, fact(setting, group[setting.name])]);
}

function fact({ isTopic, choices, placeholder }, value) {
    if (value === null) return placeholder;
    if (isTopic) return el('a', { href: followAddress(value) }, el('bdi', {}, value));
    if (typeof value === 'object') {
        return el('bdi', {}, Object.entries(value).map(([name, text]) => oneLine(`${name}=${text}`)).join(', '));
    }
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    if (typeof value === 'number') return count(value);
    return choices?.[value] ?? el('bdi', {}, oneLine(value));
}

/** The settings that a group that is there can be given, as a form has them. */
export function textsOf(group) {
    const changing = SETTINGS.filter(({ changes }) => changes);
    return Object.fromEntries(changing.map(({ name }) => [name, String(group[name] ?? '')]));
}

/**
 * The fields of a group.
 * @param {HTMLElement} names a datalist of topics
 * @param {boolean} isNew whether the group is to be made
 */
export function groupFields(names, isNew) {
    const settings = SETTINGS.filter(({ changes }) => isNew || changes);
    return new Fields(settings.map(({ isTopic, changes, ...setting }) => ({
        ...setting, list: isTopic && names.id, required: isNew ? setting.required : !isTopic,
    })));
}
