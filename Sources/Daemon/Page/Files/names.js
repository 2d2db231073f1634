// Names of topics to choose from while a name is typed.

import { json } from './bus.js';
import { el } from './dom.js';

const OFFERED = 100;
const FRESH_MS = 30000;

let names = [];
let asked = -Infinity;
let lists = 0;

/**
 * A datalist with the topics that fit what is typed into the field that uses it.
 * @param {AbortSignal} signal
 * @returns {HTMLDataListElement}
 */
export function topicNames(signal) {
    lists += 1;
    const list = el('datalist', { id: `topics-${lists}` });
    const offer = typed => {
        const fits = names.filter(name => name.includes(typed) && name !== typed).slice(0, OFFERED);
        list.replaceChildren(...fits.map(value => el('option', { value })));
    };
    const typed = async event => {
        if (event.target.getAttribute?.('list') !== list.id) return;
        offer(event.target.value);
        if (performance.now() - asked < FRESH_MS) return;
        asked = performance.now();
        try {
            names = (await json('/topics', { signal })).topics.map(topic => topic.name);
            offer(event.target.value);
        } catch {
            // Without names to choose from a name can still be typed.
        }
    };
    document.addEventListener('focusin', typed, { signal });
    document.addEventListener('input', typed, { signal });
    return list;
}
