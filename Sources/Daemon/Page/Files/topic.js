// The page of one topic: how it does, its settings, what is held for it, who takes it and who waits for it,
// and its end.

import { every } from './again.js';
import { confirmed } from './ask.js';
import { json, Refused, request, topicPath, unlessRefused } from './bus.js';
import { facts, smallButton, viewHead } from './buttons.js';
import { absolute, ago, bytes, clear, count, el, many, setHidden, setText } from './dom.js';
import { Groups } from './groups.js';
import { Later } from './later.js';
import { Outcome } from './outcome.js';
import { eventAddress, followAddress, groupAddress, place, subscribersAddress } from './places.js';
import { poll } from './poll.js';
import { askWho, SubscriberTable, whoSees } from './subscribers.js';
import { oneLine } from './text.js';
import { Tiles } from './tiles.js';
import { sizeText, TopicSettings } from './topicsettings.js';

/** Opens the view. `place.path` is `[topic]`. */
export async function open(place, signal) {
    const name = place.path[0];
    if (!name) return (await import('./overview.js')).open(place, signal);
    return { title: `Topic ${oneLine(name)}`, element: new TopicPage(name, signal).element };
}

class TopicPage {
    element;
    #name;
    #signal;
    #row = null;
    #taken = [];
    #now;
    /** When its oldest event was published, which the list does not tell: asked for once for each. */
    #oldest = { id: null, time: null };
    #outcome;
    #none = el('p', { class: 'notice' });
    #silent = el('p', { class: 'notice warn' });
    #body = el('div', { class: 'stack', hidden: true });
    #figures = new Tiles('Figures');
    /** The content of the facts, so that they are made anew only where it is something else. */
    #told = '';
    #facts = el('dl', { class: 'inline-facts' });
    #settings;
    #later;
    #table;
    #waiting = el('span', { class: 'dim' });
    #remove = smallButton('Delete', () => this.#outcome.of(this.#remove, () => this.#delete()),
        { class: 'small danger', hidden: true });

    constructor(name, signal) {
        this.#name = name;
        this.#signal = signal;
        this.#outcome = new Outcome(signal);
        this.#settings = new TopicSettings(name, () => this.#now(), signal);
        this.#later = new Later(name, () => this.#now(), signal);
        this.#table = new SubscriberTable(signal);
        const asked = poll(() => this.#look(), answer => this.#show(answer), signal);
        this.#now = asked.now;
        const link = (text, href, more) => el('a', { href, ...more }, text);
        const main = { class: 'button small' };
        this.element = el('div', { class: 'view work topic' },
            viewHead(['Topic ', el('bdi', {}, oneLine(name))],
                link('Follow', followAddress(name), main), link('Publish', place(['publish', name]), main),
                link('All topics', '#/'), el('span', { class: 'spacer' }), this.#remove),
            asked.problem, this.#outcome.element, this.#body);
        this.#body.append(this.#none, this.#silent, this.#figures.element, this.#facts, this.#settings.element,
            this.#later.element,
            el('section', { class: 'stack', 'aria-labelledby': 'waiting-title' },
                el('div', { class: 'view-head' }, el('h2', { id: 'waiting-title' }, 'Who waits'),
                    this.#waiting, link('All who wait', subscribersAddress())),
                whoSees(), this.#table.element));
        every(1000, () => this.#row && this.#showFigures(this.#row), signal);
    }

    async #look() {
        const options = { signal: this.#signal };
        const { topics } = await json('/topics', { query: { match: this.#name }, ...options });
        const row = topics.find(({ name }) => name === this.#name) ?? null;
        // A topic that the caller may not see has no row. A request for its events is told so.
        if (!row) await unlessUnknown(json(`${topicPath(this.#name)}?as=json&wait=0`, options));
        const [groups, waiting, later] = await Promise.all([
            json('/groups', options).then(answer => answer.groups, unlessRefused),
            askWho(this.#name, this.#signal),
            this.#later.ask(),
        ]);
        const oldest = row && await this.#timeOf(row.oldest);
        return { row, groups: groups ?? [], waiting, later, oldest };
    }

    async #timeOf(id) {
        if (id === this.#oldest.id) return this.#oldest.time;
        // By its id it may be gone by now.
        const path = `${topicPath(this.#name)}?since=earliest&max=1&as=json&wait=0`;
        const answer = id && await json(path, { signal: this.#signal }).catch(unlessRefused);
        this.#oldest = { id, time: answer?.events?.[0]?.time ?? null };
        return this.#oldest.time;
    }

    #show({ row, groups, waiting, later, oldest }) {
        this.#row = row && { ...row, oldestTime: oldest };
        const taking = new Groups();
        taking.take(groups);
        this.#taken = taking.of(this.#name);
        this.#body.hidden = false;
        setHidden(this.#remove, !row, this.element.querySelector('h1'));
        this.#figures.element.hidden = !row;
        this.#facts.hidden = !row;
        setText(this.#none, row ? '' : `There is no topic ‘${oneLine(this.#name)}’ now. If the bus lets `
            + 'events make topics, the next one makes it. So does registering it: then it stays without events.');
        setText(this.#silent, row?.silent_since ? 'The topic is silent: it has had no event since '
            + `${absolute(row.silent_since)}, and one is expected within ${row.expect}.` : '');
        if (row) this.#showFigures(this.#row);
        if (row) this.#showFacts(row);
        this.#settings.update(row, this.#taken);
        this.#later.show(later);
        const shown = this.#table.show(waiting);
        const first = shown < waiting.length ? `. The first ${count(shown)} are shown` : '';
        const all = Math.max(waiting.length, row?.subscribers ?? 0);
        const part = waiting.length === all ? '' : `, and you may see ${count(waiting.length)}`;
        const none = row ? 'Nobody waits for it now.' : 'Nobody that you may see waits for it now.';
        setText(this.#waiting, all === 0 ? none : `${many(all, 'subscriber')}${part}${first}`);
    }

    #showFigures(row) {
        const name = this.#name;
        const at = id => (id === null ? '' : eventAddress(name, id));
        const bound = (value, text) => (value === null ? 'without a bound' : `of ${text(value)} at most`);
        const first = followAddress(name, { since: 'earliest' });
        const show = (title, value, text, href) => this.#figures.show(title, { value, text, href });
        show('Events', count(row.events), bound(row.keep, count), first);
        show('Bytes', bytes(row.bytes), bound(row.keep_bytes, bytes));
        show('Published', count(row.published), 'since it came to be or the bus began');
        show('Newest', row.newest ? ago(row.newest_time) : 'none',
            row.newest ? absolute(row.newest_time) : '', at(row.newest));
        show('Oldest', row.oldestTime ? ago(row.oldestTime) : row.oldest ? '–' : 'none',
            row.keep_for === null ? 'without a bound' : `kept for ${row.keep_for} at most`, at(row.oldest));
        show('Subscribers', count(row.subscribers), 'wait for its events',
            subscribersAddress(name));
    }

    #showFacts(row) {
        // A link in them may have the focus.
        const { registered, keep, keep_bytes: size, keep_for: age, persist, hold, expect } = row;
        const told = JSON.stringify([registered, keep, size, age, persist, hold, expect, this.#taken]);
        if (told === this.#told) return;
        this.#told = told;
        const group = name => el('a', { href: groupAddress(name) }, name);
        const taking = this.#taken.flatMap((name, index) => [index > 0 && ', ', group(name)]);
        const keeps = [keep === null ? 'any number of events' : many(keep, 'event'),
            size === null ? 'any size' : sizeText(size), age === null ? 'for ever' : `for ${age}`];
        clear(this.#facts, facts([
            ['Registered', registered ? 'yes' : 'no: it goes with its last event'],
            ['Keeps', keeps.join(', ')], ['Kept over restarts', persist ? 'yes' : 'no'],
            ['Held for', hold ? group(hold) : 'no group'],
            ['Expects an event', expect ? `within ${expect}` : 'at no time'],
            ['Groups that take it', taking.length > 0 ? taking : 'none that you may see'],
        ]));
    }

    /** The losses of a deletion, and what stays. */
    get #losses() {
        const { events, bytes: size, registered, hold, subscribers } = this.#row;
        const groups = this.#taken;
        const names = `${groups.slice(0, 5).join(', ')}${groups.length > 5 ? ', …' : ''}`;
        return [
            events === 0 ? 'It has no events.'
                : `Its ${many(events, 'event')} (${bytes(size)}) will be gone for good.`,
            registered ? 'Its registration goes too, and with it all settings: a later event makes a new '
                + 'topic, with the defaults of the bus.' : '',
            this.#later.isHolding && 'All that is held for it until it is due is cancelled.',
            hold && `The group ${hold} holds it. That keeps nothing from being deleted.`,
            groups.length > 0 && `${many(groups.length, 'work group')} of it (${names}) `
                + `${groups.length === 1 ? 'stays' : 'stay'}, and jobs of these events are gone.`,
            subscribers > 0 && `${many(subscribers, 'subscriber')} of it: requests for exactly this name `
                + 'are told and end, all others wait on.',
        ].filter(Boolean);
    }

    async #delete() {
        const isWanted = await confirmed({
            title: `Delete the topic ${this.#name}?`, text: this.#losses, action: 'Delete',
        }, this.#signal);
        if (!isWanted) return '';
        await request(topicPath(this.#name), { method: 'DELETE', signal: this.#signal });
        this.#now();
        return 'The topic is deleted.';
    }
}

/** Lets all go through but that there is no such topic. */
function unlessUnknown(asked) {
    return asked.catch(error => {
        if (!(error instanceof Refused && error.status === 404)) throw error;
    });
}
