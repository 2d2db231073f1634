// Elements, announcements, and how numbers and times are written. Text goes in as text nodes alone: a payload
// or a name never becomes markup.

const SVG = 'http://www.w3.org/2000/svg';

/** Names that are properties too, but read-only or of another form: they are set as attributes. */
const ATTRIBUTES = new Set(['list', 'form', 'role', 'width', 'height', 'for', 'colspan', 'rowspan']);

/**
 * Makes an element.
 * @param {string} tag its name
 * @param {object} [properties] DOM properties; `class`; `dataset: {}`; `onEVENT` listeners; all else is an
 *     attribute. Null, undefined and (for attributes) false are left out.
 * @param {...(Node|string|number|null|false|Array)} children null, undefined and false are left out
 * @returns {HTMLElement}
 */
export function el(tag, properties, ...children) {
    return fill(document.createElement(tag), properties, children);
}

/**
 * Makes an element of SVG: all properties but listeners are attributes.
 * @returns {SVGElement}
 */
export function svg(tag, properties, ...children) {
    return fill(document.createElementNS(SVG, tag), properties, children);
}

function fill(element, properties, children) {
    for (const [name, value] of Object.entries(properties ?? {})) {
        if (value === undefined || value === null) continue;
        if (name === 'class') element.setAttribute('class', value);
        else if (name === 'dataset') Object.assign(element.dataset, value);
        else if (name.startsWith('on')) element.addEventListener(name.slice(2).toLowerCase(), value);
        else if (isProperty(element, name)) element[name] = value;
        else if (value === true && !name.startsWith('aria-')) element.setAttribute(name, '');
        else if (value !== false || name.startsWith('aria-')) element.setAttribute(name, String(value));
    }
    append(element, children);
    return element;
}

function isProperty(element, name) {
    if (element instanceof SVGElement || ATTRIBUTES.has(name) || name.includes('-')) return false;
    return name in element;
}

/** Appends nodes and texts, and skips what is not there. */
export function append(element, children) {
    for (const child of children.flat(Infinity)) {
        if (child === null || child === undefined || child === false) continue;
        element.append(child instanceof Node ? child : String(child));
    }
    return element;
}

/** Takes all children out, and puts others in. */
export function clear(element, ...children) {
    element.replaceChildren();
    return append(element, children);
}

/** Gives an element these children. Those that stay are not taken out meanwhile: one of them may have the focus. */
export function setChildren(element, children) {
    const stay = new Set(children);
    for (const old of [...element.children]) if (!stay.has(old)) old.remove();
    children.forEach((child, index) => {
        if (element.children[index] !== child) element.insertBefore(child, element.children[index] ?? null);
    });
}

/**
 * Hides an element, or shows it. If it is hidden while it has the focus, another one gets that: a reader
 * by keyboard stays where it was.
 */
export function setHidden(element, isHidden, next) {
    const hadFocus = isHidden && element === document.activeElement;
    element.hidden = isHidden;
    if (hadFocus) next.focus({ preventScroll: true });
}

/** Sets attributes that differ. Null takes one away. */
export function setAttributes(element, attributes) {
    for (const [name, value] of Object.entries(attributes)) {
        if (value === null) element.removeAttribute(name);
        else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
    }
}

/** Sets a text only if it differs: an element that stays as it is costs nothing and is not read out again. */
export function setText(element, text) {
    if (element.textContent !== text) element.textContent = text;
}

let announced = 0;

/** Says a sentence to screen readers when they are done with what they read. */
export function announce(text) {
    const region = document.getElementById('announcements');
    if (!region) return;
    // The same sentence twice is only read twice if the region was empty in between.
    region.textContent = '';
    clearTimeout(announced);
    announced = setTimeout(() => { region.textContent = text; }, 60);
}

/** Copies a text. Answers whether the browser let us, and says so. */
export async function copy(text, what = 'Copied') {
    try {
        await navigator.clipboard.writeText(text);
        announce(what);
        return true;
    } catch {
        announce('The browser does not let the page copy. Select the text instead.');
        return false;
    }
}

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat('en', { maximumFractionDigits: 1, minimumFractionDigits: 1 });

/** A number as people read it: `12,345`. Unknown is a dash. */
export function count(n) {
    return Number.isFinite(n) ? whole.format(n) : '–';
}

/** A number with its word: `1 event`, `12,345 events`. */
export function many(n, word) {
    return `${count(n)} ${word}${n === 1 ? '' : 's'}`;
}

/** A share of a whole: `0.4 %`, `12 %`. A little is never nothing. */
export function percent(share) {
    if (!Number.isFinite(share)) return '–';
    if (share > 0 && share < 0.001) return 'less than 0.1 %';
    return `${share < 0.0995 ? tenths.format(share * 100) : whole.format(share * 100)} %`;
}

/** A size in powers of 1,024: `1.2 MiB`. */
export function bytes(n) {
    if (!Number.isFinite(n)) return '–';
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
    let unit = 0;
    let value = n;
    while (value >= 1023.5 && unit < units.length - 1) {
        value /= 1024;
        unit += 1;
    }
    return `${unit === 0 || value >= 99.95 ? whole.format(value) : tenths.format(value)} ${units[unit]}`;
}

/** Events in a second: `0.2/s`, `12/s`, `1,204/s`. None is `0`. */
export function perSecond(n) {
    if (!Number.isFinite(n)) return '–';
    if (n === 0) return '0';
    if (n < 0.05) return '<0.1/s';
    return `${n < 9.95 ? tenths.format(n) : whole.format(n)}/s`;
}

/** How long ago a time is (a Date, its text or milliseconds), or how far ahead: `now`, `12 s ago`, `in 5 min`. */
export function ago(date, now = Date.now()) {
    const seconds = (now - new Date(date).getTime()) / 1000;
    if (!Number.isFinite(seconds)) return '–';
    const text = span(Math.abs(seconds));
    if (text === '0 s') return 'now';
    return seconds < 0 ? `in ${text}` : `${text} ago`;
}

/** A duration in its largest unit: `12 s`, `3 min`, `5 h`, `2 d`. */
export function span(seconds) {
    if (seconds < 60) return `${Math.floor(seconds)} s`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
    if (seconds < 172800) return `${Math.floor(seconds / 3600)} h`;
    return `${Math.floor(seconds / 86400)} d`;
}

/** A time to the millisecond on the clock of this browser: `2026-11-25 04:12:09.123`. */
export function absolute(date) {
    const time = new Date(date);
    if (Number.isNaN(time.getTime())) return '–';
    const two = number => String(number).padStart(2, '0');
    return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} `
        + `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`
        + `.${String(time.getMilliseconds()).padStart(3, '0')}`;
}
