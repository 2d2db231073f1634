// The changes of a group: other settings, another place to begin at, and its end.

import { confirmed } from './ask.js';
import { groupPath, json, Refused, request, unlessRefused, Unreachable } from './bus.js';
import { labelled, submit } from './buttons.js';
import { announce, count, el } from './dom.js';
import { topicNames } from './names.js';
import { Outcome } from './outcome.js';
import { groupFields, textsOf } from './settings.js';
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
    #fields;

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
        this.#fields.update(textsOf(group));
    }

    /** A form with a title, and a text that says what its button does. */
    #part(title, action, act, help, ...content) {
        const id = `part-${title.toLowerCase()}`;
        const button = submit(action, { class: title === 'Delete' ? 'danger' : '' });
        const outcome = new Outcome(this.#signal);
        return outcome.form(button, act, { class: 'stack', 'aria-labelledby': id },
            el('h2', { id }, title), el('p', { class: 'help' }, help), content);
    }

    // ——— Settings ———

    #settings() {
        const names = topicNames(this.#signal);
        this.#fields = groupFields(names, false);
        return this.#part('Settings', 'Save', () => this.#save(),
            'The topics of a group, its type, its order, and whether it replies and is kept, stay '
            + 'as they were made.',
            this.#fields.element, names);
    }

    async #save() {
        const { changed } = this.#fields;
        if (Object.keys(changed).length === 0) return 'Nothing is different.';
        const wanted = Object.fromEntries(
            Object.entries(changed).map(([name, value]) => [name, value || 'none']));
        const options = { method: 'PUT', query: wanted, signal: this.#signal };
        const group = await json(this.#path, options);
        this.#fields.save(changed);
        this.#fields.update(textsOf(group));
        this.#changed();
        return `Saved: ${this.#fields.words(wanted)}.`;
    }

    // ——— Another place ———

    #seek() {
        const { since, moment, times } = startFields('', 'earliest');
        since.required = true;
        return this.#part('Seek', 'Seek', () => this.#begin(since.value.trim()),
            'The group begins anew somewhere else. Its open jobs are forgotten, and what was done '
            + 'behind that place is done again.',
            el('div', { class: 'pair' }, labelled('Begin at', since), labelled('A time', moment)),
            times);
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
        const options = { method: 'POST', query: { since }, signal: this.#signal };
        await request(`${this.#path}/seek`, options);
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
        return this.#part('Delete', 'Delete the group', () => this.#remove(),
            'The group ends with its jobs and its place. The events of its topics stay, and so do '
            + 'its dead letters.');
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
        const query = { force: held.length > 0 ? 1 : null };
        await request(this.#path, { method: 'DELETE', query, signal: this.#signal });
        announce(`The group ${this.#name} is deleted.`);
        location.hash = '#/work';
        return 'It is deleted.';
    }

    /** The topics that hold their events for the group, as far as this caller sees them. */
    async #held() {
        const answer = await json('/topics', { signal: this.#signal }).catch(unlessRefused);
        const held = (answer?.topics ?? []).filter(({ hold }) => hold === this.#name);
        return held.map(({ name }) => name);
    }
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
