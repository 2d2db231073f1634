// What can be done to a group: other settings, another place to begin at, and its end.

import { confirmed } from './ask.js';
import { groupPath, json, Refused, request, Unreachable } from './bus.js';
import { button, labelled } from './buttons.js';
import { announce, count, el } from './dom.js';
import { topicNames } from './names.js';
import { Outcome } from './outcome.js';
import { Changes } from './settings.js';
import { startFields } from './start.js';
import { oneLine } from './text.js';

/** The part of the group's page. */
export class Managing {
    element;
    #name;
    #path;
    #signal;
    #changed;
    #group = null;
    #changes;

    /**
     * @param {string} name
     * @param {AbortSignal} signal
     * @param {() => void} changed the group is another one now
     */
    constructor(name, signal, changed) {
        this.#name = name;
        this.#path = groupPath(name);
        this.#signal = signal;
        this.#changed = changed;
        this.element = el('details', { class: 'panel more' }, el('summary', {}, 'Change the group'),
            el('div', { class: 'columns' }, this.#settings(), this.#seek(), this.#end()));
    }

    /** Takes in how the group is now. */
    update(group) {
        this.#group = group;
        this.#changes.update(group);
    }

    // ——— Settings ———

    #settings() {
        const names = topicNames(this.#signal);
        this.#changes = new Changes(names);
        const outcome = new Outcome(this.#signal);
        const save = el('button', { type: 'submit' }, 'Save');
        return part('Settings', () => outcome.of(save, () => this.#save()),
            el('p', { class: 'help' }, 'The topics of a group, its type, its order, and whether it replies and '
                + 'is kept, stay as they were made.'),
            this.#changes.element, names, outcome.element, el('div', { class: 'actions' }, save));
    }

    async #save() {
        const { wanted } = this.#changes;
        if (Object.keys(wanted).length === 0) return 'Nothing is different.';
        const path = `${this.#path}?${new URLSearchParams(wanted)}`;
        this.#changes.update(await json(path, { method: 'PUT', signal: this.#signal }), true);
        this.#changed();
        return `Saved: ${Changes.words(wanted)}.`;
    }

    // ——— Another place ———

    #seek() {
        const { since, moment, times } = startFields('', 'earliest');
        since.required = true;
        const outcome = new Outcome(this.#signal);
        const seek = el('button', { type: 'submit' }, 'Seek');
        return part('Seek', () => outcome.of(seek, () => this.#begin(since.value.trim())),
            el('p', { class: 'help' }, 'The group begins anew somewhere else. Its open jobs are forgotten, and '
                + 'what was done behind that place is done again.'),
            el('div', { class: 'pair' }, labelled('Begin at', since), labelled('A time', moment)), times,
            outcome.element, el('div', { class: 'actions' }, seek));
    }

    async #begin(since) {
        const { open, leased } = this.#group;
        const isWanted = await confirmed({
            title: `Begin anew at ${oneLine(since)}?`,
            text: [`${jobs(open)} forgotten. ${leases(leased)} Workers hear of it when they settle theirs.`,
                'What lies behind that place is handed out, even where it was done before.'],
            action: 'Seek',
        }, this.#signal);
        if (!isWanted) return '';
        const path = `${this.#path}/seek?${new URLSearchParams({ since })}`;
        await request(path, { method: 'POST', signal: this.#signal });
        this.#changed();
        return this.#standing();
    }

    /** Where it stands now. A caller that may change a group need not be one that may look at it. */
    async #standing() {
        try {
            const { reach, behind } = await json(this.#path, { signal: this.#signal });
            return `The group stands behind event ${reach}. ${nextOnes(behind)}`;
        } catch (error) {
            if (!(error instanceof Refused) && !(error instanceof Unreachable)) throw error;
            return 'The group begins anew there.';
        }
    }

    // ——— Its end ———

    #end() {
        const outcome = new Outcome(this.#signal);
        const remove = button('Delete the group', () => outcome.of(remove, () => this.#remove()),
            { class: 'danger' });
        return el('section', { class: 'stack', 'aria-labelledby': 'part-delete' },
            el('h2', { id: 'part-delete' }, 'Delete'),
            el('p', { class: 'help' }, 'The group ends with its jobs and its place. The events of its topics '
                + 'stay, and so do its dead letters.'),
            outcome.element, el('div', { class: 'actions' }, remove));
    }

    async #remove() {
        const { open, leased, reach } = this.#group;
        const held = await this.#held();
        const holds = `${held.map(oneLine).join(', ')} ${held.length === 1 ? 'holds its' : 'hold their'} events `
            + 'for this group. That ends, and retention removes them again.';
        const isWanted = await confirmed({
            title: `Delete the group ${oneLine(this.#name)}?`,
            text: [`${jobs(open)} forgotten. ${leases(leased)}`,
                `Its place is lost, behind event ${reach}, and so are its counts.`,
                ...(held.length > 0 ? [holds] : []),
                'The events of its topics stay, and so do its dead letters.'],
            action: 'Delete the group',
        }, this.#signal);
        if (!isWanted) return '';
        const force = held.length > 0 ? '?force=1' : '';
        await request(this.#path + force, { method: 'DELETE', signal: this.#signal });
        announce(`The group ${this.#name} is deleted.`);
        location.hash = '#/work';
        return 'It is deleted.';
    }

    /** The topics that hold their events for the group, as far as this caller sees them. */
    async #held() {
        const held = new Set();
        for (const match of this.#group.of.split(',')) {
            const path = `/topics?${new URLSearchParams({ match })}`;
            try {
                const { topics } = await json(path, { signal: this.#signal });
                for (const { name, hold } of topics) if (hold === this.#name) held.add(name);
            } catch (error) {
                if (!(error instanceof Refused)) throw error;
            }
        }
        return [...held].sort();
    }
}

/** A form with a title. */
function part(title, send, ...content) {
    const id = `part-${title.toLowerCase()}`;
    return el('form', {
        class: 'stack', 'aria-labelledby': id, onsubmit: event => {
            event.preventDefault();
            send();
        },
    }, el('h2', { id }, title), content);
}

function nextOnes(behind) {
    if (behind === null) return 'What comes after it is handed out.';
    if (behind === 0) return 'Nothing comes after it yet.';
    if (behind === 1) return '1 event after it comes next.';
    return `${behind < 1000 ? '' : 'At least '}${count(behind)} events after it come next.`;
}

function jobs(open) {
    if (open === 0) return 'It has no open job that could be';
    return open === 1 ? 'Its open job is' : `Its ${count(open)} open jobs are`;
}

function leases(leased) {
    if (leased === 0) return 'No worker has a job now.';
    return leased === 1 ? 'The lease of one worker ends.' : `${count(leased)} leases end.`;
}
