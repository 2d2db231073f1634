// JSON read from its text, piece by piece. JSON.parse would round numbers beyond 2^53, sort members that look
// like numbers and drop repeated ones; and it would make objects of a text of which a view shows twenty.

const SPACE = /[ \t\n\r]*/y;
const WORD = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * The mistakes that people make where a name or a value has to be, by the sign that stands there.
 */
const NAMES = { "'": 'Names are written in double quotes.', '}': 'Take the comma before } out.' };
const NAME = 'A name in double quotes is expected.';
const VALUE = 'A value is expected: "text", a number, true, false, null, { or [.';
const TOO_MUCH = 'A value is missing, or a comma is too much.';
const GOES_ON = 'The value is over here, but the text goes on.';
const CONTROL = 'In a string a line end is written as \\n, a tab as \\t.';
const ESCAPED = 'After \\ comes " \\ / b f n r t or u and 4 digits.';
const VALUES = {
    undefined: 'A value is missing at the end.', "'": 'Strings are written in double quotes.',
    ']': TOO_MUCH, '}': TOO_MUCH,
};

/** Where the text goes on behind white space. */
export function skipSpace(text, at) {
    SPACE.lastIndex = at;
    SPACE.test(text);
    return SPACE.lastIndex;
}

/** Where a string that begins at `at` ends. The text has to be valid. */
function stringEnd(text, at) {
    for (let index = at + 1; index < text.length; index += 1) {
        const code = text.charCodeAt(index);
        if (code === QUOTE) return index + 1;
        if (code === BACKSLASH) index += 1;
    }
    return text.length;
}

/** Where a value that begins at `at` ends. The text has to be valid. */
function valueEnd(text, at) {
    if (text.charCodeAt(at) === QUOTE) return stringEnd(text, at);
    let level = 0;
    for (let index = at; index < text.length; index += 1) {
        const sign = text[index];
        if (sign === '"') {
            index = stringEnd(text, index) - 1;
        } else if (sign === '{' || sign === '[') {
            level += 1;
        } else if (sign === '}' || sign === ']') {
            level -= 1;
            if (level === 0) return index + 1;
            if (level < 0) return index;
        } else if (level === 0 && (sign === ',' || sign <= ' ')) {
            return index;
        }
    }
    return text.length;
}

/**
 * The members of the object or the elements of the array that begins at `at`, one by one as they are wanted.
 * @yields {{key: string|null, start: number, end: number}} `key` as it is written, with its quotes
 */
export function* members(text, at) {
    const named = text[at] === '{';
    let index = skipSpace(text, at + 1);
    while (index < text.length && text[index] !== '}' && text[index] !== ']') {
        let key = null;
        if (named) {
            const end = stringEnd(text, index);
            key = text.slice(index, end);
            index = skipSpace(text, skipSpace(text, end) + 1);
        }
        const end = valueEnd(text, index);
        yield { key, start: index, end };
        index = skipSpace(text, end);
        if (text[index] === ',') index = skipSpace(text, index + 1);
    }
}

/** The text of one member of an object, as it is written; null if there is none. */
export function member(text, name) {
    const key = JSON.stringify(name);
    for (const found of members(text, skipSpace(text, 0))) {
        if (found.key === key) return text.slice(found.start, found.end);
    }
    return null;
}

/**
 * Where and why a text is no JSON.
 * @returns {{at: number, line: number, column: number, detail: string}|null} null if it is JSON
 */
export function fault(text) {
    try {
        JSON.parse(text);
        return null;
    } catch {
        const found = breach(text) ?? { at: text.length, detail: 'This is no JSON.' };
        const lines = text.slice(0, found.at).split('\n');
        return { ...found, line: lines.length, column: lines.at(-1).length + 1 };
    }
}

/**
 * The first place where a text breaks the grammar, and how; null if it keeps to it. It is found
 * without recursion: hostile text nests deep.
 */
function breach(text) {
    const open = [];
    let at = 0;
    const sign = () => {
        at = skipSpace(text, at);
        return text[at];
    };
    for (let isFirst = false; ;) {
        const isEmpty = isFirst && sign() === open.at(-1);
        if (!isEmpty && open.at(-1) === '}') {
            if (sign() !== '"') return { at, detail: NAMES[sign()] ?? NAME };
            const broken = brokenString(text, at);
            if (broken) return broken;
            at = stringEnd(text, at);
            if (sign() !== ':') return { at, detail: 'A colon is expected behind the name.' };
            at += 1;
        }
        isFirst = !isEmpty && (sign() === '{' || sign() === '[');
        if (isFirst) {
            open.push(sign() === '{' ? '}' : ']');
            at += 1;
            continue;
        }
        if (!isEmpty && sign() === '"') {
            const broken = brokenString(text, at);
            if (broken) return broken;
            at = stringEnd(text, at);
        } else if (!isEmpty) {
            WORD.lastIndex = at;
            if (!WORD.test(text)) return { at, detail: VALUES[sign()] ?? VALUE };
            at = WORD.lastIndex;
        }
        // What follows a value: its container ends, or a comma leads to the next one.
        for (; sign() === open.at(-1); at += 1) if (open.pop() === undefined) return null;
        const end = open.at(-1);
        if (end === undefined) return { at, detail: GOES_ON };
        if (sign() !== ',') return { at, detail: `A comma or ${end} is expected.` };
        at += 1;
    }
}

/** Where a string that begins at `start` breaks the grammar, and how; null if it keeps to it. */
function brokenString(text, start) {
    for (let at = start + 1; at < text.length; at += 1) {
        const code = text.charCodeAt(at);
        if (code === QUOTE) return null;
        if (code < 0x20) return { at, detail: CONTROL };
        if (code !== BACKSLASH) continue;
        ESCAPE.lastIndex = at;
        if (!ESCAPE.test(text)) return { at, detail: ESCAPED };
        at = ESCAPE.lastIndex - 1;
    }
    return { at: start, detail: 'The string that begins here has no end.' };
}
