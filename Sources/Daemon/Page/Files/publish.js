// The Publish view: one event by hand, the bus's answer in full, and the curl line that does the same.

import { Answer } from './answer.js';
import { request, topicPath } from './bus.js';
import { codeBox, entry, form, labelled, panel, submit, viewHead } from './buttons.js';
import { curl } from './curl.js';
import { announce, bytes, count, el, setAttributes, setText } from './dom.js';
import { attributesField, attributesOf } from './filters.js';
import { fault } from './json.js';
import { topicNames } from './names.js';
import { oneLine } from './text.js';

/** The bus takes so much unless its configuration says otherwise (`bus.event_bytes`). */
const EVENT_BYTES = 1024 * 1024;
/** Larger files are not even sent. */
const FILE_BYTES = 16 * EVENT_BYTES;
const CHECK_MS = 300;

/** The fields as they were typed: they stay while other views are looked at. */
const draft = {
    topic: '', form: 'text', text: '', file: null, split: false,
    type: '', key: '', attributes: '', ttl: '', delay: '', reply: '', contentType: '',
};

/** Opens the view. `place.path` is `[topic]`. */
export function open(place, signal) {
    const topic = place.path[0];
    if (topic) draft.topic = topic;
    const title = topic ? `Publish to ${oneLine(topic)}` : 'Publish';
    return { title, element: new Publish(signal).element };
}

class Publish {
    element;
    #signal;
    #parts = {};
    #answer = new Answer();
    #checking = 0;

    constructor(signal) {
        this.#signal = signal;
        const line = el('code');
        this.#parts.curl = line;
        const results = el('div', { class: 'stack' }, panel('Answer', this.#answer.element),
            panel('The same with curl', codeBox(line, 'curl', 'Copy as curl')));
        this.element = el('div', { class: 'view publish' }, viewHead('Publish'),
            el('div', { class: 'columns' }, this.#form(), results));
        this.#choose();
        signal.addEventListener('abort', () => clearTimeout(this.#checking), { once: true });
    }

    // ——— The form ———

    #field(name, more) {
        return entry(name, {
            value: draft[name], oninput: event => {
                draft[name] = event.target.value.trim();
                this.#changed();
            }, ...more,
        });
    }

    #form() {
        const parts = this.#parts;
        const names = topicNames(this.#signal);
        parts.problem = el('p', { id: 'text-problem', class: 'field-problem' });
        parts.size = el('p', { id: 'text-size', class: 'dim' });
        parts.send = submit('Publish', { class: 'primary' });
        const topic = this.#field('topic', { required: true, list: names.id, placeholder: 'deploys' });
        parts.form = form({ class: 'panel panel-body stack' }, () => this.#send(),
            labelled('Topic', topic), names, this.#choices(), this.#payload(),
            parts.problem, parts.size,
            el('div', { class: 'pair' },
                labelled('Type', this.#field('type', { placeholder: 'none' })),
                labelled('Key', this.#field('key', { placeholder: 'none' }))),
            this.#more(),
            el('div', { class: 'actions' },
                parts.send, el('span', { class: 'dim' }, 'Ctrl+Enter in the text')));
        return parts.form;
    }

    #choices() {
        const choice = (value, name) => el('label', { class: 'check' }, el('input', {
            type: 'radio', name: 'form', value, checked: draft.form === value, onchange: () => {
                draft.form = value;
                this.#choose();
            },
        }), name);
        return el('fieldset', { class: 'choices' }, el('legend', {}, 'Payload'),
            choice('text', 'Text'), choice('json', 'JSON'), choice('file', 'File'));
    }

    #payload() {
        const parts = this.#parts;
        const described = { 'aria-describedby': 'text-problem text-size' };
        parts.text = el('textarea', {
            rows: 8, value: draft.text, spellcheck: false, dir: 'auto', ...described,
            oninput: () => {
                draft.text = parts.text.value;
                this.#changed();
            },
            onkeydown: event => {
                if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) parts.form.requestSubmit();
            },
        });
        parts.file = el('input', {
            type: 'file', ...described, onchange: () => {
                draft.file = parts.file.files[0] ?? null;
                this.#changed();
            },
        });
        parts.textField = labelled('Text', parts.text);
        parts.fileField = labelled('Any file, byte for byte', parts.file);
        return [parts.textField, parts.fileField];
    }

    #more() {
        this.#parts.split = el('label', { class: 'check' }, el('input', {
            type: 'checkbox', checked: draft.split, onchange: event => {
                draft.split = event.target.checked;
                this.#changed();
            },
        }), 'Each line is an event of its own');
        const seldom = ['attributes', 'ttl', 'delay', 'reply', 'contentType', 'split'];
        const isUsed = seldom.some(name => draft[name]);
        const attributes = attributesField(draft.attributes, text => {
            draft.attributes = text;
            this.#changed();
        });
        return el('details', { class: 'more', open: isUsed }, el('summary', {}, 'More'),
            labelled('Attributes', attributes),
            el('div', { class: 'pair' },
                labelled('Of use for', this.#field('ttl', { placeholder: 'ever, or 5m, 24h' })),
                labelled('Delay', this.#field('delay', { placeholder: 'none, or 10m, 2d' })),
                labelled('Wait for a reply', this.#field('reply', { placeholder: 'no, or 10s' }))),
            labelled('Content-Type', this.#field('contentType', { placeholder: 'none' })),
            this.#parts.split,
            el('p', { class: 'dim' }, 'A worker of a group with ', el('code', {}, 'replies=yes'),
                ' gives the reply. It cannot be combined with a time of use or a delay.'));
    }

    /** Shows the field for the form of the payload that was chosen. */
    #choose() {
        const { text, textField, fileField, split } = this.#parts;
        const isJSON = draft.form === 'json';
        textField.hidden = draft.form === 'file';
        fileField.hidden = draft.form !== 'file';
        split.hidden = draft.form !== 'text';
        setText(textField.firstChild, isJSON ? 'JSON text' : 'Text');
        text.placeholder = isJSON ? '{"version": "1.2"}' : 'v1.2 is live';
        this.#changed();
    }

    #changed() {
        setText(this.#parts.curl, this.#curl());
        this.#showSize(draft.form === 'file' ? draft.file?.size : new Blob([draft.text]).size);
        clearTimeout(this.#checking);
        this.#problem('');
        if (draft.form !== 'json' || draft.text.trim() === '') return;
        this.#checking = setTimeout(() => this.#check(), CHECK_MS);
    }

    #showSize(size) {
        const { size: element } = this.#parts;
        const isOver = size > EVENT_BYTES && !this.#isSplit;
        const exact = isOver || size < 1024;
        let text = 'No file is chosen.';
        if (size !== undefined) {
            text = `${exact ? `${count(size)} bytes` : bytes(size)} of `
                + `${isOver ? count(EVENT_BYTES) : bytes(EVENT_BYTES)} that an event may have`
                + `${isOver ? ', unless this bus is set to take more (bus.event_bytes).' : '.'}`;
        }
        setText(element, text);
        element.classList.toggle('text-bad', isOver);
    }

    /** Looks whether the text is what it says it is. Answers where it is not. */
    #check() {
        const found = draft.form === 'json' ? fault(draft.text) : null;
        this.#problem(found ? `Line ${found.line}, column ${found.column}: ${found.detail}` : '');
        return found;
    }

    #problem(text) {
        const { problem, text: field } = this.#parts;
        setText(problem, text);
        setAttributes(field, { 'aria-invalid': text ? 'true' : null });
    }

    // ——— The request ———

    get #isSplit() {
        return draft.split && draft.form === 'text';
    }

    get #query() {
        const { type, key, ttl, delay, reply } = draft;
        const split = this.#isSplit ? 'lines' : '';
        return { type, key, ...attributesOf(draft.attributes), ttl, delay, reply, split };
    }

