// The table of topics, flat or as a tree: which rows it has, and their order.

import { smallButton } from './buttons.js';
import { NOTHING_YET, token } from './connection.js';
import { count, el, many, setText } from './dom.js';
import { comparison, Header, topicOf, topicRow } from './grid.js';
import { search } from './groups.js';
import { List } from './list.js';
import { go } from './places.js';
import { askForToken } from './token.js';
import { topics } from './topics.js';
import { Tree } from './tree.js';

/** Rows move at most once in this time. */
const SORT_MS = 1000;
/** While the pointer moves on them they rest, so that a click hits its row. */
const POINTED_MS = 3000;
/** Up to so many topics a tree that was searched is open. */
const OPEN_MAX = 500;

/** The branches that are open, as long as the page is. */
const opened = new Set();

/** The list with what is said where it has no rows. */
export class TopicTable {
    /** The list. */
    element;
    /** The words where there are no rows. */
    none = el('div', { class: 'empty', hidden: true });
    #words = el('p');
    #askForToken = smallButton('Give a token', askForToken, { hidden: true });
    /** The help for those who use the keys. */
    keys = el('span', { class: 'dim list-keys', id: 'list-keys' },
        'Enter follows a topic, Shift+Enter shows the topic itself.');
    /** How many topics there are, in words. */
    shown = el('span', { class: 'dim', id: 'shown' });
    #wanted;
    #list;
    #header;
    #tree = null;
    #treeSize = 0;
    #built = '';
    #groups;
    #arranged = -Infinity;
    #later = 0;
    #pointed = -Infinity;
    /** How many topics the bus has, whoever may see them, and at which version of the list it said so. */
    #bus = { topics: null, version: -1 };

