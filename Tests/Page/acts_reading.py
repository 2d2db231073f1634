"""Follow, as somebody reads it: where it begins, what came meanwhile, how fast, and what the colours say."""

import json
import re

from playwright.async_api import Page

from following import Following
from stage import Served, Stage
from waits import equal, same, until

KEPT = 2_000
"""Rows that the list keeps."""

MORE = 500
SLOW = {"offline": False, "latency": 0, "downloadThroughput": 100_000, "uploadThroughput": -1}
"""A way on which a few thousand events take seconds."""

AHEAD = """{
    const now = Date.now;
    globalThis.ahead = 3_600_000;
    Date.now = () => now() + ahead;
    globalThis.statuses = [];
    setInterval(() => {
        const line = document.querySelector('.follow-status')?.textContent;
        if (line && statuses.at(-1) !== line) statuses.push(line);
    }, 20);
}"""
"""The clock of the page, on which all that was published is an hour old; and all that the line of the view has said."""

CONTROLS = """() => {
    const first = document.querySelector('main article.event:not([hidden])');
    return [...document.querySelectorAll('main :is(a, button, input, select, textarea, summary)')]
        .filter(each => each.checkVisibility() && !each.closest('article')
            && (!first || each.compareDocumentPosition(first) & Node.DOCUMENT_POSITION_FOLLOWING))
        .map(each => each.labels?.[0]?.innerText || each.getAttribute('aria-label') || each.innerText);
}"""
"""What somebody who reads or goes by the keyboard meets before the first event, or instead of it."""

COLOURS = """() => Object.fromEntries([...document.querySelectorAll('article:not([hidden]) .event-type')].map(type => {
    const { color, backgroundColor } = getComputedStyle(type);
    const row = type.closest('article').querySelector('.event-text').textContent;
    return [`${type.textContent} ${row}`, [color, backgroundColor, getComputedStyle(type).getPropertyValue('--hue')]];
}))"""


async def many(served: Served, topic: str, count: int) -> None:
    """Publishes `number 0.` and so on, in few requests."""
    for begin in range(0, count, 500):
        lines = [f"number {number}." for number in range(begin, min(begin + 500, count))]
        await served.client.publish_lines(topic, lines)


async def follow_begins_at_the_end_but_for_a_place(stage: Stage) -> str:
    """However far back the list begins, it shows the end and stays there; an id, a time or an event is shown itself."""
    served = await stage.serve()
    await many(served, "steps", 300)
    kept = await served.client.events("steps")
    ends = ["", "?since=earliest", "?since=10m", "?since=1h", "?since=-250", "?since=latest", "?since=now",
            f"?since={kept[0]['id']}&live=yes"]
    last = 299
    for query in ends:
        view = Following(await stage.show(served, f"/#/follow/steps{query}"))
        await view.live()
        if query != "?since=now":
            await until(f"the end of {query}", lambda view=view, last=last: view.is_in_view(f"number {last}."))
        last += 1
        await served.client.publish("steps", f"number {last}.")
        await until(f"the next event of {query}", lambda view=view, last=last: view.is_in_view(f"number {last}."))
        same(f"the button that leads to the end of {query}",
             await view.page.get_by_role("button", name="Jump to newest").is_visible(), False)
        await view.page.context.close()
    places = [f"?since={kept[9]['id']}", f"?since={kept[10]['time']}", f"?since={kept[9]['id']}&event={kept[10]['id']}"]
    for query in places:
        view = Following(await stage.show(served, f"/#/follow/steps{query}"))
        await view.receive(last - 9)
        assert await view.is_in_view("number 10."), f"the place of {query} is not in view"
        assert not await view.is_in_view(f"number {last}."), f"{query} is at the end"
        await view.page.get_by_role("button", name="Jump to newest").click()
        await until("the end", lambda view=view: view.is_in_view(f"number {last}."))
        await view.page.context.close()
    return f"{len(ends)} ends, {len(places)} places"


