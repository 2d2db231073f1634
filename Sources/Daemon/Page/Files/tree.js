// Topics by their segments: each branch has the sums of what is below it.

import { isSilent } from './topics.js';

/** The sums of a branch without topics. */
const NOTHING = {
    rate: 0, events: 0, bytes: 0, subscribers: 0, newest: 0, latest: null, topics: 0, silent: 0,
};

/** A row of the tree: a branch, a topic, or (`itself`) a topic that is a branch too. */
export class Branch {
    children = null;
    topic = null;
    itself = false;
    open = false;
    place = 1;
    siblings = 1;

    constructor(segment, name, level, parent) {
        this.segment = segment;
        this.name = name;
        this.level = level;
        this.parent = parent;
    }

    get newestAt() {
        return this.latest?.newestAt ?? NaN;
    }

    /** Whether it can be opened. */
    get isBranch() {
        return this.children !== null;
    }

    /** The selector of it for the Follow view. */
    get selector() {
        if (!this.isBranch) return this.name;
        return this.topic ? `${this.name},${this.name}.>` : `${this.name}.>`;
    }

    child(segment) {
        this.children ??= new Map();
        if (!this.children.has(segment)) {
            const name = this.level === 0 ? segment : `${this.name}.${segment}`;
            this.children.set(segment, new Branch(segment, name, this.level + 1, this));
        }
        return this.children.get(segment);
    }

    /** Adds up what is below it. */
    sum() {
        Object.assign(this, NOTHING);
        if (this.topic) this.#add(this.topic, this.topic, 1, Number(isSilent(this.topic)));
        if (!this.children) return;
        for (const branch of this.children.values()) {
            branch.sum();
            if (!branch.itself) this.#add(branch, branch.latest, branch.topics, branch.silent);
        }
    }

    #add(part, latest, topics, silent) {
        this.rate += part.rate;
        this.events += part.events;
        this.bytes += part.bytes;
        this.subscribers += part.subscribers;
        this.topics += topics;
        this.silent += silent;
        if (part.newest <= this.newest) return;
        this.newest = part.newest;
        this.latest = latest;
    }

    /** Adds the curves of all its topics into one. */
    curve(now, into) {
        if (this.topic?.history) this.topic.history.curve(now, into);
        if (!this.children) return into;
        for (const branch of this.children.values()) if (!branch.itself) branch.curve(now, into);
        return into;
    }
}

/** The tree of some topics. */
export class Tree {
    root = new Branch('', '', 0, null);
    #opened;

    /**
     * @param {Iterable<import('./topics.js').Topic>} topics
     * @param {Set<string>} opened names of the branches that are open; kept up to date
     * @param {boolean} all whether all of them are open
     */
    constructor(topics, opened, all) {
        this.#opened = opened;
        for (const topic of topics) {
            let branch = this.root;
            for (const segment of topic.name.split('.')) branch = branch.child(segment);
            branch.topic = topic;
        }
        this.#finish(this.root, all);
    }

    #finish(branch, all) {
        if (!branch.children) return;
        branch.open = branch === this.root || all || this.#opened.has(branch.name);
        for (const child of branch.children.values()) this.#finish(child, all);
        if (!branch.topic) return;
        const own = new Branch(branch.segment, branch.name, branch.level + 1, branch);
        own.topic = branch.topic;
        own.itself = true;
        // No segment is empty, so no child has this name.
        branch.children.set('', own);
    }

    /** The rows that can be seen, each level in order; sums are counted anew. */
    rows(compare) {
        this.root.sum();
        const rows = [];
        this.#collect(this.root, compare, rows);
        return rows;
    }

    #collect(branch, compare, rows) {
        if (!branch.children) return;
        const children = [...branch.children.values()];
        // A topic stands before what is below it.
        children.sort((a, b) => b.itself - a.itself || compare(a, b));
        children.forEach((child, index) => {
            child.place = index + 1;
            child.siblings = children.length;
            rows.push(child);
            if (child.open) this.#collect(child, compare, rows);
        });
    }

    /** Opens or closes a branch. */
    set(branch, open) {
        if (!branch.isBranch) return;
        branch.open = open;
        if (open) this.#opened.add(branch.name);
        else this.#opened.delete(branch.name);
    }

    /** Opens or closes all of them. */
    setAll(open, branch = this.root) {
        for (const child of branch.children?.values() ?? []) {
            this.set(child, open);
            this.setAll(open, child);
        }
    }
}
