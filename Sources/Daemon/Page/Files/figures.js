// How the bus does, in figures and in plain words.

import { BASE } from './base.js';
import { Curve } from './curve.js';
import { bytes, count, el, many, percent, perSecond, setText, span } from './dom.js';
import { place, subscribersAddress } from './places.js';
import { firstKnown, SLOT_MS, SLOTS } from './ring.js';
import { troubleOf } from './standing.js';
import { Tiles } from './tiles.js';
import { isSilent } from './topics.js';

/** The meanings of refusals, by their codes. Other codes speak for themselves. */
const REFUSALS = {
    ACCESS_DENIED: 'no right to do it',
    BATCH_TOO_LARGE: 'a batch was too large',
    BODY_NOT_EXPECTED: 'a body where none belongs',
    CURSOR_INVALID: 'a wrong “since”',
    DRAINING: 'the bus was stopping',
    ENCODING_UNSUPPORTED: 'a compressed body',
    EVENTS_GONE: 'the events were gone',
    EVENT_TOO_LARGE: 'an event was too large',
    EVENT_UNKNOWN: 'there is no such event',
    GROUP_DIFFERS: 'the group is another one',
    GROUP_UNKNOWN: 'there is no such group',
    HOST_UNKNOWN: 'a foreign Host',
    IDEMPOTENCY_MISMATCH: 'other events had this key',
    JOB_DEAD: 'the job was a dead letter by then',
    JOB_SETTLED: 'the job was settled already',
    KEYS_FULL: 'too many keys are remembered',
    LEASE_LOST: 'the job had another worker by then',
    LIMIT_BUS: 'a limit of the bus',
    LIMIT_CALLER: 'a limit of one user',
    METHOD_NOT_ALLOWED: 'a wrong method',
    NO_RESPONDER: 'no worker to answer',
    ORIGIN_FORBIDDEN: 'a page of another origin',
    PARAMETER_INVALID: 'a wrong parameter',
    PARAMETER_UNKNOWN: 'an unknown parameter',
    PATH_UNKNOWN: 'a wrong path',
    REPLY_TIMEOUT: 'no reply in time',
    REQUEST_MALFORMED: 'it was no correct HTTP',
    SELECTOR_INVALID: 'a wrong selector',
    STORE_FAILED: 'the store failed',
    STORE_FULL: 'the store is full',
    TOKEN_INVALID: 'no token, or a wrong one',
    TOPIC_FULL: 'the topic is full',
    TOPIC_NAME_INVALID: 'a wrong name of a topic',
    TOPIC_UNKNOWN: 'there is no such topic',
};

/** Where the headings of the tiles lead: to what they count, or to what it means. */
const PLACES = {
    Rate: place(['follow', '>']), Subscribers: subscribersAddress(), Work: place(['work']),
    Gaps: `${BASE}/docs/http-events#gaps-and-retention`, Refusals: `${BASE}/docs/http-errors#problems`,
};

/** The tiles of the region “Bus”. */
export class Figures {
    #tiles = new Tiles('Bus');
    element = this.#tiles.element;
    #curve = new Curve();
    #meter = el('span');
    #gaps = { count: null, at: 0 };
    #codes = el('ul', { class: 'tile-list' });
    #most = el('summary');
    #more = el('details', { hidden: true }, this.#most, this.#codes);