async def follow_of_more_than_fits_says_so(stage: Stage) -> None:
    """All of a topic that has more than the list keeps: the end is shown, and above the first row a link leads to the begin."""
    served = await stage.serve()
    await many(served, "steps", KEPT + MORE)
    view = Following(await stage.show(served, "/#/follow/steps?since=earliest"))
    await view.receive(KEPT + MORE)
    await until("the end", lambda: view.is_in_view(f"number {KEPT + MORE - 1}."))
    await view.page.locator(".feed").evaluate("feed => { feed.scrollTop = 0; }")
    head = view.page.locator(".feed-head")
    await until("what left", head.inner_text, enough=lambda text: f"{MORE} older events have left this list" in text)
    await head.get_by_role("link").click()
    await until("the begin", lambda: view.is_in_view("number 0."))


async def follow_counts_what_came_below(stage: Stage) -> None:
    """A reader who has scrolled up is told how many events came since, on the button that leads to them."""
    served = await stage.serve()
    await many(served, "steps", 100)
    page = await stage.show(served, "/#/follow/steps")
    view = Following(page)
    await view.receive(100)
    await until("the end", lambda: view.is_in_view("number 99."))
    # It has looked at all of them when it writes down that it is live, and begins behind the first.
    first = int((await served.client.events("steps"))[0]["id"])
    await until("it has caught up", lambda: page.evaluate("location.hash"), enough=lambda place: (
        "live=yes" in place and int(re.search(r"since=(-?\d+)", place)[1]) > first))
    await page.locator(".feed").evaluate("feed => { feed.scrollTop = 0; }")
    await page.get_by_role("button", name="Jump to newest", exact=True).wait_for()
    for number in range(3):
        await served.client.publish("steps", f"late {number}.")
    below = page.get_by_role("button", name="3 new ↓", exact=True)
    await below.wait_for()
    assert await view.is_in_view("number 0."), "the rows moved under the eyes"
    await equal("what screen readers hear", lambda: said(page), True, 30)
    await below.click()
    await until("the newest", lambda: view.is_in_view("late 2."))
    await below.wait_for(state="hidden")
    same("what has the focus", await page.evaluate("document.activeElement.className"), "feed")
    await page.locator(".feed").evaluate("feed => { feed.scrollTop = 0; }")
    await page.get_by_role("button", name="Jump to newest", exact=True).wait_for()


async def said(page: Page) -> bool:
    """Whether the number was announced."""
    text = await page.locator("#announcements").text_content()
    return bool(re.fullmatch(r"[123] new events? below\.", text or ""))


async def follow_rate_is_of_what_is_published(stage: Stage) -> None:
    """Old events that are read count as no rate: the line says that it catches up. New ones count."""
    served = await stage.serve()
    await many(served, "steps", 3_000)
    page = await stage.page(served.origin)
    await page.add_init_script(AHEAD)
    network = await page.context.new_cdp_session(page)
    await network.send("Network.enable")
    await page.goto(f"{served.origin}/#/follow")
    await page.get_by_label("Selector").wait_for()
    await network.send("Network.emulateNetworkConditions", SLOW)
    await page.goto(f"{served.origin}/#/follow/steps?since=earliest")
    view = Following(page)
    await view.receive(3_000, 60)
    await view.live()
    statuses: list[str] = await page.evaluate("statuses")
    assert any(re.match(r"Catching up, at [\d:. -]+\. [\d,]+ events? received", line) for line in statuses), statuses
    same("rates of old events", [line for line in statuses if "/s" in line], [])
    await network.send("Network.emulateNetworkConditions", SLOW | {"downloadThroughput": -1})
    await page.evaluate("ahead = 0")
    await many(served, "steps", 20)
    await until("the rate", view.status, enough=lambda line: bool(re.match(r"Live, [\d.]+/s\. 3,020 events", line)))


