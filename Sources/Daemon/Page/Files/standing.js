// The standing of work groups, in the words that a person needs first.

import { count, many } from './dom.js';

/** How a group does. */
export function stateOf(group) {
    const { behind } = group;
    if (behind === 0 && group.open === 0) return { text: 'Up to date', mood: 'ok' };
    if (group.workers === 0 && group.leased === 0) return { text: 'No worker', mood: 'bad' };
    if (behind === 0) return { text: 'At work', mood: 'ok' };
    return { text: 'Behind', mood: 'warn' };
}

/**
 * Events that nobody has taken yet, as text: the bus counts up to 1,000, and only what it has in
 * memory.
 */
export function behindText(group) {
    if (group.behind === null) return 'not counted';
    return group.behind >= 1000 ? '1,000 or more' : count(group.behind);
}

/**
 * The troubles of some groups, the worst first, and how bad they are.
 * @returns {{text: string, mood: string}} both empty where all is well
 */
export function troubleOf(groups) {
    const moods = groups.map(group => stateOf(group).mood);
    const idle = moods.filter(mood => mood === 'bad').length;
    const behind = groups.reduce((sum, group) => sum + (group.behind ?? 0), 0);
    const more = groups.some(({ behind: each }) => each === null || each >= 1000) ? ' or more' : '';
    const dead = groups.reduce((sum, { failed }) => sum + failed, 0);
    const parts = [
        idle > 0 && `${many(idle, 'group')} ${idle === 1 ? 'has' : 'have'} no worker`,
        behind > 0 && `${count(behind)}${more} behind`,
        // Those that were put back are counted, too, so that they are no alarm.
        dead > 0 && `${many(dead, 'dead letter')} so far`,
    ].filter(Boolean);
    const mood = idle > 0 ? 'bad' : moods.includes('warn') ? 'warn' : '';
    return { text: parts.join(', '), mood };
}
