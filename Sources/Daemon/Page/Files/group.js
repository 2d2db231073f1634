// The page of one work group: how it does, its open jobs, and its dead letters.

import { groupPath, json } from './bus.js';
import { facts, smallButton, viewHead } from './buttons.js';
import { DeadLetters } from './deadletters.js';
import { append, clear, count, el, setText } from './dom.js';
import { Managing } from './manage.js';
import { eventAddress } from './places.js';
import { poll } from './poll.js';
import { factsOf } from './settings.js';
import { behindText, stateOf } from './standing.js';
import { cut, LiveTable, when } from './tables.js';
import { oneLine } from './text.js';
import { Tiles } from './tiles.js';

const JOBS = 100;

/** The element of the view. */
export class GroupPage {
    element;
    #name;
    #signal;
    #group = null;
    #after = '';
    #body = el('div', { class: 'stack', hidden: true });
    #figures = new Tiles('Figures');
    #settings = el('dl', { class: 'inline-facts' });
    #note = el('div', {});
    #jobs;
    #jobsAbout = el('span', { class: 'dim' });
    #pages = el('div', { class: 'actions' });
    #letters;
    #managing;
    #now;

    constructor(name, signal) {
        this.#name = name;
        this.#signal = signal;
        const { now, problem } = poll(() => this.#ask(), answer => this.#show(answer), signal);
        this.#now = now;
        this.#letters = new DeadLetters(name, signal, now);
        this.#managing = new Managing(name, signal, now);
        this.#jobs = new LiveTable('Jobs', this.#columns(), { ticking: signal });
        this.element = el('div', { class: 'view work' },
            viewHead(['Group ', el('bdi', {}, oneLine(name))], el('a', { href: '#/work' }, 'All groups')),
            problem, this.#body);
        append(this.#body, [
            this.#figures.element, this.#note, this.#settings, this.#managing.element,
            el('section', { class: 'stack', 'aria-labelledby': 'jobs-title' },
                el('div', { class: 'view-head' }, el('h2', { id: 'jobs-title' }, 'Jobs'), this.#jobsAbout),
                this.#jobs.element, this.#pages),
            this.#letters.element]);
    }

    async #ask() {
        const path = groupPath(this.#name);
        const options = { signal: this.#signal };
        const query = { max: JOBS, after: this.#after };
        const group = await json(path, options);
        const { jobs } = await json(`${path}/jobs`, { ...options, query });
        const dead = group.dead && (await json(`/topics?match=${group.dead}`, options)).topics[0];
        const { events, oldest, newest } = dead ?? {};
        return { group, jobs, dead: dead ? { events, oldest, newest } : null };
    }

    #show({ group, jobs, dead }) {
        this.#group = group;
        this.#body.hidden = false;
        this.#showFacts(group);
        this.#managing.update(group);
        this.#jobs.show(new Map(jobs.map(job => [job.id, job])));
        setText(this.#jobsAbout, this.#jobsText(jobs.length, group.open));
        const page = (text, after) => smallButton(text, () => {
            this.#after = after;
            this.#now();
        });
        clear(this.#pages, this.#after !== '' && page('First jobs', ''),
            jobs.length === JOBS && page('Next jobs', jobs.at(-1).id));
        this.#letters.update(group, dead);
    }

    #jobsText(shown, open) {
        if (shown === 0) return 'No job is open.';
        if (this.#after !== '') return `The next ${count(shown)} of ${count(open)} that are open.`;
        if (shown < JOBS) return `${count(shown)} open.`;
        return `The first ${count(shown)} of ${count(open)} that are open.`;
    }

    #showFacts(group) {
        const state = stateOf(group);
        const show = (name, number, mood = '') => {
            this.#figures.show(name, { value: count(number), mood });
        };
        this.#figures.show('State', { value: state.text, mood: state.mood });
        this.#figures.show('Behind', { value: behindText(group) });
        show('Leased', group.leased);
        show('Waiting', group.waiting);
        show('Parked', group.parked);
        show('Workers', group.workers);
        show('Done', group.done, group.done > 0 ? 'ok' : '');
        show('Failed', group.failed, group.failed > 0 ? 'bad' : '');
        if (group.expired > 0) show('Expired', group.expired);
        if (group.gone > 0) show('Gone', group.gone);
        const hints = [];
        if (state.text === 'No worker') hints.push('Jobs wait, and no worker asks for one.');
        if (group.gap) {
            const { after, through } = group.gap;
            hints.push(`Gap: this group may have missed events after ${after} through ${through}. `
                + 'They were removed before it took them.');
        }
        clear(this.#note, hints.map(text => el('p', { class: 'notice warn' }, text)));
        clear(this.#settings, facts(factsOf(group)));
    }

    #columns() {
        const who = ({ worker, uid }) => worker ?? (uid === null ? '–' : `user ${uid}`);
        const isLeased = job => job.state === 'leased';
        const isOver = job => !isLeased(job) && Date.parse(job.due) < Date.now();
        return [
            ['Job', job => el('a', { href: eventAddress(job.topic, job.id) }, job.id)],
            ['Topic', job => cut(job.topic)],
            ['Key', job => cut(oneLine(job.key ?? '–'))],
            ['State', job => (isLeased(job) ? badge('ok', 'Leased') : badge('warn', 'Waiting'))],
            ['Worker', job => (isLeased(job) ? who(job) : '–')],
            ['Since', job => (isLeased(job) ? this.#since(job) : '–')],
            ['Due', job => when(job.due, isOver(job) ? 'now' : undefined)],
            ['Attempt', job => `${count(job.attempt)} of ${count(this.#group.attempts)}`],
            ['Reason', ({ reason }) => (
                reason ? el('span', { class: 'text-bad' }, oneLine(reason)) : '–')],
        ];
    }

    /** The bus says when a lease ends. Its begin follows where it was given for the group's own time. */
    #since(job) {
        if (job.since) return when(job.since);
        const begin = Date.parse(job.due) - duration(this.#group.lease);
        if (begin > Date.now()) return '–';
        return el('span', {
            title: `Reckoned from its end and the ${this.#group.lease} of the group. `
                + 'A worker may have asked for another time.',
        }, 'about ', when(new Date(begin).toISOString()));
    }
}

function badge(mood, text) {
    return el('span', { class: `badge ${mood}` }, text);
}

/** A duration of the bus in ms: `1h30m`. */
function duration(text) {
    const units = { ms: 1, s: 1000, m: 60000, h: 3600000, d: 86400000 };
    const parts = [...text.matchAll(/(\d+)(ms|[smhd])/g)];
    return parts.reduce((sum, [, number, unit]) => sum + number * units[unit], 0);
}