async def follow_has_few_controls_before_its_events(stage: Stage) -> str:
    """Before the first event there are five controls at most. What was set in "Time and filters" is open, a place is not."""
    served = await stage.serve()
    page = await stage.show(served, "/#/follow/steps")
    view = Following(page)
    await view.live()
    first = ["Selector", "Follow", "Time and filters"]
    same("controls without an event", await page.evaluate(CONTROLS), [*first, "publish on this page"])
    await many(served, "steps", 5)
    await until("the events", lambda: view.is_in_view("number 4."))
    controls = await page.evaluate(CONTROLS)
    same("controls", controls, [*first, "Pause", "Find in what is shown"])
    for name in ("Relative times", "Copy as curl"):
        assert await page.get_by_text(name, exact=True).is_visible(), f"there is no {name}"
    fields = [page.get_by_label(name, exact=True) for name in ("Since", "Jump to a time", "Type", "Key", "Attributes")]
    await view.press("Time and filters")
    same("fields", [await field.is_visible() for field in fields], [True] * 5)
    await view.press("Time and filters")
    same("fields", [await field.is_visible() for field in fields], [False] * 5)
    for query, is_open in [("since=10m", True), ("type=done", True), ("key=a", True), ("attribute.host=a", True), ("since=5", False)]:
        other = await stage.show(served, f"/#/follow/steps?{query}")
        await other.get_by_label("Selector").wait_for()
        same(f"whether the fields of {query} are open", await other.get_by_label("Since").is_visible(), is_open)
        await other.context.close()
    # What the page has written down is no wish of the reader.
    await until("the address", lambda: page.evaluate("location.hash"), enough=lambda text: "live=yes" in text)
    await page.reload()
    await until("the events", lambda: view.is_in_view("number 4."))
    same("controls behind a reload", await page.evaluate(CONTROLS), controls)
    return f"{len(controls)} controls"


async def type_has_its_own_colour(stage: Stage) -> None:
    """Each type has a colour, the same each time; how something ended is green or red, and the word stands there."""
    served = await stage.serve()
    good, bad = ["done", "ok", "passed"], ["failed", "build.failed", "timeout", "not-ok"]
    others = ["started", "reading", "deployed", "access"]
    kinds = [*others, *good, *bad]
    for round in (1, 2):
        for kind in kinds:
            await served.client.publish("steps", f"round {round}", type=kind)
    for exit in (0, 3):
        run = json.dumps({"command": ["true"], "exit": exit, "signal": None, "seconds": 0.1, "output": ""})
        await served.client.publish("steps", run, type="ended", content="application/json")
    view = Following(await stage.show(served, "/#/follow/steps", size=(1280, 1_200)))
    await view.receive(2 * len(kinds) + 2)
    await until("the last", lambda: view.is_in_view("exit 3"))
    seen = await view.page.evaluate(COLOURS)
    for kind in kinds:
        same(f"the colours of {kind}", seen[f"{kind} round 1"], seen[f"{kind} round 2"])
    colour = {kind: seen[f"{kind} round 1"][0] for kind in kinds}
    ends = {name.split(" {")[0]: colours[0] for name, colours in seen.items() if name.startswith("ended")}
    neutral = {colour[kind] for kind in others}
    same("colours of four types", len(neutral), 4)
    same("colours of what went well", {colour[kind] for kind in good} | {ends["ended, exit 0"]}, {colour["done"]})
    same("colours of what failed", {colour[kind] for kind in bad} | {ends["ended, exit 3"]}, {colour["failed"]})
    same("colours", len({*neutral, colour["done"], colour["failed"]}), 6)


ACTS = [
    follow_begins_at_the_end_but_for_a_place, follow_of_more_than_fits_says_so, follow_counts_what_came_below,
    follow_rate_is_of_what_is_published, follow_has_few_controls_before_its_events, type_has_its_own_colour,
]
