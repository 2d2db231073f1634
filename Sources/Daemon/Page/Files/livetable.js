// A table whose rows stay the same elements as long as their names do, so that a link in one keeps the focus.

import { clear, el, setChildren } from './dom.js';
import { column, tableBox } from './parts.js';

/** The table, and what it shows. */
export class LiveTable {
    /** The element to put into the page. */
    element;
    #columns;
    #body = el('tbody');
    #rows = new Map();

    /**
     * @param {string} name
     * @param {Array<[string, (item: object) => string|HTMLElement, string?]>} columns the name of each, what
     *     it shows of an item, and its class; the first one names the row
     * @param {object} [meanings] what columns mean, by their names
     */
    constructor(name, columns, meanings = {}) {
        this.#columns = columns;
        const head = columns.map(([title, , kind]) => column(title, { class: kind, title: meanings[title] }));
        this.element = tableBox(name, head, this.#body);
    }

    /**
     * Shows items in this order.
     * @param {Map<string, object>} items by what tells one from another
     */
    show(items) {
        for (const name of this.#rows.keys()) if (!items.has(name)) this.#rows.delete(name);
        setChildren(this.#body, [...items].map(([name, item]) => this.#row(name, item)));
    }

    #row(name, item) {
        let row = this.#rows.get(name);
        if (!row) {
            const cells = this.#columns.map(([title, , kind], index) => (index === 0
                ? el('th', { scope: 'row' }) : el('td', { class: kind ?? '', 'data-label': title })));
            row = { element: el('tr', {}, cells), cells, text: [] };
            this.#rows.set(name, row);
        }
        this.#columns.forEach(([, make], index) => {
            const made = make(item);
            const text = typeof made === 'string' ? made : `${made.className} ${made.textContent}`;
            if (row.text[index] === text) return;
            row.text[index] = text;
            clear(row.cells[index], made);
        });
        return row.element;
    }
}
