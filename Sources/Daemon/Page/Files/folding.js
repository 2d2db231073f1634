// JSON folded and coloured, as it is written. Elements are made when they are unfolded, and never more than a
// few thousand: a payload of a megabyte would be half a million.

import { smallButton } from './buttons.js';
import { append, count, el } from './dom.js';
import { members, skipSpace } from './json.js';
import { cut, oneLine, visible } from './text.js';

const STRING_STEP = 500;
const CHILDREN_STEP = 100;
const VALUES_MAX = 5000;
const KEY_MAX = 200;
/** A container as short as this is open from the beginning. */
const OPEN_MAX = 400;
const OPEN_LEVELS = 6;
const BRIEF = 80;
/** Below this length nobody needs buttons that fold all. */
const SHORT = 200;

/** The element that shows a valid JSON text. */
export function folded(text) {
    const root = el('div', { class: 'json', tabIndex: 0, role: 'region', 'aria-label': 'JSON' });
    const tree = { text, values: 0 };
    append(root, [value(tree, { key: null, start: skipSpace(text, 0), end: text.trimEnd().length }, 0)]);
    const nests = root.querySelector('details details') && text.length > SHORT;
    return el('div', {}, root, nests && el('div', { class: 'payload-foot' },
        smallButton('Unfold all', () => unfoldAll(root)), smallButton('Fold all', () => foldAll(root))));
}

/** Opens what is folded, in the order of the text, until there are enough elements. */
function unfoldAll(root) {
    for (let level = 0; level < 64; level += 1) {
        const closed = [...root.querySelectorAll('details:not([open])')].slice(0, 200);
        if (closed.length === 0 || root.querySelectorAll('*').length > VALUES_MAX) return;
        for (const details of closed) {
            details.fill();
            details.open = true;
        }
    }
}

function foldAll(root) {
    for (const details of root.querySelectorAll('details details[open]')) details.open = false;
}

function value(tree, { key, start, end }, level) {
    tree.values += 1;
    const name = key !== null && [el('bdi', { class: 'json-key' }, visible(cut(key, KEY_MAX))), ': '];
    const begin = tree.text.slice(start, Math.min(end, start + BRIEF));
    const isContainer = /^[[{]/.test(begin) && !/^[[{]\s*[\]}]$/.test(begin);
    if (isContainer) return container(tree, start, end, name, level);
    return el('div', { class: 'json-line' }, name, scalar(tree.text, start, end));
}

function container(tree, start, end, name, level) {
    const { text } = tree;
    const children = el('div', { class: 'json-children' });
    const close = text[start] === '{' ? '}' : ']';
    const inner = oneLine(cut(text.slice(start + 1, end - 1), BRIEF));
    const details = el('details', { class: 'json-container' },
        el('summary', {}, name, el('span', { class: 'json-sign' }, text[start]),
            el('bdi', { class: 'json-brief' }, inner), el('span', { class: 'json-brief' }, close)),
        children, el('div', { class: 'json-sign json-close' }, close));
    const source = members(text, start);
    const more = smallButton('Show more', () => fill());
    const fill = () => {
        more.remove();
        for (let index = 0; index < CHILDREN_STEP; index += 1) {
            if (tree.values >= VALUES_MAX) {
                children.append(el('p', { class: 'dim' },
                    `${count(VALUES_MAX)} values are shown, and no more. Look at the text, or download it.`));
                return;
            }
            const { value: found, done } = source.next();
            if (done) return;
            children.append(value(tree, found, level + 1));
        }
        children.append(more);
    };
    let isFilled = false;
    details.fill = () => {
        if (!isFilled) fill();
        isFilled = true;
    };
    details.addEventListener('toggle', () => details.open && details.fill());
    if (level === 0 || (level < OPEN_LEVELS && end - start <= OPEN_MAX)) {
        details.fill();
        details.open = true;
    }
    return details;
}

function scalar(text, start, end) {
    let at = Math.min(end, start + STRING_STEP);
    const element = el('bdi', { class: `json-${kind(text[start])}` }, visible(text.slice(start, at)));
    if (at === end) return element;
    const label = () => `Show more (${count(end - at)} characters are left)`;
    const more = smallButton(label(), () => {
        const to = Math.min(at + 20 * STRING_STEP, end);
        element.append(visible(text.slice(at, to)));
        at = to;
        if (at === end) more.remove();
        else more.textContent = label();
    });
    return [element, ' ', more];
}

function kind(sign) {
    if (sign === '"') return 'string';
    if (sign === '{' || sign === '[') return 'sign';
    return /[-0-9]/.test(sign) ? 'number' : 'word';
}
