// The Learn view: a first session with this bus's own address, and where to read on.

import { BASE } from './base.js';
import { codeBox, facts, panel, viewHead } from './buttons.js';
import { token } from './connection.js';
import { here, quote } from './curl.js';
import { el } from './dom.js';

/** Opens the view. */
export function open() {
    return {
        title: 'Learn', element: el('div', { class: 'view learn' },
            viewHead('Learn'), el('div', { class: 'columns' },
                session(), el('div', { class: 'stack' }, reading(), forms(), inPrograms()))),
    };
}

/**
 * The line of each step. `$TOKEN` stands for the token, so that no line that is copied has it in
 * it.
 */
function steps() {
    const bearer = token() ? '-H "Authorization: Bearer $TOKEN" ' : '';
    const line = (options, path) => `curl ${options}${bearer}${quote(`${here()}${path}`)}`;
    return [
        ['Publish an event', line("-d 'v1.2 is live' ", '/topics/deploys'),
            'The topic is made by its first event. The answer has the id of the event.',
            ['See it in Follow', '#/follow/deploys']],
        ['Read it', line('', '/topics/deploys?since=earliest'),
            'The answer is the event itself. With since= it begins where you want: an id, a time, 10m.'],
        ['Wait for the next', line('', '/topics/deploys'),
            'It answers as soon as there is an event, or with nothing after 30 s. Publish meanwhile.',
            ['Publish here', '#/publish/deploys']],
        ['Stream all topics', line('-N ', '/topics/>?as=ndjson'),
            '> is every topic. Each line is an event in JSON, and the stream does not end.',
            ['Follow all here', '#/follow/%3E']],
        ['Publish JSON with a type and a key',
            line("-H 'Content-Type: application/json' -d '{\"job\": 17}' ", '/topics/jobs?type=new&key=17'),
            'Readers can filter by both.'],
        ['Share jobs among workers', line('-X PUT ', '/groups/workers?of=jobs'),
            'A group hands out each event to one worker at a time.'],
        ['Take a job', line('-i -X POST ', '/groups/workers/next'),
            'The answer has a Work-Lease. Who has it says with it that the job is done, or gives it back.',
            ['See the groups', '#/work']],
        ['See what is there', line('', '/topics'), 'The topics with how much they hold.',
            ['See the overview', '#/']],
    ];
}

function session() {
    return panel('A first session',
        el('p', {}, 'Each line works as it is, in any terminal of this machine.'),
        token() && el('p', { class: 'notice' }, 'This tab has a token. Your shell needs it too: TOKEN=…'),
        el('ol', { class: 'steps' }, steps().map(([name, line, text, link]) => el('li', {},
            el('h3', {}, name), codeBox(el('code', {}, line), name),
            el('p', { class: 'dim' }, text, ' ', link && el('a', { href: link[1] }, link[0]))))));
}

function reading() {
    const links = [
        ['/docs', 'The HTTP interface', 'all requests, parameters and answers'],
        ['/docs/recipes', 'Recipes', 'scripts to copy: workers, alarms, requests and answers'],
        ['/docs/command', 'The command belfry', 'cursors, reconnections and a program for each event'],
        ['/openapi.yaml', 'openapi.yaml', 'the same for programs, to generate a client from'],
        ['/metrics', 'Metrics', 'figures for Prometheus'],
    ];
    return panel('Read on', el('ul', { class: 'links' }, links.map(([href, name, text]) => el('li', {},
        el('a', { href: BASE + href }, name), el('span', { class: 'dim' }, ` ${text}`)))));
}

function forms() {
    const rows = [
        ['topic', 'segments of A-Z a-z 0-9 _ - joined by dots: builds.web'],
        ['*', 'exactly one segment: builds.* is builds.web, and not builds.web.log'],
        ['>', 'one or more segments, at the end: builds.>'],
        ['a,b', 'several topics and patterns'],
        ['since=', 'now, earliest, -10 (the last ten), 10m, 2026-11-21T09:00:00Z, or an id'],
        ['wait=', 'how long to wait for a first event: 0, 30s, 1h'],
        ['as=', 'raw, json, ndjson or sse'],
    ];
    return panel('In short', el('dl', { class: 'facts' },
        facts(rows.map(([name, text]) => [el('code', {}, name), text]))));
}

function inPrograms() {
    const origin = location.origin + BASE;
    const code = [
        `const events = new EventSource('${origin}/topics/deploys');`,
        'events.onmessage = event => console.log(event.lastEventId, event.data);',
        `await fetch('${origin}/topics/deploys', { method: 'POST', body: 'v1.3 is live' });`,
    ].join('\n');
    return panel('In a page or a program',
        el('p', {}, 'After a break an EventSource goes on where it was. Pages of other origins need ',
            el('code', {}, 'http.origins'), ' of ', el('code', {}, 'belfryd.conf'), '.'),
        codeBox(el('code', {}, code), 'JavaScript'));
}
