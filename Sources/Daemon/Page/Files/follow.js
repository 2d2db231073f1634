// The Follow view: the events of a selector as they come, paused and resumed without loss, with a row where
// something is missing. The address always leads back to what is seen.

import { every } from './again.js';
import { topicPath } from './bus.js';
import { button, searchField, toggle } from './buttons.js';
import { curl } from './curl.js';
import { clear, copy, count, el, setHidden, setText } from './dom.js';
import { Detail } from './eventdetail.js';
import { Feed } from './feed.js';
import { filtersIn } from './filters.js';
import { FollowState } from './followstate.js';
import { topicNames } from './names.js';
import { before, followAddress, note, topicAddress } from './places.js';
import { eventRow, keptTimes, markRow } from './rows.js';
import { invitation, selectionForm, silence } from './selection.js';
import { oneLine } from './text.js';

const TICK_MS = 500;
/** Browsers slow down pages that change their address more often. */
const REMEMBER_MS = 1000;
const TYPING_MS = 120;
/** At an id or a moment a reader wants to stay. All else says how far back the list begins, before its end. */
const PLACE = /^(\d+|@\d.*|\d{4}-.*)$/;
const TOPIC = /^[\w.-]+$/;

/** Opens the view. `place.path` is `[selector]`. */
export function open(place, signal) {
    const selector = place.path[0] ?? '';
    const view = new Follow(selector, place.query, signal);
    return { title: selector ? `Follow ${oneLine(selector)}` : 'Follow', element: view.element };
}

class Follow {
    element;
    #signal;
    #selector;
    #since;
    #reading;
    #feed;
    #look;
    #parts;
    #detail;
    #wanted;
    #rememberedAt = 0;

