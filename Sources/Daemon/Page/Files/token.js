// The dialog for a token. It stays in this tab: no other tab has it, and it goes with the tab.

import { openDialog } from './ask.js';
import { button, form, labelled, submit } from './buttons.js';
import { setToken, token } from './connection.js';
import { announce, el } from './dom.js';

/** Asks for a token. `onToken` tells of it. */
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
    const dialog = openDialog('Who you are', () => {}, form({}, () => use(field.value),
        el('p', { class: 'dim', id: 'token-help' }, 'A bus with rules lets in who has a token. ',
            el('code', {}, 'belfryd --make-token NAME'), ' makes one. It stays in this tab.'),
        labelled('Token', field), mistake,
        el('div', { class: 'actions' },
            token() !== '' && button('Forget', () => use(''), { class: 'danger' }),
            button('Cancel', () => dialog.close()), submit('Use', { class: 'primary' }))));
    field.select();
}
