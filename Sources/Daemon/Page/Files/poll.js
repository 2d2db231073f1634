// Asks again and again, seldom while nothing changes, and not at all while nobody looks.

import { NOTHING_YET, reconnected, Refused, Unreachable, wait } from './bus.js';

const OFTEN_MS = 2000;
const SELDOM_MS = 10000;

/**
 * @param {() => Promise<object>} ask
 * @param {(answer: object) => void} show is called when the answer is another one than before
 * @param {(problem: Refused|null) => void} failed the bus refused it; null once it does no more. A 401 is told
 *     by the bar, and here only where nothing was shown yet.
 * @param {AbortSignal} signal
 * @returns {() => void} asks at once. An answer that was under way by then is not shown: it may tell how
 *     things were before.
 */
export function poll(ask, show, failed, signal) {
    let wake = () => {};
    /** Whether it is to ask at once, behind what is under way. */
    let again = false;
    let before = '';
    let isEmpty = true;
    const rest = async ms => {
        const early = new AbortController();
        wake = () => early.abort();
        const either = AbortSignal.any([early.signal, signal]);
        if (!again) await wait(ms, either).catch(() => signal.throwIfAborted());
        while (document.hidden) await seen(signal);
    };
    const run = async () => {
        for (let pause = OFTEN_MS; ; await rest(pause)) {
            again = false;
            try {
                const answer = await ask();
                if (again) continue;
                failed(null);
                isEmpty = false;
                const text = JSON.stringify(answer);
                pause = text === before ? Math.min(pause * 1.3, SELDOM_MS) : OFTEN_MS;
                if (text !== before) show(answer);
                before = text;
            } catch (error) {
                signal.throwIfAborted();
                if (!(error instanceof Unreachable) && !(error instanceof Refused)) throw error;
                before = '';
                if (error instanceof Refused) failed(told(error, isEmpty));
                if (error instanceof Unreachable || error.status === 401) await reconnected(signal);
                pause = error instanceof Refused ? SELDOM_MS : 0;
            }
        }
    };
    run().catch(error => {
        if (!signal.aborted) throw error;
    });
    return () => {
        again = true;
        wake();
    };
}

/** What a view tells of a refusal. */
function told(error, isEmpty) {
    if (error.status !== 401) return error;
    return isEmpty ? new Refused(error.status, error.code, NOTHING_YET) : null;
}

function seen(signal) {
    return new Promise((resolve, reject) => {
        document.addEventListener('visibilitychange', resolve, { once: true, signal });
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
}
