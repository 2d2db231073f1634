// The Work view: the groups, and how far behind each is. One group has a page of its own.

import { count, el, setText } from './dom.js';
import { json, request } from './bus.js';
import { GroupPage } from './group.js';
import { LiveTable } from './livetable.js';
import { topicNames } from './names.js';
import { Outcome } from './outcome.js';
import { oneLine } from './text.js';
import { poll } from './poll.js';
import { behindText, stateOf } from './standing.js';
import { entry, labelled, viewHead } from './parts.js';
import { newFields, wantedOf } from './settings.js';

const SHOWN = 300;

/** Opens the view. `place.path` is `[group]`. */
export function open(place, signal) {
    const name = place.path[0];
    if (name) return { title: `Group ${oneLine(name)}`, element: new GroupPage(name, signal).element };
    return { title: 'Work', element: new Groups(signal).element };
}

/** The address of a group's page. */
function groupAddress(name) {
    return `#/work/${encodeURIComponent(name)}`;
}

const COLUMNS = [
    ['Group', group => el('a', { href: groupAddress(group.name) }, group.name)],
    ['Of', group => el('bdi', { class: 'cut', title: group.of }, takenBy(group))],
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

class Groups {
    element;
    #signal;
    #table = new LiveTable('Groups', COLUMNS, MEANINGS);
    #problem = el('div', { role: 'alert', class: 'notice bad' });
    #about = el('span', { class: 'dim' }, 'Asking…');
    #find = el('input', {
        type: 'search', 'aria-label': 'Find groups', placeholder: 'Find groups', oninput: () => this.#draw(),
    });
    #groups = [];

    constructor(signal) {
        this.#signal = signal;
        const now = poll(() => json('/groups', { signal }), ({ groups }) => {
            this.#groups = groups;
            this.#draw();
        }, problem => setText(this.#problem, problem?.detail ?? ''), signal);
        this.element = el('div', { class: 'view work' }, viewHead('Work'),
            el('p', { class: 'dim' }, 'A group shares the events of its topics among workers. Each event is '
                + 'a job that one worker has at a time.'),
            this.#problem, el('div', { class: 'toolbar center' }, this.#find, this.#about),
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
        return `${count(fitting)} ${fitting === 1 ? 'group' : 'groups'}`;
    }
}

/** The form for a group that is to be made. */
function newGroup(signal, changed) {
    const names = topicNames(signal);
    const outcome = new Outcome(signal);
    const make = async () => {
        const name = form.elements.name.value.trim();
        const path = `/groups/${encodeURIComponent(name)}?${new URLSearchParams(wantedOf(form))}`;
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
