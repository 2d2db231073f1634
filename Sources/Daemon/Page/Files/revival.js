// Dead letters: those of a group that were not put back, and how all of them are.

import { groupPath, json, lines, Refused, request, topicPath } from './bus.js';

/** The refusals that say that a letter needs it no more: somebody else did it, or retention took it. */
const NEEDLESS = new Set(['JOB_SETTLED', 'EVENT_UNKNOWN']);

/**
 * The letters of a group that were not put back, by their ids, the oldest first.
 * @param {string} group
 * @param {string} topic where its letters go
 * @param {string} since where to begin there: `earliest`, or `-100`
 * @param {AbortSignal} signal
 * @param {(event: object) => *} keep makes of an event what is to be kept of it
 */
export async function lettersOf(group, topic, since, signal, keep) {
    const letters = new Map();
    const query = { since, as: 'ndjson', wait: 0 };
    const headers = { Accept: 'application/x-ndjson' };
    const response = await request(topicPath(topic), { query, signal, headers });
    for await (const texts of lines(response, signal)) {
        for (const event of texts.map(text => JSON.parse(text))) {
            const { id, type, key, attributes } = event;
            if (attributes?.deadgroup === group) letters.set(id, keep(event));
            // A letter whose job was of that type has attributes.
            else if (type === 'revived' && !attributes) letters.delete(key);
        }
    }
    return letters;
}

/** Puts a letter back, and answers the id of its new event. */
export async function revive(group, id, signal) {
    return (await json(`${groupPath(group)}/revive?id=${id}`, { method: 'POST', signal })).id;
}

/**
 * Puts letters back, one after the other, and throws what ends it early.
 * @param {string} group
 * @param {string[]} ids
 * @param {AbortSignal} signal
 * @param {(back: number) => void} told how many are back; it is called behind each letter
 */
export async function reviveAll(group, ids, signal, told) {
    let back = 0;
    for (const id of ids) {
        try {
            await revive(group, id, signal);
            back += 1;
        } catch (error) {
            if (!(error instanceof Refused) || !NEEDLESS.has(error.code)) throw error;
        }
        told(back);
    }
}
