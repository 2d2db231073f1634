// How the rows of the Follow view look: an event in one line, and a mark where something is missing.

import { hueOf, typeLook } from './colours.js';
import { absolute, ago, clear, el, span } from './dom.js';
import { brief } from './payload.js';
import { eventAddress, followAddress } from './places.js';
import { stored } from './storage.js';
import { oneLine } from './text.js';

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
        link.href = eventAddress(view.selector, event.id, view.filters);
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

/**
 * Makes the element of a mark: a gap, a break of the connection, or events that the reader skipped.
 */
export function markRow(view) {
    const content = el('span', { class: 'feed-mark-text' });
    const element = el('article', {}, content);
    const show = row => {
        clear(content, MARKS[row.mark](row, view));
        element.className = `feed-mark mark-${row.mark}`;
        element.title = content.textContent;
        element.setAttribute('aria-label', content.textContent);
    };
    return { element, show, isOnly: true };
}

const strong = text => el('strong', {}, text);
const id = number => el('code', {}, number);
const clock = time => absolute(time).slice(11, 19);

const MARKS = {
    gap: ({ after, through }) => {
        if (Number(through) < Number(after)) {
            return [strong('Gap'), ' The bus began anew: what it had after ', id(after),
                ' may be missing. The oldest event that it has comes next.'];
        }
        if (after === '0') {
            return [strong('Gap'), ' Events up to ', id(through), ' may be missing: removed.'];
        }
        return [strong('Gap'), ' Events after ', id(after), ' through ', id(through),
            ' may be missing: removed before they were read.'];
    },
    break: ({ from, until }) => [strong('Break'), ` The bus was lost at ${clock(from)}`, until
        ? ` for ${span((until - from) / 1000)}. Reading went on where it stopped.`
        : '. Reading goes on where it stopped.'],
    skip: ({ after, through }, { selector, filters }) => [
        strong('Skipped'), ' Events after ', id(after), ' through ', id(through),
        ' were not read. ',
        el('a', { href: followAddress(selector, { since: after, ...filters }) }, 'Read them')],
};

/** How times were last shown: 'relative', or anything else. It is kept in this browser. */
export const keptTimes = stored('belfry.times');
