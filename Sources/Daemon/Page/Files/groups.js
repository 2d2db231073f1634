// Names of topics: which work groups take them, and which fit what somebody looks for.

/** The groups of the bus, asked by topic. */
export class Groups {
    #exact = new Map();
    #patterns = [];
    #found = new Map();
    #text = '';

    /** Takes in what `GET /groups` answered. Answers whether something changed for topics. */
    take(groups) {
        const text = groups.map(({ name, of }) => `${name} ${of}`).join('\n');
        if (text === this.#text) return false;
        this.#text = text;
        this.#exact = new Map();
        this.#patterns = [];
        this.#found = new Map();
        for (const { name, of } of groups) {
            for (const part of of.split(',')) this.#add(part, name);
        }
        return true;
    }

    #add(part, name) {
        if (/[*>]/.test(part)) {
            this.#patterns.push({ name, test: pattern(part) });
        } else {
            this.#exact.set(part, [...this.#exact.get(part) ?? [], name]);
        }
    }

    /** The names of the groups that take from a topic. */
    of(topic) {
        let names = this.#found.get(topic);
        if (names) return names;
        names = [...this.#exact.get(topic) ?? []];
        for (const { name, test } of this.#patterns) {
            if (!names.includes(name) && test(topic)) names.push(name);
        }
        // Topics come and go: findings are kept for as many as a page has rows.
        if (this.#found.size > 20000) this.#found.clear();
        this.#found.set(topic, names);
        return names;
    }
}

/** A test whether a topic is one of a pattern: `*` is one segment, `>` at the end one or more. */
export function pattern(text) {
    const parts = text.split('.').map((segment, index, all) => {
        if (segment === '*') return '[^.]+';
        if (segment === '>' && index === all.length - 1) return '.+';
        return segment.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
    });
    const expression = new RegExp(`^(?!\\$)${parts.join('\\.')}$`);
    return topic => expression.test(topic);
}

/**
 * A test whether the name of a topic fits a search: all of its words are in it, or one of its parts between
 * commas. A word with `*` or `>` is a pattern.
 */
export function search(text) {
    const wanted = text.trim().toLowerCase();
    const words = wanted.split(/[\s,]+/).filter(word => word !== '');
    const tests = words.map(word => (/[*>]/.test(word) ? pattern(word) : name => name.includes(word)));
    if (wanted.includes(',')) return name => tests.some(test => test(name.toLowerCase()));
    return name => tests.every(test => test(name.toLowerCase()));
}
