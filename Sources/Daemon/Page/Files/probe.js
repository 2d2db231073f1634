// Asks whether the bus is there, where no view does: one request tries for all of the page.

import { again, every, seen } from './again.js';
import { quietFor, request, Unreachable } from './bus.js';
import { become, onState } from './connection.js';

const ANSWER_MS = 8000;
const BEGIN_MS = 500;
const LOOK_MS = 5000;
const QUIET_MS = 15000;

let search = null;
let wake = () => {};
let beginning = 0;

/** Asks for something that takes a right, so that a wrong token shows. */
function probe() {
    return request('/topics?match=belfry', { timeout: ANSWER_MS });
}

function failed(error, pause) {
    if (!(error instanceof Unreachable)) throw error;
    become('lost', { retryAt: Date.now() + pause });
}

/** Tries at once whether the bus is there again. */
export function tryNow() {
    wake();
}

onState(state => {
    clearTimeout(beginning);
    if (state !== 'lost') {
        search?.abort();
        search = null;
    } else if (!search) {
        search = new AbortController();
        const { signal } = search;
        wake = again(async () => {
            await seen(signal);
            await probe();
            return 0;
        }, failed, signal);
    }
    // A view that asks nothing would not see whether the bus is there.
    if (state === 'connecting') {
        beginning = setTimeout(() => quietFor() > 0 && probe().catch(() => {}), BEGIN_MS);
    }
});

document.addEventListener('visibilitychange', () => document.hidden || wake());

every(LOOK_MS, () => {
    if (search || quietFor() < QUIET_MS) return;
    request('/healthz', { timeout: ANSWER_MS }).catch(() => {});
});
