// Light or dark: as the system has it, or as it was chosen here. The choice is kept in this browser.

import { stored } from './storage.js';

const KEY = 'belfry.theme';
const THEMES = ['system', 'light', 'dark'];
const kept = stored(KEY);

/** The choice: `system`, `light` or `dark`. */
export function theme() {
    return THEMES.includes(kept.get()) ? kept.get() : 'system';
}

/** Shows the page in the colours that were chosen, here and in other tabs. */
export function applyTheme() {
    dress();
    addEventListener('storage', event => {
        if (event.key === KEY || event.key === null) dress();
    });
}

/** Goes on to the next choice, and answers it. */
export function nextTheme() {
    kept.set(THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length]);
    dress();
    return theme();
}

function dress() {
    const { dataset } = document.documentElement;
    if (theme() === 'system') delete dataset.theme;
    else dataset.theme = theme();
}
