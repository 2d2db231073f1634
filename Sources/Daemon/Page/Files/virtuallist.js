// Rows of one height, of which only those in view are elements: 10,000 rows cost what 40 cost. An
// element that a row gave up shows another one, so that a list that moves fast makes none.

/** Rows above and below those in view that are elements, too. */
const AROUND = 8;
const SPARE_MAX = 60;

/**
 * @typedef {object} View the element of a row, and what writes an item into it
 * @property {HTMLElement} element
 * @property {(item: object) => void} show
 * @property {boolean} [isOnly] whether it shows no other item later
 */

/**
 * A list that is drawn once a frame, however much changed. A class that extends it has the `items`.
 */
export class VirtualList {
    /**
     * The element to put into the page. It scrolls, and its style has the height of a row as
     * `--row`, in rem.
     */
    element;
    /** Pixels of a row. */
    rowHeight = 30;
    /** Pixels of the box in which rows can be seen. */
    height = 0;
    #canvas;
    #header;
    #make;
    #only;
    #views = new Map();
    #spare = [];
    #version = 0;
    #asked = 0;

    /**
     * @param {HTMLElement} element
     * @param {HTMLElement} canvas the last child of it; rows are put there
     * @param {() => View} make
     * @param {object} [options]
     * @param {HTMLElement} [options.header] what stays above the rows
     * @param {(item: object) => View|null} [options.only] makes what shows this item alone; null
     *     for all items that `make` is for
     */
    constructor(element, canvas, make, { header, only = () => null } = {}) {
        this.element = element;
        this.#canvas = canvas;
        this.#make = make;
        this.#only = only;
        this.#header = header;
        element.addEventListener('scroll', () => this.scrolled());
    }

    /** Follows the size of the page until `signal` is aborted. */
    start(signal) {
        const sizes = new ResizeObserver(() => this.#measure());
        sizes.observe(this.element);
        if (this.#header) sizes.observe(this.#header);
        signal.addEventListener('abort', () => {
            sizes.disconnect();
            cancelAnimationFrame(this.#asked);
        }, { once: true });
    }

    /** Rows that are shown above the first item. */
    get above() {
        return 0;
    }

    /** The place of an item; -1 if it has none. */
    placeOf(item) {
        return this.items.indexOf(item);
    }

    /** Draws in the next frame. */
    ask() {
        this.#asked ||= requestAnimationFrame(() => this.draw());
    }

    /** Writes all rows anew, in the next frame. */
    refresh() {
        this.#version += 1;
        this.ask();
    }

    /** The reader scrolled, or the list did it. */
    scrolled() {
        this.ask();
    }

    /** Draws now. */
    draw() {
        cancelAnimationFrame(this.#asked);
        this.#asked = 0;
        this.fit();
        const [from, to] = this.range(AROUND);
        const inView = new Set(this.items.slice(from, to));
        for (const view of this.views) if (!inView.has(view.item)) this.#retire(view);
        for (let place = from; place < to; place += 1) this.#show(this.items[place], place);
        for (const { element } of this.#spare) element.remove();
        this.#spare.length = Math.min(this.#spare.length, SPARE_MAX);
    }

    /** Makes the canvas as high as all rows. */
    fit() {
        const height = `${(this.items.length + this.above) * this.rowHeight}px`;
        if (this.#canvas.style.height !== height) this.#canvas.style.height = height;
    }

    /**
     * The places of the items in view, and of so many around them: the first, and the one behind
     * the last.
     */
    range(around) {
        const first = Math.floor(this.element.scrollTop / this.rowHeight) - this.above;
        const rows = Math.ceil(this.height / this.rowHeight) + 1;
        return [Math.max(0, first - around), Math.min(this.items.length, first + rows + around)];
    }

    /** Scrolls to a place, no further than it has to. */
    reveal(place) {
        const top = (place + this.above) * this.rowHeight;
        const bottom = top + this.rowHeight - this.height;
        if (top < this.element.scrollTop) this.element.scrollTop = top;
        else if (bottom > this.element.scrollTop) this.element.scrollTop = bottom;
        this.draw();
    }

    /** The place that a key leads to from another one; undefined where it leads nowhere. */
    step(key, place) {
        const page = Math.max(1, Math.floor(this.height / this.rowHeight) - 1);
        const last = this.items.length - 1;
        const places = {
            ArrowDown: place + 1, ArrowUp: place - 1, PageDown: place + page, PageUp: place - page,
            Home: 0, End: last,
        };
        return key in places ? Math.max(0, Math.min(places[key], last)) : undefined;
    }

    /** The element of an item; undefined where it has none. */
    elementOf(item) {
        return this.#views.get(item)?.element;
    }

    /** The item whose row a node is in; undefined where it is in none. */
    itemAt(node) {
        return this.views.find(({ element }) => element.contains(node))?.item;
    }

    /** The views of the rows that are elements now. */
    get views() {
        return [...this.#views.values()];
    }

    #measure() {
        const { fontSize } = getComputedStyle(document.documentElement);
        const row = getComputedStyle(this.element).getPropertyValue('--row');
        const height = Number.parseFloat(fontSize) * Number.parseFloat(row);
        this.rowHeight = Math.round(height) || this.rowHeight;
        this.height = this.element.clientHeight - (this.#header?.offsetHeight ?? 0);
        this.ask();
    }

    #show(item, place) {
        let view = this.#views.get(item);
        if (!view) {
            view = this.#only(item) ?? this.#spare.pop() ?? this.#make();
            view.item = item;
            view.version = NaN;
            this.#views.set(item, view);
            if (!view.element.isConnected) this.#canvas.append(view.element);
        }
        if (view.version !== this.#version) view.show(item);
        view.version = this.#version;
        this.#put(view, place);
    }

    #put(view, place) {
        const top = (place + this.above) * this.rowHeight;
        if (view.top !== top) view.element.style.transform = `translateY(${top}px)`;
        view.top = top;
        this.dress(view, place);
    }

    /**
     * A row is not in view any more. Its element stays as long as it has the focus and the list has
     * the item.
     */
    #retire(view) {
        const { element, item } = view;
        if (element.contains(document.activeElement)) {
            const place = this.placeOf(item);
            if (place >= 0) {
                this.#put(view, place);
                return;
            }
            this.element.focus({ preventScroll: true });
        }
        this.#views.delete(item);
        if (view.isOnly) element.remove();
        else this.#spare.push(view);
    }
}
