// JSON read from its text, piece by piece. JSON.parse would round numbers beyond 2^53, sort members that look
// like numbers and drop repeated ones; and it would make objects of a text of which a view shows twenty.

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

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
export function valueEnd(text, at) {
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
        const found = new Check(text).run() ?? { at: text.length, detail: 'This is no JSON.' };
        const lines = text.slice(0, found.at).split('\n');
        return { ...found, line: lines.length, column: lines.at(-1).length + 1 };
    }
}

/** Finds the first place where a text breaks the grammar, without recursion: hostile text nests deep. */
class Check {
    constructor(text) {
        this.text = text;
        this.at = 0;
        this.open = [];
    }

    run() {
        try {
            let expects = 'a value';
            do {
                this.at = skipSpace(this.text, this.at);
                expects = this.step(expects);
            } while (expects !== 'the end' || this.at < this.text.length);
            return null;
        } catch (found) {
            if (found instanceof Error) throw found;
            return found;
        }
    }

    /** Takes one piece, and answers what has to follow. */
    step(expects) {
        const sign = this.text[this.at];
        switch (expects) {
        case 'the end':
            return sign === undefined ? expects : this.fail('The value is over here, but the text goes on.');
        case 'a name or }':
        case 'a name':
            if (sign === '}' && expects === 'a name or }') return this.close();
            if (sign === "'") this.fail('Names are written in double quotes.');
            if (sign === '}') this.fail('Take the comma before } out.');
            if (sign !== '"') this.fail('A name in double quotes is expected.');
            this.string();
            this.at = skipSpace(this.text, this.at);
            if (this.text[this.at] !== ':') this.fail('A colon is expected behind the name.');
            this.at += 1;
            return 'a value';
        case 'a comma': {
            const end = this.open.at(-1);
            if (sign === end) return this.close();
            if (sign !== ',') this.fail(`A comma or ${end} is expected.`);
            this.at += 1;
            return end === '}' ? 'a name' : 'a value';
        }
        default:
            if (sign === ']' && expects === 'a value or ]') return this.close();
            return this.value(sign);
        }
    }

    value(sign) {
        if (sign === '{' || sign === '[') {
            this.open.push(sign === '{' ? '}' : ']');
            this.at += 1;
            return sign === '{' ? 'a name or }' : 'a value or ]';
        }
        if (sign === '"') {
            this.string();
            return this.behind();
        }
        for (const word of ['true', 'false', 'null']) {
            if (this.text.startsWith(word, this.at)) {
                this.at += word.length;
                return this.behind();
            }
        }
        NUMBER.lastIndex = this.at;
        if (NUMBER.test(this.text)) {
            this.at = NUMBER.lastIndex;
            return this.behind();
        }
        if (sign === undefined) this.fail('A value is missing at the end.');
        if (sign === "'") this.fail('Strings are written in double quotes.');
        if (sign === ']' || sign === '}') this.fail(`A value is missing, or a comma is too much.`);
        return this.fail('A value is expected: "text", a number, true, false, null, { or [.');
    }

    string() {
        const start = this.at;
        for (this.at += 1; this.at < this.text.length; this.at += 1) {
            const code = this.text.charCodeAt(this.at);
            if (code === QUOTE) {
                this.at += 1;
                return;
            }
            if (code < 0x20) this.fail('In a string a line end is written as \\n, a tab as \\t.');
            if (code === BACKSLASH) {
                ESCAPE.lastIndex = this.at;
                if (!ESCAPE.test(this.text)) this.fail('After \\ comes " \\ / b f n r t or u and 4 digits.');
                this.at = ESCAPE.lastIndex - 1;
            }
        }
        this.at = start;
        this.fail('The string that begins here has no end.');
    }

    behind() {
        return this.open.length > 0 ? 'a comma' : 'the end';
    }

    close() {
        this.open.pop();
        this.at += 1;
        return this.behind();
    }

    fail(detail) {
        throw { at: this.at, detail };
    }
}
