// Buttons, fields, forms and boxes, of which all views are made.

import { copy, el } from './dom.js';

/** A button that sends no form. */
export function button(text, onclick, more) {
    return el('button', { type: 'button', onclick, ...more }, text);
}

/** A small one. */
export function smallButton(text, onclick, more) {
    return button(text, onclick, { class: 'small', ...more });
}

/** A button that sends the form that it is in. */
export function submit(text, more) {
    return el('button', { type: 'submit', ...more }, text);
}

/** A button that is on or off. */
export function toggle(text, isOn, changed) {
    const element = button(text, () => {
        const is = element.getAttribute('aria-checked') !== 'true';
        element.setAttribute('aria-checked', String(is));
        changed(is);
    }, { class: 'switch', role: 'switch', 'aria-checked': String(isOn) });
    return element;
}

/** A field for a search. */
export function searchField(name, oninput, more) {
    const plain = { type: 'search', autocomplete: 'off', spellcheck: false };
    return el('input', { 'aria-label': name, placeholder: name, oninput, ...plain, ...more });
}

/** A form that the page itself sends. */
export function form(properties, send, ...content) {
    const onsubmit = event => {
        event.preventDefault();
        send();
    };
    return el('form', { ...properties, onsubmit }, content);
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

/**
 * The rows of a list of facts (`dl`): names and their values. Those without a value are left out.
 */
export function facts(entries) {
    const isGiven = ([, value]) => value !== undefined && value !== null && value !== '';
    return entries.filter(isGiven)
        .map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value)));
}

/** The first line of a view. */
export function viewHead(title, ...more) {
    return el('div', { class: 'view-head' }, el('h1', { tabIndex: -1 }, title), more);
}
