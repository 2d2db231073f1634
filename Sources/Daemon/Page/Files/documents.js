// A document of the bus: shows the address that this bus really has in its examples, and the colours
// that were chosen on the page.

import { BASE } from "./base.js";
import { applyTheme } from "./theme.js";

/** The address of the bus in the documents. */
const WRITTEN = "localhost:7464";

/** Puts this bus's own address into every example. */
function showAddress(root) {
    const address = location.host + BASE;
    if (address === WRITTEN) return;
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const node = texts.currentNode;
        if (node.data.includes(WRITTEN)) node.data = node.data.replaceAll(WRITTEN, address);
    }
}

applyTheme();
for (const element of document.querySelectorAll("main pre, main code")) showAddress(element);
