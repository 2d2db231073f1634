// The state of the Follow view, and how it goes on: the stream, the bounded list, and which of them
// waits for the other. While somebody looks at old rows none of these leaves: the stream waits, and
// its cursor with it.

import { NOTHING_YET } from './connection.js';
import { announce, count, many, perSecond } from './dom.js';
import { event, Events } from './events.js';
import { before } from './places.js';
import { Rate } from './rate.js';
import { timeText } from './rows.js';
import { Stream } from './stream.js';

const HIDDEN_MS = 10000;
const RATE_MS = 1500;
/** Rows that stay above the first one in view, and how many more have to be there before reading goes on. */
const ABOVE = 100;
const AHEAD = 500;
/** An event younger than this is as good as new; one older than that means that much is unread. */
const NEW_MS = 5000;
const OLD_MS = 10000;
const SILENCE_MS = 300;
/** Screen readers hear so seldom at most how many events came below. */
const SAY_NEW_MS = 10000;

export class FollowState {
    /** The list. */
    events = new Events();
    /** As the stream tells it; 'idle' before it begins. */
    state = 'idle';
    /** The words of the bus, where it refused. */
    detail = '';
    /** The cursor before the first event that was ever in the list. */
    origin = '';
    /** Events that came below while the reader looked at others, since what there was had been read. */
    unseen = 0;
    #view;
    #stream = null;
    #keep = 0;
    #rate = new Rate();
    #measured = { at: performance.now(), received: 0, read: 0, published: 0 };
    #cameAt = 0;
    #hasCaughtUp = false;
    #said = 0;
    #saidUnseen = 0;

    /**
     * @param {object} view
     * @param {() => boolean} view.follows whether it shows the end and stays there
     * @param {() => object|undefined} view.first the first row that it shows
     * @param {(row: object) => void} view.came a row was added
     * @param {() => void} view.changed the state is another one
     */
    constructor(view) {
        this.#view = view;
    }

    /** Reads until `signal` is aborted. `wanted` is what `Stream` takes. */
    begin(wanted, signal) {
        const told = (state, detail) => this.#told(state, detail);
        this.#stream = new Stream(wanted, row => this.#take(row), told);
        let hiding = 0;
        const look = () => {
            clearTimeout(hiding);
            if (!document.hidden) this.#stream.resume('hidden');
            else hiding = setTimeout(() => this.#stream.rest('hidden'), HIDDEN_MS);
        };
        document.addEventListener('visibilitychange', look, { signal });
        signal.addEventListener('abort', () => clearTimeout(hiding), { once: true });
        look();
        this.#stream.run(signal);
    }

    /** Where a request would begin now. */
    get since() {
        return this.#stream?.since;
    }

    get isPaused() {
        return this.#has('paused');
    }

    get isFull() {
        return this.#has('full');
    }

    /** Whether the end of the list is the end of all events, as far as one can see. */
    get isNew() {
        if (this.isFull || this.state !== 'reading') return false;
        return this.#isSilent || !(this.#age > NEW_MS);
    }

    get #isSilent() {
        return performance.now() - this.#cameAt > SILENCE_MS;
    }

    /** Whether so much is unread that reading all of it would take a while. */
    get #isBehind() {
        return this.isFull || (this.#measured.read > 100 && this.#age > OLD_MS);
    }

