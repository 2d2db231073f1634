// A small curve of numbers. It has no axes: its highest point is told in words, beside it or to screen
// readers.

import { svg } from './dom.js';

const HEIGHT = 40;

/** A curve that is as wide as its place. */
export class Curve {
    /** The element to put into the page. */
    element;
    #area = svg('path', { class: 'curve-area' });
    #line = svg('path', { class: 'curve-line', 'vector-effect': 'non-scaling-stroke' });
    #drawn = '';

    /** @param {object} [options] `hidden` where words beside it say the same */
    constructor({ hidden = false } = {}) {
        const role = hidden ? { 'aria-hidden': 'true' } : { role: 'img', 'aria-label': '' };
        this.element = svg('svg', { class: 'curve', preserveAspectRatio: 'none', ...role },
            this.#area, this.#line);
    }

    /**
     * Draws numbers, from the oldest to the newest.
     * @param {ArrayLike<number>|null} numbers null draws nothing
     * @param {number} [first] the first of them that is known: those before it are left out
     * @param {string} [text] what the curve says
     */
    show(numbers, first = 0, text) {
        if (text !== undefined && this.element.getAttribute('aria-label') !== text) {
            this.element.setAttribute('aria-label', text);
        }
        const line = numbers ? lineOf(numbers, first) : '';
        if (line === this.#drawn) return;
        this.#drawn = line;
        if (numbers) this.element.setAttribute('viewBox', `0 -2 ${numbers.length - 1} ${HEIGHT + 4}`);
        this.#line.setAttribute('d', line);
        this.#area.setAttribute('d', line && `${line}L${numbers.length - 1} ${HEIGHT}L${first} ${HEIGHT}z`);
    }
}

function lineOf(numbers, first) {
    // One point is no line.
    if (first > numbers.length - 2) return '';
    let most = 0;
    for (let index = first; index < numbers.length; index += 1) most = Math.max(most, numbers[index]);
    if (most === 0) return `M${first} ${HEIGHT}L${numbers.length - 1} ${HEIGHT}`;
    let text = '';
    for (let index = first; index < numbers.length; index += 1) {
        const height = Math.round((1 - numbers[index] / most) * HEIGHT * 4) / 4;
        text += `${index === first ? 'M' : 'L'}${index} ${height}`;
    }
    return text;
}
