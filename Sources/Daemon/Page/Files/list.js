// A grid of rows of one height, of which only those in view are elements: 10,000 rows cost what 40 cost. It
// is one stop of the Tab key; the arrow keys move within it, as screen readers expect it of a grid.

import { el } from './dom.js';

const AROUND = 8;

let lists = 0;

/** A list with a header, keyboard and ARIA. Its rows are elements that are used again for other items. */
export class VirtualList {
    /** The element to put into the page; it needs a height, and scrolls. */
    element;
    /** The index of the row that the keyboard is at; -1 before anything was chosen. */
    active = -1;
    #items = [];
    #options;
    #canvas;
    #header;
    #pool = [];
    #version = 0;
    #asked = 0;
    #rowHeight;
    #height = 0;
    #headHeight = 0;
    #id;

    /**
     * @param {object} options
     * @param {string} options.label its accessible name
     * @param {string} [options.role] `grid` or `treegrid`
     * @param {HTMLElement} [options.header] a row that stays on top
     * @param {number} options.rowHeight in pixels
     * @param {() => {element: HTMLElement, show: (item: *, index: number) => void}} options.row makes a row
     * @param {(item: *, index: number) => void} [options.activate] Enter was pressed
     * @param {(event: KeyboardEvent, item: *, index: number) => boolean} [options.key] takes further keys;
     *     answers whether it did
     * @param {AbortSignal} signal ends it
     */
    constructor(options, signal) {
        lists += 1;
        this.#id = `list-${lists}`;
        this.#options = options;
        this.#rowHeight = options.rowHeight;
        this.#canvas = el('div', { class: 'list-canvas', role: 'rowgroup' });
        this.#header = options.header
            && el('div', { class: 'list-header', role: 'rowgroup' }, options.header);
        this.element = el('div', {
            class: 'list', role: options.role ?? 'grid', tabIndex: 0, 'aria-label': options.label,
            onscroll: () => this.#ask(), onkeydown: event => this.#key(event), onfocus: () => this.#focused(),
        }, this.#header, this.#canvas);
        this.#header?.firstElementChild.setAttribute('aria-rowindex', '1');
        const sizes = new ResizeObserver(() => this.#measure());
        sizes.observe(this.element);
        if (this.#header) sizes.observe(this.#header);
        signal.addEventListener('abort', () => {
            sizes.disconnect();
            cancelAnimationFrame(this.#asked);
            this.#items = [];
        }, { once: true });
    }

    /** The items, an array. Setting it draws in the next frame; the active row stays with its item. */
    get items() {
        return this.#items;
    }

    set items(items) {
        const item = this.#items[this.active];
        if (item !== undefined && items[this.active] !== item) this.active = items.indexOf(item);
        this.#items = items;
        this.element.setAttribute('aria-rowcount', items.length + 1);
        this.refresh();
    }

    /** What the list is: `grid` or `treegrid`. */
    set role(role) {
        this.element.setAttribute('role', role);
    }

    /** The height of a row in pixels. */
    set rowHeight(height) {
        if (height === this.#rowHeight) return;
        this.#rowHeight = height;
        this.refresh();
    }

    /** Shows what the items have become, in the next frame. */
    refresh() {
        this.#version += 1;
        this.#ask();
    }

    /** Makes a row the active one, and scrolls to it. */
    go(index) {
        this.active = Math.max(0, Math.min(index, this.#items.length - 1));
        const top = this.active * this.#rowHeight;
        const view = this.element;
        const space = this.#height - this.#headHeight;
        const bottom = top + this.#rowHeight - space;
        if (top < view.scrollTop) view.scrollTop = top;
        else if (bottom > view.scrollTop) view.scrollTop = bottom;
        this.#draw();
    }

    /** The items that are in view. */
    get inView() {
        return this.#items.slice(...this.#range(0));
    }

    #ask() {
        if (!this.#asked) this.#asked = requestAnimationFrame(() => this.#draw());
    }

    #measure() {
        this.#height = this.element.clientHeight;
        this.#headHeight = this.#header?.offsetHeight ?? 0;
        this.#ask();
    }

    #range(around) {
        const first = Math.floor(this.element.scrollTop / this.#rowHeight);
        const rows = Math.ceil((this.#height - this.#headHeight) / this.#rowHeight) + 1;
        const from = Math.max(0, Math.min(first, this.#items.length - rows) - around);
        return [from, Math.min(this.#items.length, first + rows + around)];
    }

    #draw() {
        cancelAnimationFrame(this.#asked);
        this.#asked = 0;
        const height = `${this.#items.length * this.#rowHeight}px`;
        if (this.#canvas.style.height !== height) this.#canvas.style.height = height;
        const [from, to] = this.#range(AROUND);
        this.#prepare(to - from);
        for (let index = from; index < to; index += 1) this.#show(index);
        for (const view of this.#pool) {
            if (view.index >= from && view.index < to) continue;
            view.index = -1;
            if (!view.element.hidden) view.element.hidden = true;
        }
        this.#point(from, to);
    }

    /** A row of the pool has the same remainder as its index: scrolling by one changes one of them. */
    #prepare(rows) {
        if (rows <= this.#pool.length) return;
        while (this.#pool.length < rows) {
            const view = this.#options.row();
            view.element.id = `${this.#id}-${this.#pool.length}`;
            view.element.addEventListener('pointerdown', () => this.#pointed(view.index));
            this.#canvas.append(view.element);
            this.#pool.push(view);
        }
        for (const view of this.#pool) view.index = -1;
    }

    #show(index) {
        const view = this.#pool[index % this.#pool.length];
        if (view.index === index && view.version === this.#version) return;
        if (view.index !== index || view.height !== this.#rowHeight) {
            view.index = index;
            view.height = this.#rowHeight;
            view.element.style.transform = `translateY(${index * this.#rowHeight}px)`;
            view.element.setAttribute('aria-rowindex', index + 2);
        }
        view.version = this.#version;
        view.show(this.#items[index], index);
        if (view.element.hidden) view.element.hidden = false;
    }

    #point(from, to) {
        const shown = this.active >= from && this.active < to;
        for (const { element, index } of this.#pool) {
            const is = String(shown && index === this.active);
            if (element.getAttribute('aria-selected') !== is) element.setAttribute('aria-selected', is);
        }
        if (shown) {
            const { id } = this.#pool[this.active % this.#pool.length].element;
            this.element.setAttribute('aria-activedescendant', id);
        } else {
            this.element.removeAttribute('aria-activedescendant');
        }
    }

    #pointed(index) {
        this.active = index;
        this.#draw();
    }

    #focused() {
        if (this.active >= 0 || this.#items.length === 0 || !this.element.matches(':focus-visible')) return;
        this.active = this.#range(0)[0];
        this.#draw();
    }

    #key(event) {
        // The buttons of the header have keys of their own.
        if (event.target !== this.element || event.ctrlKey || event.altKey || event.metaKey) return;
        if (this.#items.length === 0) return;
        const item = this.#items[this.active];
        if (item !== undefined && this.#options.key?.(event, item, this.active)) {
            event.preventDefault();
            return;
        }
        const page = Math.max(1, Math.floor((this.#height - this.#headHeight) / this.#rowHeight) - 1);
        const places = {
            ArrowDown: this.active + 1, ArrowUp: this.active - 1, PageDown: this.active + page,
            PageUp: this.active - page, Home: 0, End: this.#items.length - 1,
        };
        if (event.key in places) this.go(places[event.key]);
        else if (event.key === 'Enter' && item !== undefined) this.#options.activate?.(item, this.active);
        else return;
        event.preventDefault();
    }
}
