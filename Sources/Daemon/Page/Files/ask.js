// Dialogs: a question before something is lost, and what all dialogs are made of.

import { button } from './buttons.js';
import { el } from './dom.js';

/**
 * Shows a dialog with a title, until it is closed.
 * @param {string} title
 * @param {() => void} closed
 * @param {HTMLElement} content gets the title, too, in front of what it has
 * @returns {HTMLDialogElement}
 */
export function openDialog(title, closed, content) {
    const dialog = el('dialog', {
        'aria-labelledby': 'dialog-title', onclose: () => {
            dialog.remove();
            closed();
        },
    }, content);
    content.prepend(el('h2', { id: 'dialog-title' }, title));
    document.body.append(dialog);
    dialog.showModal();
    return dialog;
}

/**
 * Asks, and answers whether the person wants it. Escape means no: nothing happens without a yes.
 * @param {{title: string, text: string|string[], action: string, keep?: string}} question `text` says what
 *     is lost, each text in a paragraph of its own; `action` is the word on the button that does it, and
 *     `keep` the one on the button that does not
 * @param {AbortSignal} signal the view's: its end means no
 * @returns {Promise<boolean>}
 */
export function confirmed({ title, text, action, keep = 'Cancel' }, signal) {
    return new Promise(resolve => {
        let isWanted = false;
        const cancel = button(keep, () => dialog.close());
        const accept = button(action, () => {
            isWanted = true;
            dialog.close();
        }, { class: 'danger' });
        const dialog = openDialog(title, () => resolve(isWanted), el('div', { class: 'stack' },
            el('div', { id: 'ask-text' }, [text].flat().map(sentence => el('p', {}, sentence))),
            el('div', { class: 'actions' }, cancel, accept)));
        dialog.setAttribute('aria-describedby', 'ask-text');
        signal.addEventListener('abort', () => dialog.close(), { once: true });
        cancel.focus();
    });
}
