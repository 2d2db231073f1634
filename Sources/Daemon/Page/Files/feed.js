// Rows of one height that come at the end and leave at the beginning: of thousands only those in view are
// elements. It stays at the end until the reader scrolls up, and then nothing moves under the eyes.

import { el } from './dom.js';
import { Pool } from './pool.js';

const AROUND = 6;

/** A list that is drawn once a frame, however much came. */
export class Feed {
    /** Whether it stays at the end. */
    follows = true;
    /** The element to put into the page. */
    element;
    /** The number of the row that is looked at. */
    selected = -1;
    #source;
    #views;
    #canvas;
    #pool;
    #asked = 0;
    #rowHeight = 30;
    #height = 0;
    #left = 0;
    #holds = false;
    #heldAt = 0;
    #atEnd = false;
    #headView = null;
    #focused = -1;

    /**
     * @param {string} label what screen readers call it
     * @param {import('./events.js').Events} source
     * @param {object} views
     * @param {() => {element: HTMLElement, show: (row: object) => void}} views.make the element of an event
     * @param {(row: object) => HTMLElement} views.mark makes the element of a mark
     * @param {() => Array<Node|string>} views.head what is shown above the first row
     * @param {(row: object) => void} views.pick a row was clicked, or Enter pressed on it
     * @param {(row: object) => void} views.visit a row got the focus by the arrow keys
     * @param {() => void} views.moved the reader scrolled
     * @param {() => boolean} views.mayFollow whether the end of the list is the end of what there is
     */
    constructor(label, source, views) {
        this.#source = source;
        this.#views = views;
        this.#canvas = el('div', { class: 'feed-canvas', role: 'feed', 'aria-label': label });
        this.#pool = new Pool(this.#canvas, views, (event, row) => this.#clicked(event, row));
        this.element = el('div', {
            class: 'feed', tabIndex: 0, role: 'group', 'aria-label': `${label}, scrollable`,
            onscroll: () => this.#scrolled(),
            ontouchend: () => this.#hold(false),
            ontouchcancel: () => this.#hold(false),
            onpointerdown: event => {
                if (event.target === this.element) this.#hold(true);
            },
            onpointerup: () => this.#hold(false),
            onlostpointercapture: () => this.#hold(false),
            onkeydown: event => this.#key(event),
        }, this.#canvas);
        // The browser need not wait for these before it scrolls.
        const passive = { passive: true };
        this.element.addEventListener('wheel', event => event.deltaY < 0 && this.#leaveEnd(), passive);
        this.element.addEventListener('touchstart', () => this.#hold(true), passive);
    }

    /** Follows the size of the page until `signal` is aborted. */
    start(signal) {
        const sizes = new ResizeObserver(() => {
            this.#height = this.element.clientHeight;
            const style = getComputedStyle(this.element).getPropertyValue('--feed-row');
            const height = Number.parseFloat(style) || 30;
            if (height !== this.#rowHeight) this.refresh();
            this.#rowHeight = height;
            this.draw();
        });
        sizes.observe(this.element);
        // The pointer may be let go anywhere.
        addEventListener('pointerup', () => this.#hold(false), { signal });
        signal.addEventListener('abort', () => {
            sizes.disconnect();
            cancelAnimationFrame(this.#asked);
        }, { once: true });
    }

    /** Draws in the next frame. */
    draw() {
        if (!this.#asked) this.#asked = requestAnimationFrame(() => this.#draw());
    }

    /** Draws all rows anew, at once, so that none is missing meanwhile: how they are written has changed. */
    refresh() {
        for (const [number, element] of this.#pool) {
            // A row that has the focus stays the element that has it.
            if (!element.contains(document.activeElement)) this.#pool.release(number);
        }
        this.#draw();
    }

    /** The rows are others now: it begins at the first, or at the end if it follows. */
    reset() {
        this.#left = this.#source.shownLeft;
        this.refresh();
    }

    /** Stays at the end that the reader scrolled to, if that is the end by now. */
    settle() {
        const view = this.element;
        if (this.follows || !this.#atEnd || !this.#views.mayFollow()) return;
        if (view.scrollTop + view.clientHeight >= view.scrollHeight - 2) this.follows = true;
    }

    /** Goes to the end and stays there. */
    toEnd() {
        this.follows = true;
        this.draw();
    }

    /** The first row in view; undefined if there is none. */
    get first() {
        const top = this.follows ? this.#total * this.#rowHeight - this.#height : this.element.scrollTop;
        const place = Math.ceil(top / this.#rowHeight - 0.25) - this.#head;
        return this.#source.shown[Math.max(0, Math.min(place, this.#source.shown.length - 1))];
    }

    /** Scrolls to a row, and puts the focus on it if asked for. */
    reveal(number, focus) {
        const place = this.#source.place(number);
        if (place < 0) return;
        const top = (place + this.#head) * this.#rowHeight;
        if (focus) this.#focused = number;
        const view = this.element;
        if (top < view.scrollTop) view.scrollTop = top;
        else if (top + this.#rowHeight > view.scrollTop + this.#height) {
            view.scrollTop = top + this.#rowHeight - this.#height;
        }
        this.#draw();
        if (focus) this.#pool.get(number)?.focus({ preventScroll: true });
    }

    /** Marks a row as the one that is looked at. */
    select(number) {
        this.selected = number;
        for (const [key, element] of this.#pool) this.#dress(key, element);
    }

    get #head() {
        return this.#source.left > 0 ? 1 : 0;
    }

    get #total() {
        return this.#source.shown.length + this.#head;
    }

    #draw() {
        cancelAnimationFrame(this.#asked);
        this.#asked = 0;
        const { shown, shownLeft } = this.#source;
        const rowHeight = this.#rowHeight;
        const height = `${this.#total * rowHeight}px`;
        const before = this.element.scrollTop;
        if (this.#canvas.style.height !== height) this.#canvas.style.height = height;
        if (this.follows && !this.#holds) {
            this.element.scrollTop = this.#total * rowHeight;
        } else if (shownLeft !== this.#left) {
            this.element.scrollTop = Math.max(0, before - (shownLeft - this.#left) * rowHeight);
        }
        this.#left = shownLeft;
        const top = Math.floor(this.element.scrollTop / rowHeight) - this.#head;
        const from = Math.max(0, top - AROUND);
        const to = Math.min(shown.length, top + Math.ceil(this.#height / rowHeight) + AROUND);
        this.#retire(from, to);
        for (let place = from; place < to; place += 1) {
            const element = this.#pool.show(shown[place]);
            this.#place(element, place);
            this.#dress(shown[place].number, element);
        }
        this.#showHead(from);
    }

    #retire(from, to) {
        const { shown } = this.#source;
        const low = shown[from]?.number ?? Infinity;
        const high = shown[to - 1]?.number ?? -1;
        for (const [number, element] of this.#pool) {
            const place = this.#source.place(number);
            if (number >= low && number <= high && place >= 0) continue;
            const hasFocus = element.contains(document.activeElement);
            if (hasFocus && place >= 0) {
                this.#place(element, place);
                continue;
            }
            if (hasFocus) this.element.focus({ preventScroll: true });
            this.#pool.release(number);
        }
    }

    #place(element, place) {
        element.style.transform = `translateY(${(place + this.#head) * this.#rowHeight}px)`;
        element.setAttribute('aria-posinset', place + 1);
        element.setAttribute('aria-setsize', this.#source.shown.length);
    }

    #dress(number, element) {
        const tab = number === this.#focused ? 0 : -1;
        if (element.tabIndex !== tab || !element.hasAttribute('tabindex')) element.tabIndex = tab;
        if (number === this.selected) element.setAttribute('aria-current', 'true');
        else if (element.hasAttribute('aria-current')) element.removeAttribute('aria-current');
    }

    #showHead(from) {
        const shows = this.#head === 1 && from === 0;
        if (!shows) {
            this.#headView?.remove();
            this.#headView = null;
            return;
        }
        this.#headView ??= this.#canvas.appendChild(el('div', { class: 'feed-mark feed-head' }));
        this.#headView.replaceChildren(...this.#views.head());
    }

    #scrolled() {
        const view = this.element;
        const atEnd = view.scrollTop + view.clientHeight >= view.scrollHeight - 2;
        // What the page scrolls itself ends at the end, so anything else is the reader's.
        this.#atEnd = atEnd;
        this.follows = atEnd && (this.follows || this.#views.mayFollow());
        this.draw();
        this.#views.moved();
    }

    #leaveEnd() {
        if (this.element.scrollTop <= 0 || !this.follows) return;
        this.follows = false;
        this.#views.moved();
    }

    #hold(holds) {
        if (this.#holds === holds) return;
        this.#holds = holds;
        const top = this.element.scrollTop;
        if (holds) this.#heldAt = top;
        else if (this.follows && Math.abs(top - this.#heldAt) < 2) this.draw();
        else this.#scrolled();
    }

    #clicked(event, row) {
        if (row.mark || event.target.closest('a, button')) return;
        // Who marks text wants to copy it.
        if (String(getSelection()) !== '') return;
        this.#focused = row.number;
        this.#views.pick(row);
    }

    #key(event) {
        if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest('a, button')) return;
        const { shown } = this.#source;
        if (shown.length === 0) return;
        const page = Math.max(1, Math.floor(this.#height / this.#rowHeight) - 1);
        const now = this.#source.place(this.#focused);
        const begin = now >= 0 ? now : Math.max(0, shown.indexOf(this.first) - 1);
        const steps = {
            ArrowDown: begin + 1, ArrowUp: now >= 0 || !this.follows ? begin - 1 : shown.length - 1,
            PageDown: begin + page, PageUp: begin - page, Home: 0, End: shown.length - 1,
        };
        if (event.key in steps) {
            const row = shown[Math.max(0, Math.min(steps[event.key], shown.length - 1))];
            // Someone who walks through rows wants them to stand still; the end means the end.
            this.follows = event.key === 'End' && this.#views.mayFollow();
            this.reveal(row.number, true);
            this.#views.moved();
            if (!row.mark) this.#views.visit(row);
        } else if (event.key === 'Enter' && now >= 0 && !shown[now].mark) {
            this.#views.pick(shown[now]);
        } else {
            return;
        }
        event.preventDefault();
    }
}
