// Asks again and again, seldom while nothing changes, and not at all while the page is hidden.

import { again, seen } from './again.js';
import { recovered, Refused } from './bus.js';
import { NOTHING_YET } from './connection.js';
import { el, setText } from './dom.js';

const OFTEN_MS = 2000;
const SELDOM_MS = 10000;

/**
 * @param {() => Promise<object>} ask
 * @param {(answer: object) => void} show is called when the answer is another one than before
 * @param {AbortSignal} signal
 * @returns {{now: () => void, problem: HTMLElement}} `now` asks at once: an answer that was under
 *     way by then is not shown, because it may tell how things were before. `problem` tells what
 *     the bus refuses.
 */
export function poll(ask, show, signal) {
    const problem = el('div', { role: 'alert', class: 'notice bad' });
    let pause = OFTEN_MS;
    let before = '';
    let isEmpty = true;
    let isStale = false;
    const act = async () => {
        await seen(signal);
        isStale = false;
        const answer = await ask();
        if (isStale) return 0;
        setText(problem, '');
        isEmpty = false;
        const text = JSON.stringify(answer);
        pause = text === before ? Math.min(pause * 1.3, SELDOM_MS) : OFTEN_MS;
        if (text !== before) show(answer);
        before = text;
        return pause;
    };
    const failed = error => {
        before = '';
        // The bar tells a 401, and the view only where it has nothing to show.
        if (error.status === 401) setText(problem, isEmpty ? NOTHING_YET : '');
        else if (error instanceof Refused) setText(problem, error.detail);
        return recovered(error, signal);
    };
    const wake = again(act, failed, signal);
    const now = () => {
        isStale = true;
        wake();
    };
    return { now, problem };
}