    constructor() {
        const inside = {
            Rate: this.#curve.element, Topics: '', Subscribers: '', Work: '',
            Memory: el('div', { class: 'meter', 'aria-hidden': 'true' }, this.#meter),
            Store: '', Gaps: '', Refusals: this.#more,
        };
        for (const [name, more] of Object.entries(inside)) {
            this.#tiles.show(name, { href: PLACES[name] }).append(more);
        }
    }

    /** Shows what the list of topics tells. */
    showTopics(topics) {
        const now = Date.now();
        const rate = topics.total.rate(now);
        this.#tiles.show('Rate', { value: topics.isKnown ? perSecond(rate) : '…' });
        const curve = topics.total.curve(now);
        const first = firstKnown(now);
        const most = Math.max(0, ...curve.slice(first));
        const seen = span((SLOTS - 1 - first) * SLOT_MS / 1000);
        this.#curve.show(curve, first, first < SLOTS - 1
            ? `Rate of the last ${seen}, at most ${perSecond(most)}.` : 'Rate: nothing was seen yet.');
        let events = 0;
        let size = 0;
        let silent = 0;
        for (const topic of topics.rows.values()) {
            events += topic.events;
            size += topic.bytes;
            silent += Number(isSilent(topic));
        }
        this.#say('Topics', topics.isKnown ? count(topics.rows.size) : '…',
            topics.isPartial ? 'The bus has more. The page shows no further ones.'
                : topics.isKnown ? `${many(events, 'event')}, ${bytes(size)}${silentText(silent)}` : '',
            silent > 0 ? 'warn' : '');
    }

    /** Shows what `/metrics` and `/groups` tell. `own` requests that wait are the page's. */
    showMetrics(metrics, groups, own) {
        const one = (name, fallback = 0) => metrics.get(name)?.[0].value ?? fallback;
        const sum = name => (metrics.get(name) ?? []).reduce((total, { value }) => total + value, 0);
        const by = (name, label) => Object.fromEntries((metrics.get(name) ?? [])
            .map(({ labels, value }) => [labels[label], value]));
        const published = count(one('belfry_published_events_total'));
        this.#tiles.show('Rate', { text: `${published} since the start` });
        this.#showSubscribers(by('belfry_subscribers', 'form'), own);
        this.#showWork(by('belfry_jobs', 'state'), groups, one('belfry_oldest_job_seconds'));
        this.#showMemory(by('belfry_memory_bytes', 'use'), one('belfry_memory_limit_bytes'),
            by('belfry_removed_events_total', 'by').memory ?? 0);
        this.#showStore(metrics, one);
        this.#showGaps(sum('belfry_gaps_total'));
        this.#showRefusals(by('belfry_http_problems_total', 'code'));
    }

    #showSubscribers({ raw = 0, json = 0, ndjson = 0, sse = 0, websocket = 0 }, own) {
        const streams = ndjson + sse + websocket;
        const waiting = Math.max(0, raw + json - own);
        this.#say('Subscribers', count(waiting + streams),
            `${many(streams, 'stream')}, ${count(waiting)} waiting`);
    }

    #showWork({ leased = 0, waiting = 0, parked = 0 }, groups, oldest) {
        const open = leased + waiting + parked;
        const trouble = troubleOf(groups ?? []);
        const calm = groups === null ? '' : groups.length === 0 ? 'no work groups'
            : open === 0 ? `${many(groups.length, 'group')}, no open job`
                : `${count(leased)} at work, ${count(waiting + parked)} waiting, oldest ${span(oldest)}`;
        this.#say('Work', groups === null ? '–' : count(open), trouble.text || calm, trouble.mood);
    }

    #showMemory(uses, limit, dropped) {
        const used = Object.values(uses).reduce((total, value) => total + value, 0);
        const share = limit > 0 ? used / limit : 0;
        const most = Object.entries(uses).sort((a, b) => b[1] - a[1])[0]?.[0];
        const part = `${percent(share)} of ${bytes(limit)}`;
        const text = dropped > 0
            ? `${part}. ${many(dropped, 'event')} had to leave early for lack of it.`
            : `${part}, most for ${most ?? 'nothing'}`;
        const level = share > 0.95 ? 'bad' : share > 0.8 || dropped > 0 ? 'warn' : '';
        this.#say('Memory', bytes(used), text, level);
        this.#meter.style.width = `${Math.min(100, share * 100)}%`;
    }

    #showStore(metrics, one) {
        const failed = one('belfry_store_failed_commits_total');
        const commits = metrics.get('belfry_store_commit_seconds_count')?.[0].value;
        const onDisk = commits !== undefined;
        const each = one('belfry_store_commit_seconds_sum') / commits;
        if (one('belfry_ready', 1) === 0) {
            this.#say('Store', 'Closed', 'The bus takes no events: the store refuses, or it stops.', 'bad');
        } else if (failed > 0) {
            this.#say('Store', 'On disk', `The disk refused ${many(failed, 'commit')}.`, 'warn');
        } else if (onDisk) {
            const text = commits > 0 ? `A commit takes ${milliseconds(each)}.` : 'Nothing was written yet.';
            this.#say('Store', 'On disk', text, '');
        } else {
            this.#say('Store', 'In memory', 'A restart loses events.', '');
        }
    }

    #showGaps(gaps) {
        const { count: before } = this.#gaps;
        if (before !== null && gaps > before) this.#gaps.at = Date.now();
        this.#gaps.count = gaps;
        const isFresh = Date.now() - this.#gaps.at < 300000;
        const text = gaps === 0 ? 'No reader came too late.'
            : `${gaps === 1 ? 'One reader was' : 'Readers were'} told: what you want was removed already.`
            + (isFresh ? ' The last one just now.' : '');
        this.#say('Gaps', count(gaps), text, isFresh ? 'warn' : '');
    }

    #showRefusals(codes) {
        const sorted = Object.entries(codes).filter(([, times]) => times > 0).sort((a, b) => b[1] - a[1]);
        const all = sorted.reduce((total, [, times]) => total + times, 0);
        const words = code => REFUSALS[code] ?? code.toLowerCase().replaceAll('_', ' ');
        this.#say('Refusals', count(all), all === 0 ? 'No request was refused.' : sorted.length === 1
            ? words(sorted[0][0]) : '');
        this.#more.hidden = sorted.length < 2;
        if (sorted.length > 1) setText(this.#most, `most: ${words(sorted[0][0])}`);
        this.#codes.replaceChildren(...sorted.map(([code, times]) => el('li', { title: code },
            `${count(times)} × ${words(code)}`)));
    }

    #say(name, value, text, mood) {
        this.#tiles.show(name, { value, text, mood });
    }
}

function silentText(silent) {
    return silent > 0 ? `, ${count(silent)} silent` : '';
}

function milliseconds(seconds) {
    return `${(seconds * 1000).toFixed(seconds < 0.01 ? 1 : 0)} ms`;
}
