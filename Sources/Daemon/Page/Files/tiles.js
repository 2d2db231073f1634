// Figures, each in a tile with its name.

import { el, setText } from './dom.js';

/**
 * A row of tiles. A tile stays the same element while its figure changes: its heading may have the
 * focus.
 */
export class Tiles {
    element;
    #tiles = new Map();

    /** @param {string} label its accessible name */
    constructor(label) {
        this.element = el('section', { class: 'tiles', 'aria-label': label });
    }

    /**
     * Shows a figure. Parts that are not given stay as they were.
     * @param {string} name its heading, which is a link if it once had a place
     * @param {{value?: string, text?: string, mood?: string, href?: string}} shown `mood` is 'ok',
     *     'warn', 'bad' or empty; an empty `href` is no place now
     * @returns {HTMLElement} the tile
     */
    show(name, { value, text, mood, href }) {
        if (!this.#tiles.has(name)) this.#tiles.set(name, this.#make(name, href !== undefined));
        const tile = this.#tiles.get(name);
        if (value !== undefined) setText(tile.value, value);
        if (text !== undefined) setText(tile.text, text);
        if (mood !== undefined) tile.element.className = `tile ${mood}`;
        if (href) tile.heading.href = href;
        else if (href === '') tile.heading.removeAttribute('href');
        return tile.element;
    }

    #make(name, isLink) {
        const heading = el(isLink ? 'a' : 'span', {}, name);
        const value = el('div', { class: 'tile-value' }, '…');
        const text = el('div', { class: 'tile-text' });
        const element = el('div', { class: 'tile' },
            el('h2', { class: 'tile-name' }, heading), value, text);
        this.element.append(element);
        return { element, heading, value, text };
    }
}
