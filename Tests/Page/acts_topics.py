"""The Overview: what its cards say and where they lead, and how the names of topics are copied."""

from playwright.async_api import Locator, Page

from acts_views import PHONE
from stage import Stage
from waits import same, until

LONG = "sensors.building-with-a-long-name.third-floor-on-the-left.climate"
FOREGONE = "00:30"
"""Time that the clock of a page is put on by: six slots of a curve."""


def card(page: Page, name: str) -> Locator:
    """A card of the Overview."""
    return page.get_by_role("region", name="Bus").locator(".tile", has=page.get_by_role("heading", name=name, exact=True))


async def name_of_a_topic_is_copied_as_one_line(stage: Stage) -> None:
    """A name that is selected and copied is one line and whole, in any width and in the tree."""
    served = await stage.serve()
    for topic in (LONG, "deploys"):
        await served.client.publish(topic, "an event")
    for size in ((1280, 800), PHONE):
        page = await stage.show(served, size=size, permissions=["clipboard-read", "clipboard-write"])
        for topic in (LONG, "deploys"):
            link = page.get_by_role("grid", name="Topics").get_by_role("link", name=topic, exact=True)
            box = await link.bounding_box()
            cut = await link.locator("span").first.evaluate("path => path.scrollWidth > path.clientWidth")
            same(f"whether {topic} is cut at {size[0]} px", cut, topic == LONG and size == PHONE)
            middle = box["y"] + box["height"] / 2
            await page.mouse.move(box["x"] + box["width"] + 3, middle)
            await page.mouse.down()
            await page.mouse.move(box["x"] - 3, middle, steps=5)
            await page.mouse.up()
            same("what is selected", await page.evaluate("String(getSelection())"), topic)
            await page.keyboard.press("Control+C")
            same("what is copied", await page.evaluate("navigator.clipboard.readText()"), topic)
            await page.evaluate("getSelection().removeAllRanges()")
        await page.context.close()


async def card_of_work_tells_the_worst_first(stage: Stage) -> None:
    """A group without a worker, what is behind, and dead letters stand on the card, in this order and in the colour of the worst."""
    served = await stage.serve()
    client = served.client
    await client.put("/groups/mail?of=jobs.mail&dead=jobs.failed")
    page = await stage.show(served)
    work = card(page, "Work")
    await work.get_by_text("1 group, no open job").wait_for()
    same("its colour", (await work.get_attribute("class")).split(), ["tile"])
    for name in ("ann", "bob"):
        await client.publish("jobs.mail", f"to {name}")
    await work.get_by_text("1 group has no worker, 2 behind", exact=True).wait_for()
    same("its colour", (await work.get_attribute("class")).split(), ["tile", "bad"])
    taken = await client.post("/groups/mail/next?worker=w1&for=5m")
    await client.post(f"/groups/mail/dead?lease={taken.headers['work-lease']}")
    await work.get_by_text("1 group has no worker, 1 behind, 1 dead letter so far", exact=True).wait_for()
    taken = await client.post("/groups/mail/next?worker=w1&for=5m")
    await client.publish("jobs.failed", "so that the page asks again")
    await work.get_by_text("1 dead letter so far", exact=True).wait_for()
    same("its colour", (await work.get_attribute("class")).split(), ["tile", "warn"])


async def card_leads_to_what_it_counts(stage: Stage) -> None:
    """The heading of a card is a link to what it counts, or to the document that explains it."""
    served = await stage.serve()
    page = await stage.show(served)
    for name, place in (("Rate", "/#/follow/%3E"), ("Work", "/#/work"),
                        ("Gaps", "/docs/http-events#gaps-and-retention"), ("Refusals", "/docs/http-errors#problems")):
        await page.goto(served.origin)
        await card(page, name).get_by_role("link", name=name, exact=True).click()
        await until(f"the place of {name}", lambda: page.evaluate("location.href"),
                    enough=lambda url: url.split("?")[0] == served.origin + place)
        if place.startswith("/docs"):
            assert await page.evaluate("document.getElementById(location.hash.slice(1)) !== null"), f"{place} has no such part"
        else:
            await page.get_by_role("heading", level=1).first.wait_for(state="attached")


async def curve_begins_where_something_is_known(stage: Stage) -> None:
    """A curve has no points of the time before the page was opened, in the card and in the table."""
    served = await stage.serve()
    page = await stage.page(served.origin)
    await page.clock.install()
    await page.goto(served.origin)
    lines = page.locator("main .curve-line")
    await card(page, "Rate").get_by_text("since the start").wait_for()
    await served.client.publish("deploys", "v1.2 is live")
    await page.get_by_role("link", name="deploys").wait_for()
    same("points of a page that was opened now", {await line.get_attribute("d") for line in await lines.all()}, {None})
    await page.clock.fast_forward(FOREGONE)
    for line in (card(page, "Rate").locator(".curve-line"), page.locator(".row .curve-line").first):
        drawn = await until("a line", lambda line=line: line.get_attribute("d"))
        first, last = (int(part.split(" ")[0]) for part in (drawn[1:], drawn.split("L")[-1]))
        assert 52 <= first < last == 58, f"30 s after the page was opened it has points from {first} to {last}"


async def memory_can_be_seen_where_it_is_little(stage: Stage) -> None:
    """Less than one per cent of the memory is a bar that can be seen, and a share in words."""
    served = await stage.serve(bus_memory_bytes="1G")
    await served.client.publish("deploys", "v1.2 is live")
    memory = card(await stage.show(served), "Memory")
    await memory.get_by_text("% of 1.0 GiB").wait_for()
    width = await memory.locator(".meter > span").evaluate("bar => bar.getBoundingClientRect().width")
    assert width >= 8, f"the bar has {width} px"


ACTS = [
    name_of_a_topic_is_copied_as_one_line, card_of_work_tells_the_worst_first, card_leads_to_what_it_counts,
    curve_begins_where_something_is_known, memory_can_be_seen_where_it_is_little,
]
