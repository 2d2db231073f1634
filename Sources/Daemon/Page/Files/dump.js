// Bytes as hex, with offsets and ASCII.

import { clear, el } from './dom.js';
import { stepwise } from './text.js';

const STEP = 4 * 1024;
/** A box as wide as this takes 16 bytes in a row, a narrower one 8. */
const WIDE = 620;

/** Two digits of a byte. */
export function hex(byte) {
    return byte.toString(16).padStart(2, '0');
}

/**
 * The element that shows bytes, as wide as its place allows.
 * @param {Uint8Array} data
 */
export function dump(data) {
    const box = el('div', { class: 'hex-box' });
    let width = 0;
    const draw = () => {
        const next = box.clientWidth >= WIDE || box.clientWidth === 0 ? 16 : 8;
        if (next === width) return;
        width = next;
        clear(box, columns(data, width));
    };
    draw();
    // It goes with the element that it watches.
    new ResizeObserver(draw).observe(box);
    return box;
}

/** Three columns of one text each: many bytes are few nodes. */
function columns(data, width) {
    const offsets = el('pre', { class: 'hex-offsets', 'aria-hidden': 'true' });
    const codes = el('pre', { class: 'hex-codes' });
    const signs = el('pre', { class: 'hex-signs' });
    const target = el('div', {
        class: 'hex', tabIndex: 0, role: 'region', 'aria-label': 'Hex dump: offset, bytes, ASCII',
    }, offsets, codes, signs);
    return stepwise(target, data.length, STEP, 'bytes', (from, to) => {
        const lines = [[], [], []];
        for (let at = from; at < to; at += width) {
            const row = [...data.subarray(at, Math.min(at + width, to))];
            lines[0].push(at.toString(16).padStart(8, '0'));
            const halves = [row.slice(0, 8), row.slice(8)].map(half => half.map(hex).join(' '));
            lines[1].push(halves.join('  ').trimEnd());
            lines[2].push(row.map(ascii).join(''));
        }
        [offsets, codes, signs].forEach((column, index) => column.append(`${lines[index].join('\n')}\n`));
        return null;
    });
}

function ascii(byte) {
    return byte > 0x1f && byte < 0x7f ? String.fromCharCode(byte) : '·';
}
