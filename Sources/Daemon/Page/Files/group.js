// The page of one work group: how it does, its open jobs, and its dead letters.

import { absolute, ago, append, clear, count, el, setChildren, setText } from './dom.js';
import { json } from './bus.js';
import { Letters } from './letters.js';
import { Managing } from './manage.js';
import { momentAddress } from './moment.js';
import { column, smallButton, tableBox, viewHead } from './parts.js';
import { oneLine } from './text.js';
import { poll } from './poll.js';
import { factsOf } from './settings.js';
import { behindText, stateOf } from './standing.js';

const JOBS = 100;

/** The element of the view. */
export class GroupPage {
    element;
    #name;
    #signal;
    #group = null;
    #after = '';
    #body = el('div', { class: 'stack', hidden: true });
    #facts = el('div', { class: 'tiles' });
    #settings = el('dl', { class: 'inline-facts' });
    #note = el('div', {});
    #problem = el('div', { role: 'alert', class: 'notice bad' });
    #jobs = el('tbody');
    #jobsAbout = el('span', { class: 'dim' });
    #rows = new Map();
    #pages = el('div', { class: 'actions' });
    #letters;
    #managing;
    #now;

    constructor(name, signal) {
        this.#name = name;
        this.#signal = signal;
        this.#letters = new Letters(name, signal, () => this.#now());
        this.#managing = new Managing(name, signal, () => this.#now());
        this.element = el('div', { class: 'view work' },
            viewHead(['Group ', el('bdi', {}, oneLine(name))], el('a', { href: '#/work' }, 'All groups')),
            this.#problem, this.#body);
        const names = ['Job', 'Topic', 'Key', 'State', 'Worker', 'Since', 'Due', 'Attempt', 'Reason'];
        append(this.#body, [this.#facts, this.#note, this.#settings, this.#managing.element,
            el('section', { class: 'stack', 'aria-labelledby': 'jobs-title' },
                el('div', { class: 'view-head' }, el('h2', { id: 'jobs-title' }, 'Jobs'), this.#jobsAbout),
                tableBox('Jobs', names.map(name => column(name)), this.#jobs), this.#pages),
            this.#letters.element]);
        this.#now = poll(() => this.#ask(), answer => this.#show(answer), problem => {
            setText(this.#problem, problem?.detail ?? '');
        }, signal);
        const timer = setInterval(() => {
            if (!document.hidden) for (const element of this.element.querySelectorAll('time')) tell(element);
        }, 1000);
        signal.addEventListener('abort', () => clearInterval(timer), { once: true });
    }

    async #ask() {
        const path = `/groups/${encodeURIComponent(this.#name)}`;
        const options = { signal: this.#signal };
        const query = new URLSearchParams({ max: JOBS, ...(this.#after ? { after: this.#after } : {}) });
        const group = await json(path, options);
        const { jobs } = await json(`${path}/jobs?${query}`, options);
        const dead = group.dead && (await json(`/topics?match=${group.dead}`, options)).topics[0];
        const { events, oldest, newest } = dead ?? {};
        return { group, jobs, dead: dead ? { events, oldest, newest } : null };
    }

    #show({ group, jobs, dead }) {
        this.#group = group;
        this.#body.hidden = false;
        this.#showFacts(group);
        this.#managing.update(group);
        this.#showJobs(jobs);
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

    /** A row stays the same element as long as it says the same, so that a link in it keeps the focus. */
    #showJobs(jobs) {
        const rows = new Map(jobs.map(job => {
            const name = JSON.stringify(job);
            return [name, this.#rows.get(name) ?? this.#job(job)];
        }));
        setChildren(this.#jobs, [...rows.values()]);
        this.#rows = rows;
    }

    #showFacts(group) {
        const tile = (name, value, mood = '') => el('div', { class: `tile ${mood}` },
            el('div', { class: 'tile-name' }, name), el('div', { class: 'tile-value' }, value));
        const state = stateOf(group);
        clear(this.#facts, tile('State', state.text, state.mood), tile('Behind', behindText(group)),
            tile('Leased', count(group.leased)), tile('Waiting', count(group.waiting)),
            tile('Parked', count(group.parked)),
            tile('Workers', count(group.workers)), tile('Done', count(group.done), group.done > 0 ? 'ok' : ''),
            tile('Failed', count(group.failed), group.failed > 0 ? 'bad' : ''),
            group.expired > 0 && tile('Expired', count(group.expired)),
            group.gone > 0 && tile('Gone', count(group.gone)));
        const hints = [];
        if (state.text === 'No worker') hints.push('Jobs wait, and no worker asks for one.');
        if (group.gap) {
            const { after, through } = group.gap;
            hints.push(`Gap: this group may have missed events after ${after} through ${through}. `
                + 'They were removed before it took them.');
        }
        clear(this.#note, hints.map(text => el('p', { class: 'notice warn' }, text)));
        const fact = (name, value) => el('div', {}, el('dt', {}, name), el('dd', {}, value));
        clear(this.#settings, factsOf(group).map(([name, value]) => fact(name, value)));
    }

    #job(job) {
        const cell = (name, ...content) => el('td', { 'data-label': name }, content);
        const who = job.worker ?? (job.uid === null ? '–' : `user ${job.uid}`);
        const leased = job.state === 'leased';
        return el('tr', {},
            el('th', { scope: 'row' }, el('a', { href: momentAddress(job.topic, job.id) }, job.id)),
            cell('Topic', el('bdi', { class: 'cut', title: job.topic }, job.topic)),
            cell('Key', el('bdi', { class: 'cut', title: job.key ?? '' }, oneLine(job.key ?? '–'))),
            cell('State', leased ? badge('ok', 'Leased') : badge('warn', 'Waiting')),
            cell('Worker', leased ? who : '–'),
            cell('Since', leased ? this.#since(job) : '–'),
            cell('Due', time(job.due, leased ? '' : 'now')),
            cell('Attempt', `${count(job.attempt)} of ${count(this.#group.attempts)}`),
            cell('Reason', job.reason ? el('span', { class: 'text-bad' }, oneLine(job.reason)) : '–'));
    }

    /** The bus says when a lease ends. Its begin follows where it was given for the group's own time. */
    #since(job) {
        if (job.since) return time(job.since);
        const begin = Date.parse(job.due) - duration(this.#group.lease);
        if (begin > Date.now()) return '–';
        return el('span', {
            title: `Reckoned from its end and the ${this.#group.lease} of the group. `
                + 'A worker may have asked for another time.',
        }, 'about ', time(new Date(begin).toISOString()));
    }
}

function badge(mood, text) {
    return el('span', { class: `badge ${mood}` }, text);
}

/** A time that stays true; where it is over, `past` says so instead. */
function time(text, past = '') {
    const element = el('time', { dateTime: text, title: absolute(text), dataset: { past } });
    tell(element);
    return element;
}

function tell(element) {
    const { past } = element.dataset;
    setText(element, past && Date.parse(element.dateTime) < Date.now() ? past : ago(element.dateTime));
}

/** A duration of the bus in ms: `1h30m`. */
function duration(text) {
    const units = { ms: 1, s: 1000, m: 60000, h: 3600000, d: 86400000 };
    const parts = [...text.matchAll(/(\d+)(ms|[smhd])/g)];
    return parts.reduce((sum, [, number, unit]) => sum + number * units[unit], 0);
}
