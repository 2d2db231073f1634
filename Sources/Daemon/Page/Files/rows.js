// How the rows of the Follow view look: an event in one line, and a mark where something is missing.

import { hueOf, typeLook } from './colours.js';
import { absolute, ago, el, span } from './dom.js';
import { brief } from './payload.js';
import { oneLine } from './text.js';
import { followAddress, momentAddress } from './moment.js';

/**
 * The element of an event, to be used again for others.
 * @param {{selector: string, filters: object, relative: boolean}} view what links and times depend on
 */
export function eventRow(view) {
    const time = el('time', { class: 'event-time' });
    const topic = el('bdi', { class: 'event-topic' });
    const type = el('bdi', { class: 'event-type' });
    const key = el('bdi', { class: 'event-key' });
    const text = el('bdi', { class: 'event-text' });
    const link = el('a', {
        class: 'event-link', tabIndex: -1, 'aria-label': 'Link to this moment', title: 'Link to this moment',
    }, '#');
    const element = el('article', { class: 'event' }, time, topic, type, key, text, link);
    const show = event => {
        time.textContent = timeText(event.time, view.relative);
        time.title = event.time;
        topic.textContent = event.topic;
        topic.title = event.topic;
        topic.style.setProperty('--hue', hueOf(event.topic));
        label(type, event.type, 'Type');
        if (event.type !== undefined) dress(type, typeLook(event));
        label(key, event.key, 'Key');
        text.textContent = event.text === '' ? 'empty' : brief(event);
        text.className = event.text === '' ? 'event-text dim' : `event-text event-${event.kind}`;
        link.href = momentAddress(view.selector, event.id, view.filters);
        const words = [event.topic, event.type && oneLine(event.type), time.textContent];
        element.setAttribute('aria-label', words.filter(Boolean).join(', '));
    };
    return { element, show };
}

function label(element, value, name) {
    element.hidden = value === undefined;
    if (value === undefined) return;
    element.textContent = oneLine(value);
    element.title = `${name}: ${value}`;
}

function dress(element, { text, mood, hue }) {
    element.textContent = oneLine(text);
    element.className = `event-type ${mood}`;
    element.style.setProperty('--hue', hue);
}

/** `12:04:05.123`, with the day where it is another one; or how long ago. */
export function timeText(time, relative) {
    if (relative) return ago(time);
    const text = absolute(time);
    return text.slice(0, 10) === absolute(Date.now()).slice(0, 10) ? text.slice(11) : text.slice(5, 19);
}

/** The element of a mark: a gap, a break of the connection, or events that the reader skipped. */
export function markRow(row, view) {
    const clock = time => absolute(time).slice(11, 19);
    const id = number => el('code', {}, number);
    const strong = text => el('strong', {}, text);
    const seconds = ({ from: begin, until }) => span((until - begin) / 1000);
    const from = since => followAddress(view.selector, { since, ...view.filters });
    const texts = {
        gap: () => gapText(row, id, strong),
        break: () => [strong('Break'), row.until
            ? ` The bus was lost at ${clock(row.from)} for ${seconds(row)}. Reading went on where it stopped.`
            : ` The bus was lost at ${clock(row.from)}. Reading goes on where it stopped.`],
        skip: () => [strong('Skipped'), ' Events after ', id(row.after), ' through ', id(row.through),
            ' were not read. ', el('a', { href: from(row.after) }, 'Read them')],
    };
    const content = el('span', { class: 'feed-mark-text' }, texts[row.mark]());
    return el('article', {
        class: `feed-mark mark-${row.mark}`, 'aria-label': content.textContent, title: content.textContent,
    }, content);
}

function gapText({ after, through }, id, strong) {
    if (Number(through) < Number(after)) {
        return [strong('Gap'), ' The bus began anew: what it had after ', id(after),
            ' may be missing. The oldest event that it has comes next.'];
    }
    if (after === '0') return [strong('Gap'), ' Events up to ', id(through), ' may be missing: removed.'];
    return [strong('Gap'), ' Events after ', id(after), ' through ', id(through),
        ' may be missing: removed before they were read.'];
}

const TIMES = 'belfry.times';

/** How times were last shown: 'relative', or anything else. */
export function keptTimes() {
    try {
        return localStorage.getItem(TIMES);
    } catch {
        return null;
    }
}

/** Keeps how times are shown, in this browser. */
export function keepTimes(value) {
    try {
        localStorage.setItem(TIMES, value);
    } catch {
        // Without storage the choice lasts as long as the view.
    }
}
