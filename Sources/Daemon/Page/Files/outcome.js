// The outcome of an action: what it did, or why the bus refused it, in the bus's own words.

import { Refused, Unreachable } from './bus.js';
import { form } from './buttons.js';
import { el, setText } from './dom.js';

export class Outcome {
    #problem = el('div', { role: 'alert', class: 'field-problem' });
    #done = el('div', { role: 'status', class: 'field-done' });
    element = el('div', { class: 'outcome' }, this.#problem, this.#done);
    #signal;

    /** @param {AbortSignal} signal the view's: nothing is said any more behind its end */
    constructor(signal) {
        this.#signal = signal;
    }

    /**
     * Does something, and tells what came of it. Meanwhile the button does nothing, but keeps the focus.
     * @param {HTMLButtonElement} button
     * @param {() => Promise<string>} act answers what it did, in a sentence; an empty text if it did nothing
     */
    async of(button, act) {
        if (button.hasAttribute('aria-disabled')) return;
        button.setAttribute('aria-disabled', 'true');
        this.tell('');
        try {
            this.tell(await act());
        } catch (error) {
            if (this.#signal.aborted) return;
            if (!(error instanceof Refused) && !(error instanceof Unreachable)) throw error;
            this.refuse(error);
        } finally {
            button.removeAttribute('aria-disabled');
        }
    }

    /** A form whose button does something, and tells above it what came of it. */
    form(button, act, properties, ...content) {
        return form(properties, () => this.of(button, act),
            content, this.element, el('div', { class: 'actions' }, button));
    }

    /** Says what was done. */
    tell(text) {
        setText(this.#problem, '');
        setText(this.#done, text);
    }

    /** Says why it was not done. What was done before stays said. */
    refuse(error) {
        setText(this.#problem, error instanceof Refused ? error.detail
            : 'The bus did not answer. Whether it was done is unknown: look again when it is back.');
    }
}
