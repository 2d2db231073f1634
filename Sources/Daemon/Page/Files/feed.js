// The rows of the Follow view, which come at the end and leave at the beginning. The list stays at
// the end until the reader scrolls up, and then nothing moves under the eyes.

import { el, setAttributes } from './dom.js';
import { VirtualList } from './virtuallist.js';

/** The list of events and marks. */
export class Feed extends VirtualList {
    /** Whether it stays at the end. */
    follows = true;
    #source;
    #views;
    #canvas;
    /** The row that is looked at, and the one that the Tab key leads to. */
    #selected = null;
    #focused = null;
    #left = 0;
    #holds = false;
    #heldAt = 0;
    #atEnd = false;
    #head = el('div', { class: 'feed-mark feed-head' });

    /**
     * @param {string} label its accessible name
     * @param {import('./events.js').Events} source
     * @param {object} views
     * @param {() => import('./virtuallist.js').View} views.make makes what shows an event
     * @param {() => import('./virtuallist.js').View} views.mark makes what shows a mark
     * @param {() => Array<Node|string>} views.head what is shown above the first row
     * @param {(row: object) => void} views.pick a row was clicked, or Enter pressed on it
     * @param {(row: object) => void} views.visit a row got the focus by the arrow keys
     * @param {() => void} views.moved the reader scrolled
     * @param {() => boolean} views.mayFollow whether the end of the list is the end of what there is
     */
    constructor(label, source, views) {
        const canvas = el('div', {
            class: 'feed-canvas', role: 'feed', 'aria-label': label,
            onclick: event => this.#clicked(event),
        });
        const release = () => this.#hold(false);
        const element = el('div', {
            class: 'feed', tabIndex: 0, role: 'group', 'aria-label': `${label}, scrollable`,
            ontouchend: release, ontouchcancel: release, onpointerup: release,
            onlostpointercapture: release,
            onpointerdown: event => event.target === element && this.#hold(true),
            onkeydown: event => this.#key(event),
        }, canvas);
        super(element, canvas, views.make, { only: row => (row.mark ? views.mark() : null) });
        this.#canvas = canvas;
        this.#source = source;
        this.#views = views;
        // The browser need not wait for these before it scrolls.
        const passive = { passive: true };
        element.addEventListener('wheel', event => event.deltaY < 0 && this.#leaveEnd(), passive);
        element.addEventListener('touchstart', () => this.#hold(true), passive);
    }

    start(signal) {
        super.start(signal);
        // The pointer may be let go anywhere.
        addEventListener('pointerup', () => this.#hold(false), { signal });
    }

    get items() {
        return this.#source.shown;
    }

    get above() {
        return this.#source.left > 0 ? 1 : 0;
    }

    placeOf(row) {
        return row ? this.#source.place(row.number) : -1;
    }

    /** The rows are others now: the list begins at the first, or at the end if it follows. */
    reset() {
        this.#left = this.#source.shownLeft;
        this.draw();
    }

    /** Stays at the end that the reader scrolled to, if that is the end by now. */
    settle() {
        this.follows ||= this.#atEnd && this.#views.mayFollow() && this.#isAtEnd;
    }

    /** Goes to the end and stays there. */
    toEnd() {
        this.follows = true;
        this.ask();
    }

    /** The first row in view; undefined if there is none. */
    get first() {
        const { items, rowHeight } = this;
        const end = (items.length + this.above) * rowHeight - this.height;
        const top = this.follows ? end : this.element.scrollTop;
        const place = Math.ceil(top / rowHeight - 0.25) - this.above;
        return items[Math.max(0, Math.min(place, items.length - 1))];
    }

    /** Scrolls to a row, and gives it the focus. */
    focus(row) {
        const place = this.placeOf(row);
        if (place < 0) return;
        this.#focused = row;
        this.reveal(place);
        this.elementOf(row)?.focus({ preventScroll: true });
    }

    /** Marks a row as the one that is looked at, or none. */
    select(row) {
        this.#selected = row;
        this.ask();
    }

    draw() {
        const { shownLeft } = this.#source;
        const before = this.element.scrollTop;
        this.fit();
        if (this.follows && !this.#holds) {
            this.element.scrollTop = this.element.scrollHeight;
        } else if (shownLeft !== this.#left) {
            const up = (shownLeft - this.#left) * this.rowHeight;
            this.element.scrollTop = Math.max(0, before - up);
        }
        this.#left = shownLeft;
        super.draw();
        const showsHead = this.above > 0 && this.range(0)[0] === 0;
        if (!showsHead) this.#head.remove();
        else if (!this.#head.isConnected) this.#canvas.append(this.#head);
        if (showsHead) this.#head.replaceChildren(...this.#views.head());
    }

    dress({ element, item }, place) {
        setAttributes(element, {
            'aria-posinset': place + 1, 'aria-setsize': this.items.length,
            'aria-current': item === this.#selected ? 'true' : null,
            tabindex: item === this.#focused ? 0 : -1,
        });
    }

    get #isAtEnd() {
        const { clientHeight, scrollHeight, scrollTop } = this.element;
        return scrollTop + clientHeight >= scrollHeight - 2;
    }

    scrolled() {
        // The page itself scrolls to the end alone, so anything else is the reader's.
        this.#atEnd = this.#isAtEnd;
        this.follows = this.#atEnd && (this.follows || this.#views.mayFollow());
        this.ask();
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
        else if (this.follows && Math.abs(top - this.#heldAt) < 2) this.ask();
        else this.scrolled();
    }

    #clicked(event) {
        const row = this.itemAt(event.target);
        if (!row || row.mark || event.target.closest('a, button')) return;
        // Text that somebody marks is to be copied.
        if (String(getSelection()) !== '') return;
        this.#focused = row;
        this.#views.pick(row);
    }

    #key(event) {
        if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest('a, button')) return;
        const { items } = this;
        if (items.length === 0) return;
        const now = this.placeOf(this.#focused);
        const isFromEnd = event.key === 'ArrowUp' && this.follows;
        const begin = isFromEnd ? items.length : Math.max(0, this.placeOf(this.first) - 1);
        const next = this.step(event.key, now >= 0 ? now : begin);
        if (next !== undefined) {
            const row = items[next];
            // Rows stand still for somebody who walks through them; the end means the end.
            this.follows = event.key === 'End' && this.#views.mayFollow();
            this.focus(row);
            this.#views.moved();
            if (!row.mark) this.#views.visit(row);
        } else if (event.key === 'Enter' && now >= 0 && !items[now].mark) {
            this.#views.pick(items[now]);
        } else {
            return;
        }
        event.preventDefault();
    }
}
