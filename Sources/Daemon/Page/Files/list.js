// A grid of rows. It is one stop of the Tab key; the arrow keys move within it, as screen readers
// expect it of a grid.

import { el, setAttributes } from './dom.js';
import { VirtualList } from './virtuallist.js';

let rows = 0;

/** A list with a header, keyboard and ARIA. */
export class List extends VirtualList {
    /** The item of the row that the keyboard is at; undefined before one was chosen. */
    active;
    #items = [];
    #options;

    /**
     * @param {object} options
     * @param {string} options.label its accessible name
     * @param {HTMLElement} options.header a row that stays on top
     * @param {() => import('./virtuallist.js').View} options.row
     * @param {(event: KeyboardEvent, item: object) => boolean} options.key takes a key on a row;
     *     answers whether it did
     * @param {AbortSignal} signal
     */
    constructor(options, signal) {
        const canvas = el('div', {
            class: 'list-canvas', role: 'rowgroup', onpointerdown: event => this.#pointed(event),
        });
        const header = el('div', { class: 'list-header', role: 'rowgroup' }, options.header);
        options.header.setAttribute('aria-rowindex', '1');
        super(el('div', {
            class: 'list', tabIndex: 0, 'aria-label': options.label,
            onkeydown: event => this.#key(event), onfocus: () => this.#focused(),
        }, header, canvas), canvas, options.row, { header });
        this.#options = options;
        this.start(signal);
    }

    /** The items, an array. Setting it draws in the next frame; the active row stays with its item. */
    get items() {
        return this.#items;
    }

    set items(items) {
        this.#items = items;
        this.element.setAttribute('aria-rowcount', items.length + 1);
        this.refresh();
    }

    /** Makes a row the active one, and scrolls to it. */
    go(place) {
        this.active = this.#items[Math.max(0, Math.min(place, this.#items.length - 1))];
        this.reveal(this.placeOf(this.active));
    }

    draw() {
        super.draw();
        const id = this.elementOf(this.active)?.id ?? null;
        setAttributes(this.element, { 'aria-activedescendant': id });
    }

    dress({ element, item }, place) {
        if (element.id === '') {
            rows += 1;
            element.id = `row-${rows}`;
        }
        setAttributes(element, {
            'aria-rowindex': place + 2, 'aria-selected': item === this.active,
        });
    }

    #pointed(event) {
        this.active = this.itemAt(event.target) ?? this.active;
        this.draw();
    }

    #focused() {
        if (this.placeOf(this.active) >= 0 || !this.element.matches(':focus-visible')) return;
        this.active = this.#items[this.range(0)[0]];
        this.draw();
    }

    #key(event) {
        // The buttons of the header have keys of their own.
        if (event.target !== this.element || event.ctrlKey || event.altKey || event.metaKey) return;
        if (this.#items.length === 0) return;
        const place = this.placeOf(this.active);
        const isTaken = place >= 0 && this.#options.key(event, this.active);
        const next = isTaken ? place : this.step(event.key, place);
        if (next === undefined) return;
        if (!isTaken) this.go(next);
        event.preventDefault();
    }
}
