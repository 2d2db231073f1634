// The rows of the table of topics, flat or as a tree.

import { button } from './buttons.js';
import { Curve } from './curve.js';
import { ago, bytes, count, el, many, perSecond, setAttributes, setText, span } from './dom.js';
import { followAddress, topicAddress } from './places.js';
import { firstKnown, slotAt, SLOTS } from './ring.js';
import { isSilent } from './topics.js';

/** The columns: how they are sorted, and in which direction first. Rows without a value come last. */
export const COLUMNS = [
    { key: 'name', title: 'Topic', compare: (a, b) => order(a.name, b.name), descends: false },
    { key: 'rate', title: 'Rate', value: row => row.rate, hint: 'Events per second of the last ten seconds' },
    { key: 'newest', title: 'Newest', value: row => row.newest, hint: 'When its newest event was published' },
    { key: 'events', title: 'Events', value: row => row.events, hint: 'Events that are kept' },
    { key: 'bytes', title: 'Bytes', value: row => row.bytes, hint: 'Payload of the events that are kept' },
    {
        key: 'subscribers', title: 'Subscribers', value: row => row.subscribers,
        hint: 'Requests that wait for its events',
    },
    { key: 'groups', title: 'Groups', hint: 'Work groups that take its events' },
];

function order(a, b) {
    return a < b ? -1 : Number(a > b);
}

/** A comparison of rows by a column, and by name where that is equal. */
export function comparison(key, descends, groups) {
    const column = COLUMNS.find(({ key: name }) => name === key) ?? COLUMNS[0];
    const sign = descends ? -1 : 1;
    if (column.compare) return (a, b) => sign * column.compare(a, b);
    const value = key === 'groups' ? row => groups.of(row.name).length : column.value;
    return (a, b) => {
        const x = value(a);
        const y = value(b);
        return (Number.isFinite(x) && Number.isFinite(y) && sign * (x - y)) || order(a.name, b.name);
    };
}

/** The header, whose buttons sort. */
export class Header {
    element;
    #cells = new Map();

    /** @param {(key: string) => void} sort */
    constructor(sort) {
        for (const { key, title, hint } of COLUMNS) {
            const press = button(title, () => sort(key), { class: 'sort', title: hint });
            const head = { class: `cell cell-${key}`, role: 'columnheader' };
            this.#cells.set(key, el('div', head, press));
        }
        this.element = el('div', { class: 'row row-head', role: 'row' }, ...this.#cells.values());
    }

    /** Shows what is sorted by. */
    show(key, descends) {
        for (const [name, cell] of this.#cells) {
            const sort = descends ? 'descending' : 'ascending';
            setAttributes(cell, { 'aria-sort': name === key ? sort : null });
        }
    }
}

/** The name of the topic of a row; null for a branch that is none. */
export function topicOf(item) {
    return item.isBranch && !item.topic ? null : item.name;
}

/**
 * Makes a row.
 * @param {object} view what it depends on
 * @param {import('./groups.js').Groups} view.groups
 * @param {() => boolean} view.isTree
 * @param {(branch: import('./tree.js').Branch) => void} view.toggle opens or closes a branch
 */
export function topicRow(view) {
    const curve = new Curve({ hidden: true });
    const twist = el('span', { class: 'twist', 'aria-hidden': 'true' });
    const path = el('span', { class: 'name-path' });
    const last = el('span', { class: 'name-last' });
    const note = el('span', { class: 'name-note' });
    const link = el('a', { tabIndex: -1 }, path, last);
    const own = el('a', { tabIndex: -1 });
    // A branch that is no topic leads nowhere.
    const sum = el('span');
    const rate = el('span', { class: 'rate-number' });
    const cell = (key, ...children) => el('div', { class: `cell cell-${key}`, role: 'gridcell' }, children);
    const cells = {
        name: cell('name', twist, link, note),
        rate: cell('rate', curve.element, rate),
        newest: cell('newest'),
        events: cell('events'),
        bytes: cell('bytes'),
        subscribers: cell('subscribers'),
        groups: cell('groups'),
    };
    let shown = null;
    let drawn = NaN;
    twist.addEventListener('click', () => shown.isBranch && view.toggle(shown));
    const element = el('div', { class: 'row', role: 'row' }, Object.values(cells));
    const showName = (item, isTree) => {
        const isNode = isTree && item.level !== undefined;
        const cut = item.name.lastIndexOf('.') + 1;
        setText(path, isNode ? '' : item.name.slice(0, cut));
        setText(last, isNode ? item.segment : item.name.slice(cut));
        path.style.setProperty('--last', last.textContent.length);
        twist.hidden = !isNode;
        const selector = item.selector ?? item.name;
        link.href = followAddress(selector);
        link.title = `Follow ${selector}`;
        // Two boxes would be read as two words.
        link.ariaLabel = isNode ? item.segment : item.name;
        const name = topicOf(item);
        own.title = `The topic ${name}: its settings, and who waits`;
        own.href = topicAddress(name ?? '');
        cells.events.replaceChildren(name === null ? sum : own);
        const indent = (Math.min(item.level, 12) - 1) * 1.15;
        cells.name.style.paddingInlineStart = isNode ? `${indent}rem` : '';
    };
    const showLevel = (item, isTree) => setAttributes(element, {
        'aria-level': isTree ? item.level : null, 'aria-posinset': isTree ? item.place : null,
        'aria-setsize': isTree ? item.siblings : null,
        'aria-expanded': isTree && item.isBranch ? item.open : null,
    });

    const show = item => {
        const now = Date.now();
        const isTree = view.isTree();
        if (item !== shown) {
            showName(item, isTree);
            drawn = NaN;
        }
        setText(note, noteOf(item, now));
        note.classList.toggle('is-silent', item.isBranch ? item.silent > 0 : isSilent(item.topic ?? item));
        shown = item;
        showLevel(item, isTree);
        const slot = slotAt(now);
        const isQuiet = item.isBranch ? false : !(item.topic ?? item).history;
        if (drawn !== (isQuiet ? -1 : slot)) {
            drawn = isQuiet ? -1 : slot;
            curve.show(isQuiet ? null : curveOf(item, now), firstKnown(now));
        }
        setText(rate, perSecond(item.rate));
        rate.classList.toggle('is-zero', !(item.rate > 0));
        setText(cells.newest, newest(item, now));
        setText(cells.events.firstChild, count(item.events));
        setText(cells.bytes, bytes(item.bytes));
        setText(cells.subscribers, count(item.subscribers));
        cells.subscribers.classList.toggle('is-zero', item.subscribers === 0);
        const names = item.isBranch && !item.topic ? [] : view.groups.of(item.name);
        const all = names.join(', ');
        setText(cells.groups, names.length > 2 ? `${names[0]} and ${names.length - 1} more` : all);
        setAttributes(cells.groups, { title: all });
    };
    return { element, show };
}

/** The words beside a name: how many topics a branch has, how many of them are silent, and for how long a topic is. */
function noteOf(item, now) {
    if (item.isBranch) {
        return `${many(item.topics, 'topic')}${item.silent > 0 ? `, ${count(item.silent)} silent` : ''}`;
    }
    const topic = item.topic ?? item;
    const silent = isSilent(topic) && `silent for ${span((now - topic.silentAt) / 1000)}`;
    return [item.itself && 'itself', silent].filter(Boolean).join(', ');
}

function newest({ newest: id, newestAt }, now) {
    if (id === 0) return 'none';
    return ago(newestAt, now);
}

function curveOf(item, now) {
    if (!item.isBranch) return (item.topic ?? item).history.curve(now);
    return item.curve(now, new Float32Array(SLOTS - 1));
}
