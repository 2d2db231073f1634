// Light or dark: as the system has it, or as it was chosen here. The choice is kept in this browser.

const KEY = 'belfry.theme';
const THEMES = ['system', 'light', 'dark'];

/** What was chosen: `system`, `light` or `dark`. */
export function theme() {
    try {
        const kept = localStorage.getItem(KEY);
        return THEMES.includes(kept) ? kept : 'system';
    } catch {
        return document.documentElement.dataset.theme ?? 'system';
    }
}

/** Shows the page in what was chosen, here and in other tabs. */
export function applyTheme() {
    dress(theme());
    addEventListener('storage', event => {
        if (event.key === KEY || event.key === null) dress(theme());
    });
}

/** Goes on to the next choice, and answers it. */
export function nextTheme() {
    const next = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length];
    try {
        localStorage.setItem(KEY, next);
    } catch {
        // Without storage the choice lasts as long as the page.
    }
    dress(next);
    return next;
}

function dress(chosen) {
    const { dataset } = document.documentElement;
    if (chosen === 'system') delete dataset.theme;
    else dataset.theme = chosen;
}