    constructor(selector, query, signal) {
        this.#signal = signal;
        this.#selector = selector;
        this.#since = query.get('since') ?? '';
        this.#wanted = query.get('event');
        this.#look = {
            selector, relative: keptTimes.get() === 'relative',
            filters: filtersIn(query),
        };
        this.#reading = new FollowState({
            follows: () => this.#feed.follows,
            first: () => this.#feed.first,
            came: row => this.#came(row),
            changed: () => this.#changed(),
        });
        this.#detail = new Detail(selector, this.#look.filters, () => this.#close(true));
        this.#feed = new Feed('Events', this.#reading.events, {
            make: () => eventRow(this.#look),
            mark: () => markRow(this.#look),
            head: () => this.#headText(),
            pick: row => (this.#detail.row === row ? this.#close() : this.#show(row)),
            visit: row => this.#detail.row && this.#show(row),
            moved: () => {
                this.#reading.look();
                this.#draw();
            },
            mayFollow: () => this.#reading.isNew,
        });
        this.#feed.follows = !this.#wanted && (query.get('live') === 'yes' || !PLACE.test(this.#since));
        this.element = this.#build(query);
        this.#feed.start(signal);
        this.#draw();
        if (selector) this.#begin();
    }

    #begin() {
        this.#reading.begin({
            selector: this.#selector, since: this.#since || '-200', filters: this.#look.filters,
        }, this.#signal);
        every(TICK_MS, () => this.#tick(), this.#signal);
    }

    // ——— The parts ———

    #build(query) {
        // Of a list that is live the place in the address is the page's own note, and nobody's wish.
        const since = query.get('live') === 'yes' ? '' : this.#since;
        const wanted = { selector: this.#selector, since, filters: this.#look.filters };
        const form = selectionForm(wanted, next => this.#go(next), topicNames(this.#signal));
        const parts = {
            status: el('p', { class: 'follow-status' }),
            problem: el('div', { role: 'alert', class: 'notice bad' }),
            empty: el('div', { class: 'empty' }),
        };
        this.#parts = parts;
        parts.split = el('div', {
            class: 'follow-split', onkeydown: event => {
                if (event.key === 'Escape' && this.#detail.row) this.#close(true);
            },
        }, el('div', { class: 'follow-list' }, parts.empty, this.#feed.element), this.#detail.element);
        const kind = TOPIC.test(this.#selector) ? ' one-topic' : '';
        return el('div', { class: `view fill follow${kind}` },
            el('h1', { tabIndex: -1, class: 'visually-hidden' }, 'Follow'), form,
            this.#selector && this.#toolbar(query.get('find') ?? ''), parts.status, parts.problem,
            this.#selector ? parts.split : invitation(), this.#selector && this.#foot());
    }

    /** There is nothing to read before the first row. */
    #toolbar(find) {
        const parts = this.#parts;
        parts.pause = button('Pause', () => {
            this.#reading.pause();
            this.#draw();
        });
        parts.found = el('span', { class: 'dim' });
        let typing = 0;
        parts.find = searchField('Find in what is shown', () => {
            clearTimeout(typing);
            typing = setTimeout(() => this.#find(), TYPING_MS);
        }, { class: 'find', value: find });
        if (find) this.#reading.events.find(find);
        parts.toolbar = el('div', {
            class: 'toolbar center', role: 'group', 'aria-label': 'Reading', hidden: true,
        }, parts.pause, parts.find, parts.found);
        return parts.toolbar;
    }

    /** Below the rows: the way on, and how they are shown. */
    #foot() {
        const parts = this.#parts;
        parts.jump = button('Jump to newest', () => this.#jump(), { hidden: true, title: 'Jump to newest' });
        parts.on = button('Read on', () => this.#readOn(), { hidden: true });
        parts.times = toggle('Relative times', this.#look.relative, is => this.#showTimes(is));
        parts.foot = el('div', {
            class: 'toolbar center', role: 'group', 'aria-label': 'Below the events', hidden: true,
        }, parts.jump, parts.on, el('span', { class: 'spacer' }),
        TOPIC.test(this.#selector) && el('a', { href: topicAddress(this.#selector) }, 'The topic'),
        parts.times, button('Copy as curl', () => copy(this.#curl(), 'The curl line is copied.')));
        return parts.foot;
    }

    #headText() {
        const query = { since: this.#reading.origin, ...this.#look.filters };
        return [`${count(this.#reading.events.left)} older events have left this list. `,
            el('a', { href: followAddress(this.#selector, query) }, 'Begin again with the first')];
    }

    // ——— Actions ———

    #came(row) {
        this.#feed.ask();
        if (this.#parts.toolbar.hidden) this.#draw();
        if (!row.id || row.id !== this.#wanted) return;
        this.#wanted = null;
        this.#show(row);
    }

    #changed() {
        this.#feed.refresh();
        this.#draw();
    }

    #tick() {
        this.#reading.measure();
        if (this.#look.relative) this.#feed.refresh();
        this.#feed.settle();
        this.#reading.look();
        this.#draw();
        this.#remember();
    }

    #jump() {
        this.#feed.toEnd();
        this.#reading.jump();
        this.#draw();
    }

    #readOn() {
        this.#reading.readOn();
        this.#feed.reset();
        this.#feed.element.scrollTop = 0;
        this.#draw();
    }

    #find() {
        this.#reading.events.find(this.#parts.find.value);
        this.#feed.reset();
        this.#draw();
    }

    #showTimes(areRelative) {
        this.#look.relative = areRelative;
        keptTimes.set(areRelative ? 'relative' : 'absolute');
        this.#feed.refresh();
    }

    #show(row) {
        this.#feed.select(row);
        this.#detail.open(row);
    }

    #close(focus) {
        const { row } = this.#detail;
        this.#feed.select(null);
        this.#detail.close();
        if (focus) this.#feed.focus(row);
    }

    #draw() {
        if (!this.#selector) return;
        const { pause, jump, on, found, status, problem, empty, split, toolbar, foot } = this.#parts;
        const { events, state, isPaused, isFull, unseen } = this.#reading;
        const isRefused = state === 'refused';
        setText(pause, isPaused ? 'Resume' : 'Pause');
        pause.disabled = isRefused;
        if (!events.isEmpty) toolbar.hidden = foot.hidden = false;
        setHidden(jump, this.#feed.follows || events.isEmpty, this.#feed.element);
        jump.classList.toggle('primary', unseen > 0);
        setText(jump, unseen > 0 ? `${count(unseen)} new ↓` : 'Jump to newest');
        setHidden(on, !isFull, this.#feed.element);
        const all = events.shown === events.rows;
        setText(found, all ? '' : `${count(events.shown.length)} of ${count(events.rows.length)} rows`);
        setText(status, this.#reading.text);
        status.className = `follow-status is-${state}`;
        setText(problem, isRefused || state === 'waiting' ? this.#reading.detail : '');
        split.hidden = isRefused && events.isEmpty;
        const isSilent = events.isEmpty && state === 'reading';
        if (isSilent && empty.childNodes.length === 0) clear(empty, silence(this.#selector));
        empty.hidden = !isSilent;
    }

    // ——— The address ———

    /** The cursor from which a reader sees what is seen here, and all that follows. */
    get #place() {
        const first = this.#feed.first;
        if (first?.id) return before(first.id);
        return first?.after ?? this.#reading.since;
    }

    #curl() {
        const query = { since: this.#place, as: 'ndjson', ...this.#look.filters };
        return curl({ path: topicPath(this.#selector), query });
    }

    #go(next) {
        const { selector, since, filters } = next;
        const address = followAddress(selector, { since, ...filters });
        if (location.hash === address) dispatchEvent(new HashChangeEvent('hashchange'));
        else location.hash = address;
    }

    #remember() {
        const now = performance.now();
        if (now - this.#rememberedAt < REMEMBER_MS) return;
        this.#rememberedAt = now;
        note(['follow', this.#selector], {
            since: this.#place, ...this.#look.filters, find: this.#parts.find.value,
            event: this.#detail.row?.id,
            live: this.#feed.follows && !this.#detail.row ? 'yes' : '',
        }, this.#signal);
    }
}
