// The line of `curl` that does what the page does. It has to be right in any POSIX shell, whatever is in a
// name, a key or a body: people paste it.

import { BASE, given } from './base.js';
import { token } from './connection.js';

/** Longer arguments are refused by Linux (128 KiB each), and nobody wants to read them. */
const BODY_MAX = 100000;

/**
 * Writes a command line for this bus's own address. It has no secret in it: a token is `$TOKEN`.
 * @param {object} request
 * @param {string} [request.method] GET, or POST where there is a body
 * @param {string} request.path from `/` on, percent-encoded (see `topicPath` of bus.js)
 * @param {object} [request.query] parameters; those without a value are left out
 * @param {object} [request.headers] headers by name
 * @param {string} [request.body] a text to send, byte for byte
 * @param {string|true} [request.binary] instead of it the name of a file to send
 * @returns {string}
 */
export function curl({ method, path, query, headers, body, binary }) {
    const parts = ['curl'];
    const text = address(path, query);
    if (/[?&]as=(ndjson|sse)\b/.test(text)) parts.push('-N');
    const sends = binary || (body !== undefined && body !== null);
    const verb = (method ?? (sends ? 'POST' : 'GET')).toUpperCase();
    if (verb !== (sends ? 'POST' : 'GET')) parts.push('-X', quote(verb));
    if (token()) parts.push('-H', '"Authorization: Bearer $TOKEN"');
    for (const [name, value] of Object.entries(headers ?? {})) {
        if (value !== null && value !== undefined) parts.push('-H', quote(`${name}: ${value}`));
    }
    let before = '';
    if (binary || (sends && body.length > BODY_MAX)) {
        parts.push('--data-binary', quote(`@${typeof binary === 'string' ? binary : 'FILE'}`));
    } else if (sends && body.includes('\0')) {
        // No argument can hold a zero byte.
        before = `printf -- ${quote(printfFormat(body))} | `;
        parts.push('--data-binary', '@-');
    } else if (sends) {
        // Not -d: a text that begins with @ would be a file.
        parts.push('--data-raw', quote(body));
    }
    parts.push(quote(text));
    return before + parts.join(' ');
}

/**
 * The address of this bus as people type it for curl, with a path:
 * `localhost:7464/topics/jobs?since=5`.
 */
function address(path, query) {
    const text = Object.entries(given(query))
        .map(([name, value]) => `${encodeURIComponent(name)}=${readable(encodeURIComponent(value))}`)
        .join('&');
    return here() + readable(path) + (text ? `?${text}` : '');
}

/** Host, port and prefix of this bus, with the scheme only where curl would guess it wrong. */
export function here() {
    return location.origin.replace(/^http:\/\//, '') + BASE;
}

/** Undoes what is encoded for browsers, and means the same to curl and to the bus without it. */
function readable(encoded) {
    return encoded.replace(/%3E/gi, '>').replace(/%3A/gi, ':').replace(/%40/g, '@').replace(/%2C/gi, ',')
        .replace(/%24/g, '$');
}

/** A word of a POSIX shell that stands for exactly this text. */
export function quote(text) {
    if (/^[A-Za-z0-9_./:@%+,=-]+$/.test(text)) return text;
    return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A format for `printf` that prints exactly this text. */
function printfFormat(text) {
    return text.replaceAll('\\', '\\\\').replaceAll('%', '%%').replaceAll('\0', '\\000');
}
