// The frame of the page: which view the address names, whether the bus is there, and who asks.

import { onState, onToken, token } from './connection.js';
import { announce, clear, el, setAttributes, setText, span, svg } from './dom.js';
import { arrive } from './places.js';
import { tryNow } from './probe.js';
import { applyTheme, nextTheme, theme } from './theme.js';
import { askForToken } from './token.js';

const VIEWS = {
    '': './overview.js',
    follow: './follow.js',
    publish: './publish.js',
    work: './work.js',
    learn: './learn.js',
    topics: './topic.js',
    subscribers: './subscribers.js',
};
/** Views without a link in the header, and the view that leads to them. */
const BELOW = { topics: '', subscribers: '' };

const main = document.getElementById('view');
let leave = new AbortController();
let opened = 0;

async function show({ moved }) {
    leave.abort();
    leave = new AbortController();
    const { signal } = leave;
    const { path, query } = arrive();
    const name = Object.hasOwn(VIEWS, path[0] ?? '') ? path[0] ?? '' : null;
    for (const link of document.querySelectorAll('.shell-nav a')) {
        const isHere = link.dataset.view === (BELOW[name] ?? name);
        setAttributes(link, { 'aria-current': isHere ? 'page' : null });
    }
    let view;
    try {
        if (name === null) view = nothing(path);
        else view = await (await import(VIEWS[name])).open({ path: path.slice(1), query }, signal);
    } catch (error) {
        if (signal.aborted) return;
        view = failed(error);
    }
    if (signal.aborted) return;
    opened += 1;
    document.title = view.title === 'Belfry' ? view.title : `${view.title} · Belfry`;
    clear(main, view.element);
    if (!moved) return;
    scrollTo(0, 0);
    const heading = main.querySelector('h1');
    heading?.setAttribute('tabindex', '-1');
    (heading ?? main).focus({ preventScroll: true });
}

function nothing(path) {
    return message('Nothing here', `The page has no view ‘${path.join('/')}’.`);
}

function failed(error) {
    console.error(error);
    return message('The view does not open', String(error?.message ?? error));
}

function message(title, text) {
    return {
        title,
        element: el('div', { class: 'view' }, el('h1', {}, title), el('p', { class: 'notice bad' }, text),
            el('p', {}, el('a', { href: '#/' }, 'To the overview'))),
    };
}

// ——— Whether the bus is there ———

const WORDS = { connecting: 'Connecting', connected: 'Connected', lost: 'Lost', denied: 'Denied' };

function showState() {
    const element = document.getElementById('state');
    const trouble = document.getElementById('trouble');
    let counting = 0;
    onState((state, about) => {
        clearInterval(counting);
        if (element.dataset.state === 'lost' && state === 'connected') announce('The bus is back.');
        element.dataset.state = state;
        setText(element, WORDS[state]);
        trouble.hidden = state !== 'lost' && state !== 'denied';
        if (state === 'denied') {
            clear(trouble, el('span', {}, about.detail ?? 'The bus does not know who you are.'),
                el('button', { type: 'button', class: 'small', onclick: askForToken }, 'Give a token'));
        } else if (state === 'lost') {
            const text = el('span');
            const count = () => setText(text, 'The bus does not answer. What you see is as it was. '
                + `The page tries again ${soon(about.retryAt)}.`);
            count();
            counting = setInterval(count, 500);
            clear(trouble, text,
                el('button', { type: 'button', class: 'small', onclick: tryNow }, 'Try now'));
        }
    });
}

function soon(time) {
    const seconds = Math.ceil((time - Date.now()) / 1000);
    return seconds > 0 ? `in ${span(seconds)}` : 'now';
}

// ——— Tools of the header ———

const SHAPES = {
    system: ['M12 3a9 9 0 1 0 0 18z', 'M12 3a9 9 0 0 1 0 18'],
    light: ['M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z',
        'M12 2v3M12 19v3M2 12h3M19 12h3M4.9 4.9 7 7M17 17l2.1 2.1M4.9 19.1 7 17M17 7l2.1-2.1'],
    dark: ['M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z', ''],
};

function showTheme(button, chosen) {
    const [filled, drawn] = SHAPES[chosen];
    const pen = { fill: 'none', stroke: 'currentColor', 'stroke-width': 2, 'stroke-linecap': 'round' };
    clear(button, svg('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' },
        svg('path', { d: filled, fill: 'currentColor' }), svg('path', { d: drawn, ...pen })));
    button.title = `Theme: ${chosen}`;
    button.setAttribute('aria-label', `Theme: ${chosen}`);
}

function begin() {
    applyTheme();
    const themes = document.getElementById('theme');
    showTheme(themes, theme());
    themes.addEventListener('click', () => {
        showTheme(themes, nextTheme());
        announce(themes.title);
    });
    const tokens = document.getElementById('token');
    const showToken = () => {
        tokens.toggleAttribute('data-set', token() !== '');
        tokens.title = token() ? 'A token is in use in this tab' : 'Give a token';
    };
    showToken();
    tokens.addEventListener('click', askForToken);
    onToken(() => {
        showToken();
        show({ moved: false });
    });
    document.querySelector('.skip').addEventListener('click', event => {
        event.preventDefault();
        main.focus();
    });
    addEventListener('hashchange', () => show({ moved: true }));
    showState();
    show({ moved: opened > 0 });
}

begin();
