// How many events are published in a second, by their own times: old ones that are only read now count none.

const SPAN_MS = 5000;
const SLOT_MS = 500;
/** One event that was published just now is no thousand in a second. */
const LEAST_MS = 1500;

export class Rate {
    #slots = new Map();
    #first = Infinity;

    /** Counts an event that was published at `time`, in ms. */
    take(time, now) {
        if (!(now - time < SPAN_MS)) return;
        // The clock of the bus may be ahead of that of this browser.
        const slot = Math.floor(Math.min(time, now) / SLOT_MS);
        this.#slots.set(slot, (this.#slots.get(slot) ?? 0) + 1);
        this.#first = Math.min(this.#first, time);
    }

    /** Events in a second of the last five, or of less where nothing is known of the time before. */
    at(now) {
        let sum = 0;
        for (const [slot, events] of this.#slots) {
            if ((slot + 1) * SLOT_MS <= now - SPAN_MS) this.#slots.delete(slot);
            else sum += events;
        }
        if (sum === 0) return 0;
        return sum * 1000 / Math.max(LEAST_MS, Math.min(SPAN_MS, now - this.#first));
    }
}
