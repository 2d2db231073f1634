// The form that says what to follow: a selector, where to begin, and what the bus filters.

import { button, entry, form, labelled, submit } from './buttons.js';
import { here, quote } from './curl.js';
import { el } from './dom.js';
import { attributesField, attributesOf, attributesText, FILTERS, filtersOf } from './filters.js';
import { followAddress, place } from './places.js';
import { startFields } from './start.js';

let forms = 0;

/**
 * @param {{selector: string, since: string, filters: object}} wanted the texts that the fields begin with
 * @param {(wanted: object) => void} follow
 * @param {HTMLElement} names a datalist of topics
 */
export function selectionForm(wanted, follow, names) {
    forms += 1;
    const selector = entry('selector', {
        value: wanted.selector, list: names.id, placeholder: 'builds.>', required: true,
        'aria-describedby': `selector-help-${forms}`,
    });
    const { since, moment, times } = startFields(wanted.since, '-200');
    const filters = Object.fromEntries(Object.keys(FILTERS).map(name => [
        name, entry(name, { value: wanted.filters[name] ?? '', placeholder: 'any' })]));
    const attributes = attributesField(attributesText(wanted.filters));
    const send = () => follow({
        selector: selector.value.trim(), since: isForgotten() ? '' : since.value.trim(),
        filters: { ...filtersOf(name => filters[name].value.trim()), ...attributesOf(attributes.value) },
    });
    // The place of another selector, which nobody sees or has touched.
    const isForgotten = () => seldom.hidden && since.value === wanted.since
        && selector.value.trim() !== wanted.selector;
    moment.addEventListener('keydown', event => {
        if (event.key !== 'Enter') return;
        event.preventDefault();
        if (fields.reportValidity()) send();
    });
    // The page itself writes a place down there, in digits.
    const opened = Boolean(Object.values(wanted.filters).some(Boolean) || !/^\d*$/.test(wanted.since));
    const seldom = el('div', { class: 'selection-seldom', id: `seldom-${forms}`, hidden: !opened },
        labelled('Since', since), labelled('Jump to a time', moment),
        Object.entries(FILTERS).map(([name, label]) => labelled(label, filters[name])),
        labelled('Attributes', attributes));
    const more = button('Time and filters', () => {
        seldom.hidden = !seldom.hidden;
        more.setAttribute('aria-expanded', String(!seldom.hidden));
    }, { 'aria-expanded': String(opened), 'aria-controls': seldom.id });
    const about = { class: 'selection', role: 'search', 'aria-label': 'What to follow' };
    const help = el('p', { class: 'help', id: `selector-help-${forms}` }, 'A topic, or a pattern: ',
        el('code', {}, '*'), ' is one segment, ', el('code', {}, '>'),
        ' one or more at the end. A comma joins several.');
    const fields = form(about, send, labelled('Selector', selector, 'wide'),
        submit('Follow', { class: 'primary' }), more, seldom, times, names, help);
    return fields;
}

/** The words where nothing is followed yet. */
export function invitation() {
    return el('div', { class: 'empty' },
        el('p', {}, 'Type a topic, or ', el('a', { href: followAddress('>') }, 'follow all topics'), '.'),
        el('p', {}, 'Events appear here as they are published. You can pause, search, go back to any time '
            + 'that the bus still keeps, and send others a link to a moment.'));
}

/** The words where no event came yet. */
export function silence(selector) {
    const line = `curl -d hello ${quote(`${here()}/topics/${selector}`)}`;
    const publish = place(['publish', selector]);
    return [el('p', {}, 'No event yet. What is published from now on appears here.'),
        /^[\w.-]+$/.test(selector) && el('p', {}, 'Try it: ', el('code', {}, line), ' or ',
            el('a', { href: publish }, 'publish on this page'), '.')];
}
