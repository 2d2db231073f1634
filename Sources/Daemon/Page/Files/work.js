// The Work view: the groups, and how far behind each is. One group has a page of its own.

import { groupPath, json, request } from './bus.js';
import { entry, labelled, searchField, submit, viewHead } from './buttons.js';
import { count, el, many, setText } from './dom.js';
import { attributesOf } from './filters.js';
import { GroupPage } from './group.js';
import { topicNames } from './names.js';
import { Outcome } from './outcome.js';
import { groupAddress } from './places.js';
import { poll } from './poll.js';
import { groupFields } from './settings.js';
import { behindText, stateOf } from './standing.js';
import { cut, LiveTable } from './tables.js';
import { oneLine } from './text.js';

const SHOWN = 300;

/** Opens the view. `place.path` is `[group]`. */
export function open(place, signal) {
    const name = place.path[0];
    if (name) return { title: `Group ${oneLine(name)}`, element: new GroupPage(name, signal).element };
    return { title: 'Work', element: new GroupList(signal).element };
}

const COLUMNS = [
    ['Group', group => el('a', { href: groupAddress(group.name) }, group.name)],
    ['Of', group => cut(takenBy(group), { title: group.of })],
    ['State', group => el('span', { class: `badge ${stateOf(group).mood}` }, stateOf(group).text)],
    ['Behind', behindText, 'number'],
    ['Open', group => count(group.open), 'number'],
    ...['Leased', 'Waiting', 'Parked', 'Workers', 'Done', 'Failed']
        .map(title => [title, group => count(group[title.toLowerCase()]), 'number']),
];

function takenBy({ of, type }) {
    return type ? `${of}, type ${oneLine(type)}` : of;
}

const MEANINGS = {
    Behind: 'Events that no worker has taken yet', Open: 'Jobs that were handed out and are not settled',
    Leased: 'Jobs that a worker has', Waiting: 'Jobs that were given back and come again',
    Parked: 'Jobs that wait for others of their key', Workers: 'Workers that wait for a job',
    Failed: 'Dead letters',
};

class GroupList {
    element;
    #table = new LiveTable('Groups', COLUMNS, { meanings: MEANINGS });
    #about = el('span', { class: 'dim' }, 'Asking…');
    #find = searchField('Find groups', () => this.#draw());
    #groups = [];

    constructor(signal) {
        const { now, problem } = poll(() => json('/groups', { signal }), ({ groups }) => {
            this.#groups = groups;
            this.#draw();
        }, signal);
        this.element = el('div', { class: 'view work' }, viewHead('Work'),
            el('p', { class: 'dim' }, 'A group shares the events of its topics among workers. Each event is '
                + 'a job that one worker has at a time.'),
            problem, el('div', { class: 'toolbar center' }, this.#find, this.#about),
            this.#table.element, newGroup(signal, now));
    }

    #draw() {
        const typed = this.#find.value.trim().toLowerCase();
        const fits = this.#groups.filter(group => `${group.name} ${group.of}`.toLowerCase().includes(typed));
        const shown = fits.slice(0, SHOWN);
        setText(this.#about, this.#aboutText(fits.length, shown.length));
        this.#table.show(new Map(shown.map(group => [group.name, group])));
    }

    #aboutText(fitting, shown) {
        if (this.#groups.length === 0) return 'There is no group yet. Make one below, or let a worker do it.';
        if (fitting > shown) return `${count(fitting)} groups, the first ${count(shown)} are shown.`;
        return many(fitting, 'group');
    }
}

/** The form for a group that is to be made. */
function newGroup(signal, changed) {
    const names = topicNames(signal);
    const fields = groupFields(names, true);
    const field = entry('name', {
        required: true, pattern: '[A-Za-z0-9._\\-]{1,64}', title: '1 to 64 of A-Z a-z 0-9 . _ -',
    });
    fields.element.prepend(labelled('Name', field));
    const make = async () => {
        const name = field.value.trim();
        const { attributes, ...query } = fields.changed;
        Object.assign(query, attributesOf(attributes ?? ''));
        await request(groupPath(name), { method: 'PUT', query, signal });
        changed();
        location.hash = groupAddress(name);
        return 'It is made.';
    };
    const button = submit('Make the group');
    const form = new Outcome(signal).form(button, make, {}, fields.element, names);
    return el('details', { class: 'panel more' }, el('summary', {}, 'New group'), form);
}
