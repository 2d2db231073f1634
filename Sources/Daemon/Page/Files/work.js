// The Work view: the groups, and how far behind each is. One group has a page of its own.

import { groupPath, json, request } from './bus.js';
import { entry, labelled, viewHead } from './buttons.js';
import { count, el, many, setText } from './dom.js';
import { GroupPage } from './group.js';
import { topicNames } from './names.js';
import { Outcome } from './outcome.js';
import { groupAddress } from './places.js';
import { poll } from './poll.js';
import { newFields, wantedOf } from './settings.js';
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
    ['Leased', group => count(group.leased), 'number'],
    ['Waiting', group => count(group.waiting), 'number'],
    ['Parked', group => count(group.parked), 'number'],
    ['Workers', group => count(group.workers), 'number'],
    ['Done', group => count(group.done), 'number'],
    ['Failed', group => count(group.failed), 'number'],
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
    #find = el('input', {
        type: 'search', 'aria-label': 'Find groups', placeholder: 'Find groups', oninput: () => this.#draw(),
    });
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
    const outcome = new Outcome(signal);
    const make = async () => {
        const name = form.elements.name.value.trim();
        const path = `${groupPath(name)}?${new URLSearchParams(wantedOf(form))}`;
        await request(path, { method: 'PUT', signal });
        changed();
        location.hash = groupAddress(name);
        return 'It is made.';
    };
    const button = el('button', { type: 'submit' }, 'Make the group');
    const form = el('form', {
        onsubmit: event => {
            event.preventDefault();
            outcome.of(button, make);
        },
    }, el('div', { class: 'pair' },
        labelled('Name', entry('name', {
            required: true, pattern: '[A-Za-z0-9._\\-]{1,64}', title: '1 to 64 of A-Z a-z 0-9 . _ -',
        })),
        newFields(names)),
    names, outcome.element, el('div', { class: 'actions' }, button));
    return el('details', { class: 'panel more' }, el('summary', {}, 'New group'), form);
}
