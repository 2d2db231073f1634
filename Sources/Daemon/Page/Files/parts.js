// What several views are made of: buttons, fields, tables and lines to copy.

import { copy, el } from './dom.js';

/** A button that sends no form. */
export function button(text, onclick, more) {
    return el('button', { type: 'button', onclick, ...more }, text);
}

/** A small one. */
export function smallButton(text, onclick, more) {
    return button(text, onclick, { class: 'small', ...more });
}

/** A field for names and the like, which no browser should correct. */
export function entry(name, more) {
    const plain = { autocomplete: 'off', autocapitalize: 'off', spellcheck: false, dir: 'auto' };
    return el('input', { name, ...plain, ...more });
}

/** A field below its name. */
export function labelled(name, field, more = '') {
    return el('label', { class: `field ${more}` }, el('span', { class: 'field-name' }, name), field);
}

/**
 * A table in a box that scrolls sideways.
 * @param {string} name
 * @param {Array<HTMLElement>} head its header cells
 * @param {HTMLElement} body
 */
export function tableBox(name, head, body) {
    const top = el('thead', {}, el('tr', {}, head));
    const table = el('table', { class: 'table', 'aria-label': name }, top, body);
    return el('div', {
        class: 'panel table-scroll', tabIndex: 0, role: 'region', 'aria-label': `${name}, scrollable`,
    }, table);
}

/** The header cell of a column. */
export function column(name, more) {
    return el('th', { scope: 'col', ...more }, name);
}

/** A text in a box, with a button that copies it. */
export function codeBox(code, name, copies = 'Copy') {
    const more = copies === 'Copy' ? { 'aria-label': `Copy: ${name}` } : {};
    return el('div', { class: 'code-box' },
        el('pre', { tabIndex: 0, role: 'region', 'aria-label': name }, code),
        smallButton(copies, () => copy(code.textContent), more));
}

/** A box with a title. */
export function panel(title, ...content) {
    return el('section', { class: 'panel' }, el('div', { class: 'panel-head' }, el('h2', {}, title)),
        el('div', { class: 'panel-body stack' }, content));
}

/** A figure: its heading, which is a link if there is an address, its value, and a text below. */
export function tile(name, href) {
    const value = el('div', { class: 'tile-value' }, '…');
    const text = el('div', { class: 'tile-text' });
    const element = el('div', { class: 'tile' }, el('h2', { class: 'tile-name' },
        href ? el('a', { href }, name) : name), value, text);
    return { element, value, text };
}

/** The first line of a view. */
export function viewHead(title, ...more) {
    return el('div', { class: 'view-head' }, el('h1', { tabIndex: -1 }, title), more);
}