    /** How old the last row is, in ms; NaN if that is no event. */
    get #age() {
        return Date.now() - Date.parse(this.events.rows.at(-1)?.time);
    }

    #has(reason) {
        return this.#stream?.reasons.has(reason) ?? false;
    }

    /** Stops reading, or goes on where it stopped. */
    pause() {
        const { isPaused } = this;
        if (isPaused) this.#stream.resume('paused');
        else this.#stream.rest('paused');
        announce(isPaused ? 'Reading goes on.' : 'Paused. Nothing is lost.');
    }

    /** Goes to the newest events where reading all that lies between would take a while. */
    jump() {
        if (this.#isBehind && !this.isPaused) this.#stream.jump();
        this.look();
    }

    /** Makes room where scrolling cannot: few large events fill the list, or a search shows few rows. */
    readOn() {
        const { rows } = this.events;
        const keep = Math.min(20, Math.floor(rows.length / 2));
        while (rows.length > keep) this.events.drop();
        this.#stream.resume('full');
    }

    /** Takes in what the view shows, and reads on if there is room by that. */
    look() {
        this.#keep = this.#view.first()?.number ?? 0;
        const above = this.#keep - (this.events.rows[0]?.number ?? 0);
        const { isFull } = this;
        const follows = this.#view.follows();
        if (isFull && (follows || above > ABOVE + AHEAD)) this.#stream.resume('full');
        this.#hasCaughtUp ||= this.isNew && (this.#isSilent || !this.events.isEmpty);
        if (follows) this.unseen = 0;
        this.#sayUnseen();
    }

    /** Measures how fast events are published, and how fast they are read. */
    measure() {
        const now = performance.now();
        const { at, received } = this.#measured;
        if (now - at < RATE_MS) return;
        this.#measured = {
            at: now, received: this.events.received, published: this.#rate.at(Date.now()),
            read: (this.events.received - received) / ((now - at) / 1000),
        };
    }

    /** Takes what the stream brings, unless a row in view would have to go for it. */
    #take(row) {
        const { events } = this;
        while (events.isFull) {
            if (!this.#view.follows() && this.#keep - events.rows[0].number <= ABOVE) return false;
            events.drop();
        }
        const last = events.rows.at(-1);
        if (row.mark === 'break' && last?.mark === 'break') {
            // A bus that is away for long is one break.
            last.until = null;
            return true;
        }
        const added = events.add(typeof row === 'string' ? event(row) : row);
        if (added.id) this.#count(added);
        if (added.mark === 'gap') this.#say('There is a gap in the events.');
        this.#cameAt = performance.now();
        this.#view.came(added);
        return true;
    }

    #count(added) {
        const { events } = this;
        this.origin ||= before(added.id);
        this.#rate.take(Date.parse(added.time), Date.now());
        const isBelow = this.#hasCaughtUp && !this.#view.follows() && events.shown.at(-1) === added;
        if (isBelow) this.unseen += 1;
    }

    #told(state, detail) {
        this.state = state;
        this.detail = detail ?? '';
        // Events that are there come in the next moment.
        if (state === 'reading') this.#cameAt = performance.now();
        const last = this.events.rows.at(-1);
        if (state === 'reading' && last?.mark === 'break') last.until ??= Date.now();
        if (state === 'lost') this.#say('The bus is lost. Reading goes on when it is back.');
        this.#view.changed();
    }

    /** Tells screen readers what happened, and not more than they can say. */
    #say(text) {
        if (performance.now() - this.#said < 5000) return;
        this.#said = performance.now();
        announce(text);
    }

    #sayUnseen() {
        const { unseen } = this;
        if (unseen === this.#saidUnseen) return;
        if (unseen > 0 && performance.now() - this.#said < SAY_NEW_MS) return;
        this.#saidUnseen = unseen;
        if (unseen > 0) this.#say(`${many(unseen, 'new event')} below.`);
    }

    /** How it goes, in a sentence or two. */
    get text() {
        const { received, left } = this.events;
        const kept = left > 0 ? `, the last ${count(received - left)} are kept here` : '';
        if (received === 0) return this.#doing();
        return `${this.#doing()} ${many(received, 'event')} received${kept}.`;
    }

    #doing() {
        const { state } = this;
        if (state === 'idle') return '';
        if (state === 'refused') return 'The bus refuses this.';
        if (this.isPaused) return 'Paused. Nothing is lost: it goes on where it stopped.';
        if (this.isFull) return 'The list is full, and reading waits. Scroll down to read on.';
        if (this.#has('hidden')) return 'Resting while nobody looks.';
        if (state === 'lost') return 'Lost the bus. Reading goes on where it stopped.';
        if (state === 'denied') {
            return this.events.isEmpty ? NOTHING_YET
                : 'Reading goes on where it stopped, once the bus knows who you are.';
        }
        if (state === 'waiting') return 'The bus takes no reader now. The page tries again.';
        if (state === 'connecting') return 'Connecting…';
        if (this.#age > OLD_MS && !this.#isSilent) {
            return `Catching up, at ${timeText(this.events.rows.at(-1).time, false)}.`;
        }
        const { published } = this.#measured;
        return `Live${published > 0 ? `, ${perSecond(published)}` : ''}.`;
    }
}
