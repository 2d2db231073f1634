// What a page of another origin tries with the bus. Each way answers '' if it got nothing.

function until(element, address) {
    return new Promise(done => {
        element.addEventListener('load', () => done('load'));
        element.addEventListener('error', () => done('error'));
        element[element.tagName === 'LINK' ? 'href' : 'src'] = address;
        document.body.append(element);
    });
}

async function fetched(address, options) {
    try {
        const response = await fetch(address, options);
        return response.type === 'opaque' ? '' : await response.text();
    } catch {
        return '';
    }
}

/** Loads it as part of this page: nothing of it may arrive. */
async function loaded(tag, address, more = {}) {
    const told = await until(Object.assign(document.createElement(tag), more), address);
    return told === 'load' ? `a ${tag} of ${address} is loaded` : '';
}

async function tryAll(bus) {
    const before = Object.keys(globalThis).length;
    const results = {
        'fetches the page': await fetched(`${bus}/page/app.js`),
        'fetches the topics': await fetched(`${bus}/topics`),
        'fetches an event': await fetched(`${bus}/topics/secret?since=earliest`),
        'fetches the page blindly': await fetched(`${bus}/page/app.js`, { mode: 'no-cors' }),
        'loads a module': await loaded('script', `${bus}/page/app.js`, { type: 'module' }),
        'loads a script': await loaded('script', `${bus}/page/dom.js`),
        'loads topics as a script': await loaded('script', `${bus}/topics`),
        'loads an event as a script': await loaded('script', `${bus}/topics/secret?since=earliest`),
        'loads the style': await loaded('link', `${bus}/page/page.css`, { rel: 'stylesheet' }),
        'loads the icon': await loaded('img', `${bus}/page/icon.svg`),
    };
    results['has new globals'] = Object.keys(globalThis).length > before ? 'more than before' : '';
    return results;
}

/**
 * Opens a window, and answers whether it still has hold of it five seconds later. That it has not is told in
 * a turn of its own, behind the arrival of the page.
 */
async function holdsWindow(address) {
    globalThis.opened = globalThis.open(address);
    for (let turn = 0; turn < 200 && !opened.closed; turn += 1) await new Promise(done => setTimeout(done, 25));
    return !opened.closed;
}
