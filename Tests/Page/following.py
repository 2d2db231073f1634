"""The Follow view, as a person reads it."""

import re
from dataclasses import dataclass

from playwright.async_api import Locator, Page

from waits import until

COLLECT = """async () => {
    const feed = document.querySelector('.feed');
    const drawn = () => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const rows = new Map();
    feed.scrollTop = 0;
    await drawn();
    for (;;) {
        for (const row of feed.querySelectorAll('article:not([hidden])')) {
            const link = row.querySelector('a[aria-label="Link to this moment"]');
            rows.set(Number(row.getAttribute('aria-posinset')), link
                ? { id: new URLSearchParams(link.href.split('?').at(-1)).get('event'),
                    text: row.querySelector('.event-text').textContent }
                : { mark: row.querySelector('strong').textContent,
                    ids: [...row.querySelectorAll('code')].map(code => code.textContent),
                    text: row.textContent.trim() });
        }
        const before = feed.scrollTop;
        feed.scrollTop += Math.max(30, feed.clientHeight - 60);
        await drawn();
        if (feed.scrollTop === before) return [...rows].sort(([a], [b]) => a - b).map(([, row]) => row);
    }
}"""
"""Scrolls through all rows, of which only those in view are elements, and gives each once."""

IN_VIEW = """text => {
    const feed = document.querySelector('.feed')?.getBoundingClientRect();
    return [...document.querySelectorAll('.feed article:not([hidden])')].some(row => {
        const { top, bottom } = row.getBoundingClientRect();
        return row.textContent.includes(text) && top >= feed.top - 1 && bottom <= feed.bottom + 1;
    });
}"""


@dataclass(frozen=True)
class Row:
    """A row: an event, or a mark such as a gap."""

    text: str
    id: str = ""
    mark: str = ""
    ids: tuple[str, ...] = ()


class Following:
    """The Follow view of a page."""

    def __init__(self, page: Page) -> None:
        self.page = page

    async def begin(self, selector: str, since: str = "") -> None:
        """Fills the form in."""
        await self.page.get_by_label("Selector").fill(selector)
        if since:
            if not await self.page.get_by_label("Since").is_visible():
                await self.press("Time and filters")
            await self.page.get_by_label("Since").fill(since)
        await self.page.get_by_role("button", name="Follow", exact=True).click()
        await self.live()

    async def live(self) -> None:
        """Until it reads."""
        await until("it reads", lambda: self.status(), enough=lambda status: status.startswith("Live"))

    async def status(self) -> str:
        """The line that tells how reading goes."""
        line = self.page.locator(".follow-status")
        return await line.inner_text() if await line.count() else ""

    async def received(self) -> int:
        """How many events it says that it received."""
        match = re.search(r"([\d,]+) events? received", await self.status())
        return int(match[1].replace(",", "")) if match else 0

    async def receive(self, count: int, seconds: float = 30) -> None:
        """Until it says that it received so many."""
        await until(f"{count} events are received", self.received, seconds, lambda seen: seen >= count)

    async def press(self, name: str) -> None:
        """Presses one of the buttons."""
        await self.page.get_by_role("button", name=name, exact=True).click()

    async def rows(self) -> list[Row]:
        """All rows, from the first to the last."""
        return [
            Row(row["text"], row.get("id", ""), row.get("mark", ""), tuple(row.get("ids", ())))
            for row in await self.page.evaluate(COLLECT)
        ]

    async def is_in_view(self, text: str) -> bool:
        """Whether a row with this text can be seen, without scrolling."""
        return await self.page.evaluate(IN_VIEW, text)

    def event(self, text: str) -> Locator:
        """The row in view with this text."""
        return self.page.locator("article.event:not([hidden])", has_text=text)

    @property
    def detail(self) -> Locator:
        """What shows one event in full."""
        return self.page.get_by_role("region", name="Event", exact=True)

    async def opened(self, id: str) -> None:
        """Until this event is shown in full. Until then another one may be."""
        await self.detail.locator("dd code").get_by_text(id, exact=True).wait_for()
