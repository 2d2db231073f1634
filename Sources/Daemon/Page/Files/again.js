// Loops that come back, and how they wait between their rounds.

const FIRST_MS = 300;
const MOST_MS = 10000;
/** A round that took as long as this did not fail at once. */
const LONG_MS = 5000;

/**
 * Does something again and again, until `signal` is aborted. Behind failures in a row it waits
 * longer each time, and never as long as another page does: pages do not come back all at once.
 * @param {() => Promise<number>} act answers how long to wait until the next round, in ms
 * @param {(error: Error, pause: number) => *} failed takes in why a round failed, and how long the
 *     loop waits behind that; it may wait itself, and ends the loop if it answers or throws
 *     something
 * @param {AbortSignal} signal
 * @returns {() => void} ends the pause if the loop is in one
 */
export function again(act, failed, signal) {
    let wake = () => {};
    const run = async () => {
        for (let failures = 0; ;) {
            const began = performance.now();
            let pause;
            try {
                pause = await act();
                failures = 0;
            } catch (error) {
                signal.throwIfAborted();
                if (performance.now() - began > LONG_MS) failures = 0;
                pause = Math.min(FIRST_MS * 1.6 ** failures, MOST_MS) * (0.7 + Math.random() * 0.6);
                failures += 1;
                if (await failed(error, pause) !== undefined) return;
            }
            await until((resolve, own) => {
                wake = resolve;
                const timer = setTimeout(resolve, pause);
                own.addEventListener('abort', () => clearTimeout(timer));
            }, signal);
        }
    };
    run().catch(error => {
        if (!signal.aborted) throw error;
    });
    return () => wake();
}

/** Does something every so many ms while the page can be seen, until `signal` is aborted. */
export function every(ms, act, signal) {
    const timer = setInterval(() => document.hidden || act(), ms);
    signal?.addEventListener('abort', () => clearInterval(timer), { once: true });
}

/** Waits until the page can be seen. */
export async function seen(signal) {
    while (document.hidden) {
        await until((resolve, own) => {
            document.addEventListener('visibilitychange', resolve, { signal: own });
        }, signal);
    }
}

/**
 * Waits for something, and throws when `signal` is aborted.
 * @param {(resolve: () => void, own: AbortSignal) => void} begin calls `resolve` when it is there;
 *     `own` is aborted when nothing waits for it any more
 * @param {AbortSignal} [signal]
 */
export async function until(begin, signal) {
    signal?.throwIfAborted();
    const own = new AbortController();
    try {
        await new Promise((resolve, reject) => {
            signal?.addEventListener('abort', () => reject(signal.reason), { signal: own.signal });
            begin(resolve, own.signal);
        });
    } finally {
        own.abort();
    }
}
