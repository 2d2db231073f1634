// The payload of an event, made readable: JSON folded and coloured, text, bytes as hex. Payloads
// are hostile: they only ever become text nodes, and nothing of them is made before it is looked
// at.

import { smallButton } from './buttons.js';
import { bytes, clear, copy, count, el } from './dom.js';
import { dump, hex } from './dump.js';
import { folded } from './folding.js';
import { fault } from './json.js';
import { cut, oneLine, stepwise, visible } from './text.js';

const TEXT_STEP = 32 * 1024;
const BRIEF = 300;
const BRIEF_BYTES = 24;
/** Text without a Content-Type is tried as JSON up to this length. */
const GUESS_MAX = 256 * 1024;

/**
 * @typedef {{kind: 'json'|'text'|'binary', text: string}} Content a payload: `text` is JSON as it is written,
 *     text, or base64
 */

/** The beginning of a payload in one line, for a list. */
export function brief({ kind, text }, length = BRIEF) {
    if (kind !== 'binary') return oneLine(cut(text, length));
    const first = bytesOf({ kind, text: text.slice(0, BRIEF_BYTES / 3 * 4) });
    return [...first].map(hex).join(' ') + (text.length > BRIEF_BYTES / 3 * 4 ? ' …' : '');
}

/** The bytes of a payload as it came: of JSON those of its text without white space. */
function bytesOf({ kind, text }) {
    if (kind !== 'binary') return new TextEncoder().encode(text);
    return Uint8Array.from(atob(text), sign => sign.charCodeAt(0));
}

/**
 * The kind of the bytes of an answer: JSON if they say so and are it, else text if they are UTF-8.
 * @returns {Content}
 */
export function contentOf(data, contentType) {
    try {
        const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data);
        return { kind: /[/+]json\b/.test(contentType) && !fault(text) ? 'json' : 'text', text };
    } catch {
        let text = '';
        for (const byte of data) text += String.fromCharCode(byte);
        return { kind: 'binary', text: btoa(text) };
    }
}

function sizeOf({ kind, text }) {
    if (kind === 'binary') return text.length / 4 * 3 - /=*$/.exec(text.slice(-2))[0].length;
    return /[^\x00-\x7f]/.test(text) ? bytesOf({ kind, text }).length : text.length;
}

/**
 * Shows a payload, with a switch between its forms.
 * @param {Content} content
 * @param {string} [label] what screen readers call it
 * @returns {HTMLElement}
 */
export function payload(content, label = 'Payload') {
    const forms = formsOf(content);
    const body = el('div', { class: 'payload-body' });
    const switches = forms.map(([name, make]) => smallButton(name, () => show(name, make)));
    const show = (name, make) => {
        for (const one of switches) one.setAttribute('aria-pressed', String(one.textContent === name));
        clear(body, make(content));
    };
    show(...forms[0]);
    const takes = () => copy(content.text, 'Payload copied');
    return el('div', { class: 'payload', role: 'group', 'aria-label': label },
        el('div', { class: 'payload-head' },
            el('span', { class: 'dim' }, sizeText(content)),
            forms.length > 1
                && el('span', { class: 'tabs', role: 'group', 'aria-label': 'Show as' }, switches),
            content.kind !== 'binary' && content.text !== '' && smallButton('Copy payload', takes)),
        body);
}

function sizeText(content) {
    const size = sizeOf(content);
    if (size === 0) return 'No payload';
    const kind = { json: 'JSON', text: 'Text', binary: 'Bytes that are no UTF-8' }[content.kind];
    const number = size < 1024 ? `${count(size)} ${size === 1 ? 'byte' : 'bytes'}` : bytes(size);
    return `${kind}, ${number}`;
}

function formsOf({ kind, text }) {
    const tree = ['Folded', () => folded(text)];
    const lines = ['Text', () => plain(text)];
    const codes = ['Hex', () => dump(bytesOf({ kind, text }))];
    if (text === '') return [['Text', () => el('p', { class: 'dim' }, 'The payload is empty.')]];
    if (kind === 'json') return [tree, lines];
    if (kind === 'binary') return [codes];
    return looksLikeJSON(text) ? [tree, lines, codes] : [lines, codes];
}

/** Whether a text without a Content-Type is an object or array all the same, as `curl -d` sends them. */
function looksLikeJSON(text) {
    return text.length <= GUESS_MAX && /^\s*[[{]/.test(text) && fault(text) === null;
}

function plain(text) {
    const target = el('pre', {
        class: 'payload-text', tabIndex: 0, role: 'region', 'aria-label': 'Text', dir: 'auto',
    });
    const piece = (from, to) => visible(text.slice(from, to));
    return stepwise(target, text.length, TEXT_STEP, 'characters', piece);
}
