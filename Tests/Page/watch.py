"""What a page must not do while a test uses it: fail, ask somewhere else, or run what is not its own."""

import re
from urllib.parse import urlsplit

from playwright.async_api import ConsoleMessage, Dialog, Page, Request

# Told to the console by the browser itself where an answer is a refusal, or none at all.
KNOWN = re.compile(r"^Failed to load resource: ")

SCRIPT = """
document.addEventListener('securitypolicyviolation', event => console.error(
    `policy: ${event.violatedDirective} kept out ${event.blockedURI || event.sample}`));
Object.defineProperty(globalThis, 'marker', {
    value: () => console.error('marker: a script of a payload runs'), writable: false });
"""
"""Runs in each page before all else. Hostile payloads call `marker()`."""


class Watch:
    """Looks at pages, and keeps what is wrong with them."""

    def __init__(self) -> None:
        self.complaints: list[str] = []

    def over(self, page: Page, origin: str, expected: str = "") -> None:
        """Looks at this page from now on. It may ask this origin, and say what matches `expected`."""
        def console(message: ConsoleMessage) -> None:
            if message.type != "error" or KNOWN.match(message.text):
                return
            if not (expected and re.search(expected, message.text)):
                self._complain(f"console: {message.text}")

        def request(asked: Request) -> None:
            parts = urlsplit(asked.url)
            is_own = f"{parts.scheme}://{parts.netloc}" == origin or parts.scheme in ("blob", "data")
            if not is_own and not (expected and re.search(expected, asked.url)):
                self._complain(f"it asks {asked.url}")

        async def dialog(opened: Dialog) -> None:
            self._complain(f"a dialog opens: {opened.message}")
            await opened.dismiss()

        page.on("console", console)
        page.on("request", request)
        page.on("dialog", dialog)
        page.on("pageerror", lambda error: self._complain(f"an error that nobody caught: {error}"))
        page.on("crash", lambda _: self._complain("the page crashed"))

    def take(self) -> list[str]:
        """All that was wrong since the last time."""
        taken, self.complaints = self.complaints, []
        return taken

    def _complain(self, text: str) -> None:
        if text not in self.complaints:
            self.complaints.append(text[:600])