    get #headers() {
        const types = { text: '', json: 'application/json', file: draft.file?.type };
        const type = draft.contentType || types[draft.form];
        return type ? { 'Content-Type': type } : {};
    }

    #curl() {
        const content = draft.form === 'file' ? { binary: draft.file?.name ?? 'FILE' } : { body: draft.text };
        try {
            const path = topicPath(draft.topic || 'TOPIC');
            return curl({ path, query: this.#query, headers: this.#headers, ...content });
        } catch (error) {
            return `# ${error.message}`;
        }
    }

    async #send() {
        const { send } = this.#parts;
        if (send.hasAttribute('aria-disabled') || !this.#isReady()) return;
        send.setAttribute('aria-disabled', 'true');
        if (draft.reply) this.#answer.wait();
        const { topic, reply } = draft;
        const began = performance.now();
        try {
            const response = await this.#post();
            await this.#answer.show(response, { topic, reply, ms: performance.now() - began });
        } catch (error) {
            if (!this.#signal.aborted) this.#answer.fail(error);
        } finally {
            send.removeAttribute('aria-disabled');
        }
    }

    #isReady() {
        clearTimeout(this.#checking);
        const found = this.#check();
        const { text, file, problem } = this.#parts;
        if (found) {
            text.focus();
            text.setSelectionRange(found.at, found.at + 1);
            announce(problem.textContent);
            return false;
        }
        if (draft.form !== 'file') return true;
        if (!draft.file) file.focus();
        else if (draft.file.size > FILE_BYTES) {
            const most = bytes(FILE_BYTES);
            this.#answer.refuse(`The file has ${bytes(draft.file.size)}. The page sends ${most} at most.`);
        }
        return draft.file !== null && draft.file.size <= FILE_BYTES;
    }

    #post() {
        const headers = this.#headers;
        const content = draft.form === 'file' ? draft.file : draft.text;
        // A Blob without a type is sent without a Content-Type, and curl's own counts as none for the bus.
        const body = headers['Content-Type'] ? content : new Blob([content]);
        return request(topicPath(draft.topic), {
            method: 'POST', query: this.#query, body, headers, signal: this.#signal,
            timeout: draft.reply ? 0 : undefined,
        });
    }
}
