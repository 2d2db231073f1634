// The dialog for a token. It stays in this tab: no other tab has it, and it goes with the tab.

import { setToken, token } from './connection.js';
import { announce, el } from './dom.js';

/** Asks for a token. Whoever needs it hears of it by `onToken`. */
export function askForToken() {
    const field = el('input', {
        type: 'password', name: 'token', autocomplete: 'off', spellcheck: false, value: token(),
        'aria-describedby': 'token-help',
    });
    const mistake = el('p', { class: 'text-bad', role: 'alert', hidden: true });
    const use = text => {
        try {
            setToken(text);
        } catch (error) {
            mistake.textContent = error.message;
            mistake.hidden = false;
            return;
        }
        dialog.close();
        announce(text.trim() ? 'The token is in use.' : 'The token is forgotten.');
    };
    const dialog = el('dialog', { 'aria-labelledby': 'token-title', onclose: () => dialog.remove() },
        el('form', {
            onsubmit: event => {
                event.preventDefault();
                use(field.value);
            },
        },
        el('h2', { id: 'token-title' }, 'Who you are'),
        el('p', { class: 'dim', id: 'token-help' }, 'A bus with rules lets in who has a token. ',
            el('code', {}, 'belfryd --make-token NAME'), ' makes one. It stays in this tab.'),
        el('label', { class: 'field' }, el('span', { class: 'field-name' }, 'Token'), field),
        mistake,
        el('div', { class: 'actions' },
            token() !== ''
                && el('button', { type: 'button', class: 'danger', onclick: () => use('') }, 'Forget'),
            el('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel'),
            el('button', { type: 'submit', class: 'primary' }, 'Use'))));
    document.body.append(dialog);
    dialog.showModal();
    field.select();
}