    /**
     * @param {{find: string, sort: string, descends: boolean, isTree: boolean}} wanted what is
     *     shown; a change of it is followed by a call of `show`
     * @param {import('./groups.js').Groups} groups
     * @param {(key: string) => void} sort a header was pressed
     * @param {AbortSignal} signal
     */
    constructor(wanted, groups, sort, signal) {
        this.#wanted = wanted;
        this.#groups = groups;
        this.#header = new Header(sort);
        const view = { groups, isTree: () => wanted.isTree, toggle: branch => this.#toggle(branch) };
        this.#list = new List({
            label: 'Topics',
            header: this.#header.element,
            row: () => topicRow(view),
            key: (event, item) => this.#enter(event, item)
                || (wanted.isTree && this.#turn(event, item)),
        }, signal);
        this.element = this.#list.element;
        this.element.setAttribute('aria-describedby', this.keys.id);
        this.none.append(this.#words, this.#askForToken);
        this.element.addEventListener('pointermove', event => {
            this.#pointed = event.target.closest('.row-head') ? -Infinity : performance.now();
        });
        this.element.addEventListener('pointerleave', () => { this.#pointed = -Infinity; });
        signal.addEventListener('abort', () => clearTimeout(this.#later), { once: true });
    }

    /** Shows what is wanted now, from the top. */
    show() {
        const { sort, descends, isTree } = this.#wanted;
        this.#header.show(sort, descends);
        this.element.setAttribute('role', isTree ? 'treegrid' : 'grid');
        this.element.scrollTop = 0;
        this.#arrange();
    }

    /** Shows what has changed: figures and the first rows at once, the order soon. */
    refresh() {
        this.#list.refresh();
        if (this.#list.items.length === 0) this.#arrange();
        else this.#arrangeSoon();
    }

    /** Shows how times grow older. */
    tick() {
        this.#list.refresh();
    }

    /** Whether the list is empty, and the page does not know whether the bus is. */
    get isUnsure() {
        return topics.isKnown && topics.rows.size === 0 && this.#bus.version !== topics.version;
    }

    /**
     * Takes in how many topics the bus has.
     * @param {number|null} size null where it does not tell
     * @param {number} version of the list, when it was asked
     */
    showBus(size, version) {
        this.#bus = { topics: size, version };
        this.#say();
    }

    /** Opens or closes all branches. */
    openAll(open) {
        this.#tree?.setAll(open);
        this.#arrange();
    }

    get #rests() {
        return performance.now() - this.#pointed < POINTED_MS && this.#list.items.length > 0;
    }

    #arrangeSoon() {
        if (this.#later) return;
        const wait = this.#rests ? SORT_MS : Math.max(0, this.#arranged + SORT_MS - performance.now());
        this.#later = setTimeout(() => {
            this.#later = 0;
            if (this.#rests) this.#arrangeSoon();
            else this.#arrange();
        }, wait);
    }

    #arrange() {
        clearTimeout(this.#later);
        this.#later = 0;
        this.#arranged = performance.now();
        const { sort, descends, isTree } = this.#wanted;
        const compare = comparison(sort, descends, this.#groups);
        this.#list.items = isTree ? this.#treeRows(compare) : this.#flatRows(compare);
        this.#say();
    }

    /** Whether other topics are to be shown than those that were. */
    #isOther() {
        const built = `${topics.version} ${this.#wanted.isTree} ${this.#wanted.find.trim()}`;
        if (built === this.#built) return false;
        this.#built = built;
        return true;
    }

    #found() {
        const fits = search(this.#wanted.find);
        return [...topics.rows.values()].filter(({ name }) => fits(name));
    }

    #flatRows(compare) {
        // Rows that are nearly in order are sorted much faster.
        return (this.#isOther() ? this.#found() : [...this.#list.items]).sort(compare);
    }

    #treeRows(compare) {
        const isOther = this.#isOther();
        if (isOther) {
            const found = this.#found();
            this.#treeSize = found.length;
            this.#tree = new Tree(found, opened, this.#wanted.find.trim() !== '' && found.length <= OPEN_MAX);
        }
        const rows = this.#tree.rows(compare);
        const { active } = this.#list;
        if (isOther && active) {
            // The branches are new ones; the keyboard stays at the same name.
            const isSame = row => row.name === active.name && row.itself === active.itself;
            this.#list.active = rows.find(isSame);
        }
        return rows;
    }

    #say() {
        const { size } = topics.rows;
        const wanted = this.#wanted.find.trim();
        const found = this.#wanted.isTree ? this.#treeSize : this.#list.items.length;
        const all = many(size, 'topic');
        const part = `${count(found)} of ${all}`;
        setText(this.shown, !topics.isKnown ? '' : wanted ? part : all);
        const text = this.#wordsFor(size, found, wanted);
        setText(this.#words, text);
        this.#askForToken.hidden = !this.#isHidden || token() !== '';
        this.none.hidden = text === '';
        this.element.hidden = text !== '' && found === 0;
    }

    /**
     * The words instead of the rows, or above them where the bus refuses; empty where nothing is.
     */
    #wordsFor(size, found, wanted) {
        if (topics.refusal?.status === 401) return size === 0 ? NOTHING_YET : '';
        if (topics.refusal) return topics.refusal.detail;
        if (!topics.isKnown || this.isUnsure) return 'The page asks the bus for its topics…';
        if (this.#isHidden) {
            const none = this.#bus.topics === 1 ? 'do not let you see it' : 'let you see none of them';
            return `The bus has ${many(this.#bus.topics, 'topic')}. Its rules ${none}.`;
        }
        if (size === 0 && this.#bus.topics === null) return 'There is no topic that you may see.';
        if (size === 0) return 'There are no topics yet. Publish an event, and its topic is here.';
        return found === 0 ? `No topic fits ‘${wanted}’.` : '';
    }

    /** Whether the bus has topics, and its rules hide all of them. */
    get #isHidden() {
        return topics.isKnown && topics.rows.size === 0 && !this.isUnsure && this.#bus.topics > 0;
    }

    #toggle(branch) {
        this.#tree.set(branch, !branch.open);
        this.#arrange();
    }

    /** Enter follows a topic or a branch, Shift+Enter leads to the page of a topic. */
    #enter({ key, shiftKey }, item) {
        if (key !== 'Enter') return false;
        const topic = shiftKey ? topicOf(item) : null;
        go(topic === null ? ['follow', item.selector ?? item.name] : ['topics', topic]);
        return true;
    }

    /** The keys of a tree: right opens or goes in, left closes or goes out. */
    #turn({ key }, item) {
        const isOpen = item.isBranch && item.open;
        if (key === 'ArrowRight' && isOpen) {
            this.#list.go(this.#list.placeOf(item) + 1);
        } else if (key === 'ArrowLeft' && !isOpen && item.level > 1) {
            this.#list.go(this.#list.placeOf(item.parent));
        } else if (item.isBranch && [' ', isOpen ? 'ArrowLeft' : 'ArrowRight'].includes(key)) {
            this.#toggle(item);
        } else {
            return false;
        }
        return true;
    }
}
