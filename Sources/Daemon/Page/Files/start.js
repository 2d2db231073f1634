// The fields that say where reading, or a group, begins.

import { entry } from './buttons.js';
import { el } from './dom.js';

let lists = 0;

const TIMES = [
    ['now', 'only what comes from now on'], ['-200', 'the last 200'], ['10m', 'the last ten minutes'],
    ['1h', 'the last hour'], ['24h', 'the last day'], ['earliest', 'all that is kept'],
];

/**
 * @param {string} value what the first field begins with
 * @param {string} placeholder what stands there where it is empty
 * @returns {{since: HTMLInputElement, moment: HTMLInputElement, times: HTMLElement}} the field, a clock that
 *     fills it in, and the list of what can be chosen in it
 */
export function startFields(value, placeholder) {
    lists += 1;
    const times = el('datalist', { id: `times-${lists}` },
        TIMES.map(([name, label]) => el('option', { value: name, label })));
    const since = entry('since', { value, list: times.id, placeholder });
    const moment = el('input', {
        type: 'datetime-local', step: 1, name: 'moment', onchange: () => {
            const time = new Date(moment.value);
            if (Number.isNaN(time.getTime())) return;
            since.value = time.toISOString().replace('.000Z', 'Z');
        },
    });
    return { since, moment, times };
}
