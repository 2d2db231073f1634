"""A bus with 10,000 topics and 1,000 events a second: the page stays quick, small and complete."""

import re
import sys
from pathlib import Path

from playwright.async_api import Page

from following import Following
from load import name
from measure import Meter
from stage import Served, Stage
from waits import equal, same, until

TOPICS = 10_000
RATE = 1_000
RATE_LEAST = 600
"""What a machine that does other things too has to come to, so that the figures mean something."""

ROWS_MAX = 200
LOAD = Path(__file__).with_name("load.py")
READY_SECONDS = 60
TALL = (1280, 2_000)

NAMES = """async () => {
    const list = document.querySelector('[role=grid][aria-label=Topics]');
    const names = new Map();
    const drawn = () => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    list.scrollTop = 0;
    for (let before = -1; before !== list.scrollTop; ) {
        await drawn();
        for (const row of list.querySelectorAll('[aria-rowindex]:not([hidden]):not(.row-head)')) {
            names.set(row.querySelector('a').textContent, Number(row.getAttribute('aria-rowindex')));
        }
        before = list.scrollTop;
        list.scrollTop += list.clientHeight - 100;
    }
    return [...names].sort(([, a], [, b]) => a - b).map(([name]) => name);
}"""
"""Scrolls through the whole table, and gives the names in the order of their rows."""


async def crowd(stage: Stage) -> Served:
    """The bus and its publisher."""
    served = await stage.serve(bus_topics="20000", bus_topics_per_uid="20000", bus_memory_bytes="1G")
    publisher = await stage.run(
        sys.executable, LOAD, "--port", str(served.bus.port), "--topics", str(TOPICS), "--rate", str(RATE))
    line = await publisher.stdout.readline()
    if line.strip() != b"ready":
        raise AssertionError(f"the publisher ended: {(await publisher.stderr.read()).decode()}")
    return served


async def rate_of(served: Served, seconds: float, before: float) -> str:
    """What was published meanwhile: figures of a page on an idle bus would show nothing."""
    after = (await served.client.figures())["belfry_published_events_total"]
    rate = (after - before) / seconds
    assert rate >= RATE_LEAST, f"only {rate:.0f} events a second were published"
    return f"{rate:.0f} events/s"


async def published(served: Served) -> float:
    """Events since the start."""
    return (await served.client.figures())["belfry_published_events_total"]


async def shown(page: Page) -> str:
    """How many topics the table says it shows."""
    return await page.locator("#shown").inner_text()


async def few_rows(page: Page, rows: str) -> None:
    """Only what is in view is in the document."""
    count = await page.locator(rows).count()
    assert 0 < count <= ROWS_MAX, f"{count} rows in the document"


async def crowded_overview_stays_smooth(stage: Stage) -> str:
    """The table of 10,000 topics moves as things happen: frames are short, memory is flat, rows are few."""
    import time
    served = await crowd(stage)
    page = await stage.show(served)
    await equal("topics", lambda: shown(page), f"{TOPICS:,} topics", READY_SECONDS)
    meter = await Meter.of(page)
    began, before = time.monotonic(), await published(served)
    await page.get_by_role("button", name="Rate").click()
    figures = await meter.run(stage.plan, lambda: few_rows(page, "[role=row]"))
    rate = await rate_of(served, time.monotonic() - began, before)
    fastest = page.get_by_role("grid", name="Topics").locator(".row:not(.row-head):not([hidden]) .rate-number")
    await until("rates", fastest.all_inner_texts, enough=lambda texts: any("/s" in text for text in texts))
    return f"{rate}, {figures}"


async def crowded_follow_stays_smooth(stage: Stage) -> str:
    """All topics followed at once: frames are short, memory is flat, and it keeps up."""
    import time
    served = await crowd(stage)
    page = await stage.show(served, "/#/follow/%3E")
    view = Following(page)
    await until("the list is full", view.status, READY_SECONDS, lambda status: "are kept here" in status)
    meter = await Meter.of(page)
    began, before = time.monotonic(), await published(served)
    figures = await meter.run(stage.plan, lambda: few_rows(page, "article"))
    rate = await rate_of(served, time.monotonic() - began, before)
    kept_up = "Catching up" not in await view.status()
    assert kept_up, await view.status()
    return f"{rate}, {figures}"


async def crowded_table_has_every_topic(stage: Stage) -> None:
    """Each of 10,000 topics is reached by scrolling and found by a search, and each column sorts, while all of it moves."""
    served = await crowd(stage)
    page = await stage.show(served, size=TALL)
    await equal("topics", lambda: shown(page), f"{TOPICS:,} topics", READY_SECONDS)
    names = await page.evaluate(NAMES)
    same("topics that scrolling does not come to", sorted({name(index) for index in range(TOPICS)} - set(names))[:5], [])
    same("their order", names, sorted(names))
    grid = page.get_by_role("grid", name="Topics")
    same("rows", await grid.get_attribute("aria-rowcount"), str(TOPICS + 1))
    find = page.get_by_role("searchbox", name="Find topics")
    for text, count in [("unit-09999", 1), ("HALL unit-0", 2_000), ("sensors.*.unit-00042", 1), ("no such", 0),
                        ("sensors.lab.>", 2_000)]:
        await find.fill(text)
        await until(f"{count} topics for {text}", lambda: shown(page), enough=lambda seen: seen.startswith(f"{count:,} of"))
    await find.fill("")
    for column, cells in [("Events", ".cell-events"), ("Rate", ".rate-number")]:
        await page.get_by_role("button", name=column, exact=True).click()
        header = page.get_by_role("columnheader", name=column)
        await equal(f"the order of {column}", lambda: header.get_attribute("aria-sort"), "descending")
        await until(f"{column} falls", lambda: column_falls(page, cells), READY_SECONDS)
    await page.get_by_role("switch", name="Tree").click()
    await page.get_by_role("treegrid", name="Topics").get_by_text("sensors").first.wait_for()


async def column_falls(page: Page, cells: str) -> bool:
    """Whether the first rows are in order. They move on between two sorts, so that may take several looks."""
    rows = await page.evaluate("""cells => [...document.querySelectorAll('.list .row:not(.row-head):not([hidden])')]
        .sort((a, b) => a.getAttribute('aria-rowindex') - b.getAttribute('aria-rowindex'))
        .map(row => row.querySelector(cells).textContent)""", cells)
    numbers = [float(re.sub(r"[^\d.]", "", text) or 0) for text in rows[:20]]
    return len(numbers) > 5 and numbers == sorted(numbers, reverse=True) and numbers[0] > 0


ACTS = [crowded_overview_stays_smooth, crowded_follow_stays_smooth, crowded_table_has_every_topic]
