// A question before something is lost: nothing happens until somebody has said yes to it.

import { el } from './dom.js';

/**
 * Asks, and answers whether the person wants it. Escape means no.
 * @param {{title: string, text: string|string[], action: string}} question `text` says what is lost, each
 *     text in a paragraph of its own; `action` is the word on the button that does it
 * @param {AbortSignal} signal the view's: its end means no
 * @returns {Promise<boolean>}
 */
export function confirmed({ title, text, action }, signal) {
    return new Promise(resolve => {
        let isWanted = false;
        const answer = wanted => () => {
            isWanted = wanted;
            dialog.close();
        };
        const cancel = el('button', { type: 'button', onclick: answer(false) }, 'Cancel');
        const dialog = el('dialog', {
            'aria-labelledby': 'ask-title', 'aria-describedby': 'ask-text', onclose: () => {
                dialog.remove();
                resolve(isWanted);
            },
        }, el('div', { class: 'stack' },
            el('h2', { id: 'ask-title' }, title),
            el('div', { id: 'ask-text' }, [text].flat().map(sentence => el('p', {}, sentence))),
            el('div', { class: 'actions' }, cancel,
                el('button', { type: 'button', class: 'danger', onclick: answer(true) }, action))));
        signal.addEventListener('abort', () => dialog.close(), { once: true });
        document.body.append(dialog);
        dialog.showModal();
        cancel.focus();
    });
}
