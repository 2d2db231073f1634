// Tables whose rows stay the same elements as long as their names do, so that a link in one keeps
// the focus.

import { every } from './again.js';
import { absolute, ago, clear, el, setChildren } from './dom.js';

const TICK_MS = 1000;

/** The table, and the items that it shows. */
export class LiveTable {
    /** The element to put into the page. */
    element;
    #columns;
    #body = el('tbody');
    #rows = new Map();
    #items = new Map();

    /**
     * @param {string} name
     * @param {Array<[string, (item: object) => *, string?]>} columns the name of each, what it
     *     shows of an item, and its class; the first one names the row
     * @param {object} [options]
     * @param {object} [options.meanings] the meanings of columns, by their names
     * @param {AbortSignal} [options.ticking] times in the table grow older until it is aborted
     */
    constructor(name, columns, { meanings = {}, ticking } = {}) {
        this.#columns = columns;
        const head = columns.map(([title, , kind]) => el('th', {
            scope: 'col', class: kind, title: meanings[title],
        }, title || el('span', { class: 'visually-hidden' }, 'Actions')));
        const table = el('table', { class: 'table', 'aria-label': name },
            el('thead', {}, el('tr', {}, head)), this.#body);
        this.element = el('div', {
            class: 'panel table-scroll', tabIndex: 0, role: 'region',
            'aria-label': `${name}, scrollable`,
        }, table);
        if (ticking) every(TICK_MS, () => this.show(this.#items), ticking);
    }

    /**
     * Shows items in this order.
     * @param {Map<string, object>} items by what tells one from another
     */
    show(items) {
        this.#items = items;
        for (const name of this.#rows.keys()) if (!items.has(name)) this.#rows.delete(name);
        setChildren(this.#body, [...items].flatMap(([name, item]) => this.#row(name, item)));
    }

    /** Shows an element in a row of its own below that of an item; null takes it out. */
    unfold(name, element) {
        const row = this.#rows.get(name);
        if (!row) return;
        row.below = element
            && el('tr', { class: 'inside' }, el('td', { colSpan: this.#columns.length }, element));
        this.show(this.#items);
    }

    #row(name, item) {
        let row = this.#rows.get(name);
        if (!row) {
            const cells = this.#columns.map(([title, , kind], index) => (
                index === 0 ? el('th', { scope: 'row' })
                    : el('td', { class: kind ?? '', 'data-label': title })));
            row = { element: el('tr', {}, cells), cells, told: [], below: null };
            this.#rows.set(name, row);
        }
        this.#columns.forEach(([, make], index) => {
            const made = make(item);
            const { className, title, textContent } = made;
            const told = typeof made === 'string' ? made : `${className} ${title} ${textContent}`;
            if (row.told[index] === told) return;
            row.told[index] = told;
            clear(row.cells[index], made);
        });
        return row.below ? [row.element, row.below] : [row.element];
    }
}

/** A time, as long as it is ago. */
export function when(time, text = ago(time)) {
    return el('time', { dateTime: time, title: absolute(time) }, text);
}

/** A cell with a text that may be too long for it. */
export function cut(text, more) {
    return el('bdi', { class: 'cut', title: text, ...more }, text);
}
