// Choices that outlive a view: in the browser's storage, or where it has none as long as the page.

const memory = new Map();

/**
 * A value that is kept under a name.
 * @param {string} name
 * @param {'localStorage'|'sessionStorage'} where in this browser, or in this tab alone
 */
export function stored(name, where = 'localStorage') {
    return {
        /** The value; an empty text if there is none. */
        get() {
            try {
                return globalThis[where].getItem(name) ?? '';
            } catch {
                return memory.get(name) ?? '';
            }
        },
        /** Keeps another value, or none if the text is empty. */
        set(value) {
            memory.set(name, value);
            try {
                if (value) globalThis[where].setItem(name, value);
                else globalThis[where].removeItem(name);
            } catch {
                // The page itself remembers it.
            }
        },
    };
}
