// The overview: how the bus does, and its topics as they change.

import { every } from './again.js';
import { json, metrics, unlessRefused } from './bus.js';
import { searchField, smallButton, toggle } from './buttons.js';
import { here } from './curl.js';
import { announce, el, setText, span } from './dom.js';
import { Figures } from './figures.js';
import { COLUMNS } from './grid.js';
import { Groups } from './groups.js';
import { note } from './places.js';
import { TopicTable } from './table.js';
import { topics } from './topics.js';

const BUSY_FIGURES_MS = 5000;
const IDLE_FIGURES_MS = 30000;
const UNSURE_MS = 1000;
/** The rows wait no longer than this for the figures above them. */
const SETTLE_MS = 1000;

/**
 * Opens the view: `#/?find=…&sort=…&tree=1`. `sort` is a column, with `-` in front if its largest come first.
 */
export function open({ query }, signal) {
    return { title: 'Overview', element: new Overview(query, signal).element };
}

class Overview {
    element;
    #wanted;
    #signal;
    #groups = new Groups();
    #figures = new Figures();
    #table;
    /** The rows and what is above them in their box. */
    #panel;
    #about = el('span', { class: 'dim' }, here());
    #askedAt = -Infinity;
    #asks = false;
    /** Whether something happened since the figures were asked for. */
    #isStale = false;
    #unsureAt = -Infinity;
    #saying = 0;

    constructor(query, signal) {
        const sort = query.get('sort') ?? '';
        const column = COLUMNS.find(({ key }) => key === sort.replace(/^-/, '')) ?? COLUMNS[0];
        this.#signal = signal;
        this.#wanted = {
            find: query.get('find') ?? '', sort: column.key, descends: sort.startsWith('-'),
            isTree: query.get('tree') === '1',
        };
        this.#table = new TopicTable(this.#wanted, this.#groups, key => this.#sort(key), signal);
        this.#panel = el('div', { class: 'panel grid-panel unsettled' }, this.#tools(), this.#table.none,
            this.#table.element);
        this.element = el('div', { class: 'view fill' },
            el('div', { class: 'view-head' }, el('h1', {}, 'Overview'), this.#about),
            this.#figures.element, this.#panel);
        setTimeout(() => this.#settle(), SETTLE_MS);
        this.#live();
    }

    #tools() {
        const find = searchField('Find topics', () => this.#find(find.value), {
            class: 'find', value: this.#wanted.find, placeholder: 'Find, or a pattern: builds.>',
        });
        document.addEventListener('keydown', event => {
            if (event.key !== '/' || event.ctrlKey || event.altKey || event.metaKey) return;
            if (event.target.closest('input, textarea, select, dialog')) return;
            event.preventDefault();
            find.select();
        }, { signal: this.#signal });
        const fold = (text, open) => smallButton(text, () => this.#table.openAll(open), {
            class: 'small quiet',
        });
        const folds = el('span', { class: 'actions', hidden: !this.#wanted.isTree },
            fold('Open all', true), fold('Close all', false));
        const tree = toggle('Tree', this.#wanted.isTree, isTree => {
            this.#wanted.isTree = isTree;
            folds.hidden = !isTree;
            this.#show();
        });
        return el('div', { class: 'panel-head' }, find, tree, folds, el('span', { class: 'spacer' }),
            this.#table.keys, this.#table.shown);
    }

    #live() {
        topics.watch(isNews => {
            this.#figures.showTopics(topics);
            this.#table.refresh();
            this.#isStale ||= isNews;
            this.#lookAgain();
        }, this.#signal);
        // Times grow older, and figures too, while nothing happens.
        every(1000, () => {
            this.#table.tick();
            this.#lookAgain();
        }, this.#signal);
        this.#signal.addEventListener('abort', () => clearTimeout(this.#saying), { once: true });
        this.#figures.showTopics(topics);
        this.#table.show();
        this.#ask();
    }

    #find(text) {
        this.#wanted.find = text;
        this.#show();
        clearTimeout(this.#saying);
        this.#saying = setTimeout(() => announce(this.#table.shown.textContent), 700);
    }

    #sort(key) {
        const { sort, descends } = this.#wanted;
        this.#wanted.descends = sort === key ? !descends : key !== COLUMNS[0].key;
        this.#wanted.sort = key;
        this.#show();
    }

    /** Shows what is wanted, and writes it down in the address. */
    #show() {
        this.#table.show();
        const { find, sort, descends, isTree } = this.#wanted;
        const order = `${descends ? '-' : ''}${sort}`;
        note([], {
            find: find.trim(), sort: order === COLUMNS[0].key ? '' : order, tree: isTree ? '1' : '',
        }, this.#signal);
    }

    /**
     * Asks for figures that are old, and whether an empty list is that of an empty bus, not without
     * a pause.
     */
    #lookAgain() {
        const now = performance.now();
        const isOld = now - this.#askedAt > (this.#isStale ? BUSY_FIGURES_MS : IDLE_FIGURES_MS);
        if (!isOld && (!this.#table.isUnsure || now - this.#unsureAt < UNSURE_MS)) return;
        if (this.#asks) return;
        if (!isOld) this.#unsureAt = now;
        this.#ask();
    }

    /** Asks for the figures of the bus and for its groups. */
    async #ask() {
        if (this.#asks) return;
        this.#asks = true;
        this.#isStale = false;
        this.#askedAt = performance.now();
        const signal = this.#signal;
        const waits = topics.isWaiting;
        const { version } = topics;
        try {
            const [figures, answer] = await Promise.all([
                metrics({ signal }).catch(unlessRefused), json('/groups', { signal }).catch(() => null),
            ]);
            if (this.#groups.take(answer?.groups ?? [])) this.#table.refresh();
            if (figures) {
                const own = Number(waits && topics.isWaiting);
                this.#figures.showMetrics(figures, answer?.groups ?? null, own);
                this.#showAbout(figures);
            }
            this.#settle();
            const seen = await topics.refreshSubscribers(signal);
            // A topic may have come since the list was empty: then the list tells it soon.
            if (topics.rows.size > 0 || seen === 0) {
                this.#table.showBus(figures?.get('belfry_topics')?.[0].value ?? null, version);
            }
        } catch {
            // The state of the connection is told by the header.
            this.#settle();
        } finally {
            this.#askedAt = performance.now();
            this.#asks = false;
        }
        // An empty list may have come meanwhile.
        if (!signal.aborted) this.#lookAgain();
    }

    /** Shows the rows. The figures above them have their lines by now, and move them no more. */
    #settle() {
        this.#panel.classList.remove('unsettled');
    }

    #showAbout(figures) {
        const start = figures.get('process_start_time_seconds')?.[0].value;
        const version = figures.get('belfry_build_info')?.[0].labels.version;
        setText(this.#about, `${here()} · Belfry ${version} · up for ${span(Date.now() / 1000 - start)}`);
    }
}
