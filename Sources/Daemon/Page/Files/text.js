// Hostile text made safe to look at: invisible signs are shown, and of long text as much as is asked for.

import { smallButton } from './buttons.js';
import { append, count, el } from './dom.js';

/** Signs that take no room on the screen, turn the direction of text, or break lines unseen. */
const CONTROLS = new RegExp(['[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f',
    '\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]',
    '|\\p{Surrogate}'].join(''), 'gu');
const BREAKS = /[\t\n]/g;

/** A text whose invisible signs can be seen: `‹U+0000›`, `‹U+202E›`. Line ends and tabs stay as they are. */
export function visible(text) {
    // Pictures of controls, as U+2400, are not in every font.
    return text.replaceAll('\r\n', '\n').replace(CONTROLS,
        sign => `‹U+${sign.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}›`);
}

/** The same in one line. */
export function oneLine(text) {
    return visible(text).replace(BREAKS, sign => (sign === '\n' ? '↵' : '⇥'));
}

/** At most so many signs of a text. */
export function cut(text, length) {
    return text.length > length ? `${text.slice(0, length)}…` : text;
}

/**
 * Puts the first step of something long into an element, and further ones by a button.
 * @param {HTMLElement} target
 * @param {number} length of all
 * @param {number} step
 * @param {string} unit what is counted
 * @param {(from: number, to: number) => Node|string|null} piece makes a step; null if it put it in itself
 * @returns {HTMLElement} a box with both
 */
export function stepwise(target, length, step, unit, piece) {
    const box = el('div', {}, target);
    let shown = 0;
    const next = () => {
        const to = Math.min(shown + step, length);
        append(target, [piece(shown, to)]);
        shown = to;
        if (shown === length) {
            more.remove();
            return;
        }
        more.textContent = `Show more (${count(length - shown)} ${unit} are left)`;
        box.append(more);
    };
    const more = smallButton('', next);
    next();
    return box;
}
