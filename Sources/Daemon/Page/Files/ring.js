// The last five minutes, in 60 slots of five seconds. A topic without events has none, and
// all of 10,000 topics together take 3 MB.

/** Slots of a ring. */
export const SLOTS = 60;
/** The time of a slot. */
export const SLOT_MS = 5000;

/** Of the time before it nothing is known. */
let began = Date.now();

/** Forgets what was known: the page sees other topics from now on. */
export function beginAnew() {
    began = Date.now();
}

/** The first point of a curve that something is known of: the slot behind the one in which that began. */
export function firstKnown(now) {
    return Math.max(0, SLOTS - (slotAt(now) - slotAt(began)));
}

/** Numbers by time; what is older than the slots is gone. */
export class Ring {
    #slots = new Float32Array(SLOTS);
    #last = slotAt(Date.now());

    /** Counts `n` that came between two times. */
    add(n, since, now) {
        this.#advance(now);
        const count = Math.min(SLOTS, this.#last - slotAt(since) + 1);
        if (count <= 1) {
            this.#slots[this.#last % SLOTS] += n;
            return;
        }
        for (let back = 0; back < count; back += 1) this.#slots[(this.#last - back) % SLOTS] += n / count;
    }

    /** How many came in a second, of the last ten seconds and what there is of a third slot. */
    rate(now) {
        this.#advance(now);
        const sum = this.#slots[this.#last % SLOTS] + this.#back(1) + this.#back(2);
        if (sum === 0) return 0;
        const window = 2 * SLOT_MS + now % SLOT_MS;
        return sum * 1000 / Math.max(1000, Math.min(window, now - began));
    }

    /** Whether it has only zeros. */
    isOver(now) {
        this.#advance(now);
        return this.#slots.every(number => number === 0);
    }

    /**
     * The events per second of each full slot, the oldest first; added to `into` if it is given.
     */
    curve(now, into = new Float32Array(SLOTS - 1)) {
        this.#advance(now);
        for (let index = 0; index < SLOTS - 1; index += 1) {
            into[index] += this.#back(SLOTS - 1 - index) * 1000 / SLOT_MS;
        }
        return into;
    }

    #back(slots) {
        return this.#slots[(this.#last - slots) % SLOTS];
    }

    #advance(now) {
        const slot = slotAt(now);
        const steps = Math.min(slot - this.#last, SLOTS);
        for (let step = 0; step < steps; step += 1) this.#slots[(slot - step) % SLOTS] = 0;
        this.#last = Math.max(slot, this.#last);
    }
}

/** The number of the slot of a time. */
export function slotAt(time) {
    return Math.floor(time / SLOT_MS);
}
