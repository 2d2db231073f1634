// The elements of rows that are in view. An element that a row gave up shows another one: a list that moves
// fast makes none.

const SPARE_MAX = 60;

/** Elements by the number of their row. */
export class Pool {
    #canvas;
    #views;
    #clicked;
    #used = new Map();
    #spare = [];

    /**
     * @param {HTMLElement} canvas where they are put
     * @param {{make: () => object, mark: (row: object) => HTMLElement}} views see `Feed`
     * @param {(event: Event, row: object) => void} clicked
     */
    constructor(canvas, views, clicked) {
        this.#canvas = canvas;
        this.#views = views;
        this.#clicked = clicked;
    }

    /** The numbers of rows and their elements. */
    * [Symbol.iterator]() {
        for (const [number, view] of [...this.#used]) yield [number, view.element];
    }

    /** The element of a row that has one. */
    get(number) {
        return this.#used.get(number)?.element;
    }

    /** The element of a row. */
    show(row) {
        const shown = this.#used.get(row.number);
        if (shown) return shown.element;
        const view = row.mark ? { element: this.#views.mark(row) } : this.#spare.pop() ?? this.#views.make();
        view.row = row;
        view.element.hidden = false;
        view.show?.(row);
        this.#used.set(row.number, view);
        if (!view.element.isConnected) {
            view.element.addEventListener('click', event => this.#clicked(event, view.row));
            this.#canvas.append(view.element);
        }
        return view.element;
    }

    /** A row is not in view any more. */
    release(number) {
        const view = this.#used.get(number);
        this.#used.delete(number);
        if (view.show && this.#spare.length < SPARE_MAX) {
            view.element.hidden = true;
            this.#spare.push(view);
        } else {
            view.element.remove();
        }
    }
}
