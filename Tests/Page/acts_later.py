"""Events that are held for later: the page of their topic lists them, and cancels what somebody cancels."""

import json
from urllib.parse import quote

from playwright.async_api import Locator, Page, Route

from acts_hostile import PHONE, SOUND
from acts_topics import settings
from hostile_values import blows
from stage import Stage
from waits import equal, same, until

PART = 100
"""Tickets that the page shows at a time."""


def section(page: Page) -> Locator:
    """The part of the topic's page."""
    return page.get_by_role("region", name="Held for later", exact=True)


def rows(page: Page) -> Locator:
    """A row for each ticket."""
    return section(page).locator("tbody tr")


async def answered(page: Page, name: str) -> str:
    """Presses a button of the dialog, and gives what the dialog had said."""
    dialog = page.get_by_role("dialog")
    text = await dialog.inner_text()
    await dialog.get_by_role("button", name=name, exact=True).click()
    await dialog.wait_for(state="detached")
    return text


class Refusing:
    """Stands for a bus whose rules let this caller see nothing that is held: its own user sees all."""

    DETAIL = "Not you, today."

    def __init__(self, status: int) -> None:
        self.status = status
        self.count = 0

    async def answer(self, route: Route) -> None:
        """Refuses a request."""
        self.count += 1
        await route.fulfill(status=self.status, content_type="application/problem+json",
                            body=json.dumps({"code": "ACCESS_DENIED", "detail": self.DETAIL}))


async def held_events_are_cancelled(stage: Stage) -> None:
    """What is held stands on the page of its topic until it is due or cancelled, which takes a yes; a refusal is told in the bus's words."""
    served = await stage.serve()
    client = served.client
    page = await stage.show(served, "/#/topics/remind")
    await page.get_by_text("There is no topic ‘remind’ now.").wait_for()
    same("the section of a topic without held events", await section(page).count(), 0)
    held = (await client.post("/topics/remind?delay=2h&type=note&key=ann&split=lines", b"stand up\nsit down")).json["later"]
    await client.ask("PUT", "/topics/remind/later/nightly?every=1d&delay=36h", b"time to back up")
    await equal("tickets", rows(page).count, 2)
    once, nightly = [await rows(page).nth(index).inner_text() for index in (0, 1)]
    assert all(word in once for word in (held, "in 1 h", "note", "ann", "\t2\t", "16 B")), once
    assert all(word in nightly for word in ("in 35 h", "1d", "nightly", "15 B")), nightly
    row = section(page).get_by_role("row", name=held)
    await row.get_by_role("button", name="Cancel").click()
    said = await answered(page, "Keep it")
    assert "Its 2 events (16 B) would become visible at" in said, said
    same("tickets behind a no", len((await client.get("/topics/remind/later"))["later"]), 2)
    await row.get_by_role("button", name="Cancel").click()
    await answered(page, "Cancel it")
    await section(page).get_by_text(f"The ticket {held} is cancelled.").wait_for()
    await equal("tickets", rows(page).count, 1)
    await equal("what has the focus", lambda: page.evaluate("document.activeElement.id"), "later-title")
    same("whether the bus has it", (await client.ask("GET", f"/topics/remind/later/{held}")).json["code"], "LATER_UNKNOWN")
    await rows(page).get_by_role("button", name="Cancel").click()
    await client.ask("DELETE", "/topics/remind/later/nightly")
    said = await answered(page, "Cancel it")
    assert "Cancel the schedule nightly?" in said and "It publishes an event every 1d" in said, said
    await section(page).get_by_text("were cancelled.").wait_for()
    await section(page).get_by_text("There are none.", exact=True).wait_for()
    same("rows", await rows(page).count(), 0)


async def held_events_that_came_are_told(stage: Stage) -> None:
    """A ticket whose events are in the log by now is not cancelled: the page says so, and shows it no more."""
    served = await stage.serve()
    ticket = (await served.client.post("/topics/remind?delay=6s", b"soon")).json["later"]
    page = await stage.show(served, "/#/topics/remind")
    await rows(page).get_by_role("button", name="Cancel").click()
    dialog = page.get_by_role("dialog")
    await dialog.wait_for()
    await until("the event", lambda: settings(served, "remind"))
    refusal = (await served.client.ask("DELETE", f"/topics/remind/later/{ticket}")).json
    same("the refusal", refusal["code"], "EVENT_PUBLISHED")
    await answered(page, "Cancel it")
    await section(page).get_by_text(refusal["detail"]).wait_for()
    await equal("tickets", rows(page).count, 0)


async def held_events_are_listed_in_parts(stage: Stage) -> None:
    """Of many tickets the page shows a hundred, and the others by a button. Before a topic is deleted it says what goes with it."""
    served = await stage.serve()
    for number in range(PART + 3):
        await served.client.post(f"/topics/remind?delay=1h&key=k{number}", b"x")
    await served.client.publish("remind", "an event")
    page = await stage.show(served, "/#/topics/remind")
    await equal("tickets", rows(page).count, PART)
    await section(page).get_by_text("The first 100 tickets").wait_for()
    await page.get_by_role("button", name="Next tickets").click()
    await equal("tickets", rows(page).count, 3)
    assert f"k{PART + 2}" in await rows(page).last.inner_text()
    await page.get_by_role("button", name="First tickets").click()
    await equal("tickets", rows(page).count, PART)
    await page.get_by_role("button", name="Delete", exact=True).click()
    said = await answered(page, "Delete")
    assert "All that is held for it until it is due is cancelled." in said, said
    await equal("what is held", lambda: served.client.get("/topics/remind/later"), {"later": [], "next": None})


async def held_events_may_be_hidden(stage: Stage) -> None:
    """A caller that may not see them is not called unknown for it, sees no part of it, and the page asks the bus once."""
    for status in (401, 403):
        served = await stage.serve()
        await served.client.publish("remind", "an event")
        page = await stage.page(served.origin)
        refused = Refusing(status)
        await page.route("**/topics/remind/later?*", refused.answer)
        await page.goto(f"{served.origin}/#/topics/remind")
        await page.get_by_text("of 100,000 at most").wait_for()
        for number in range(2):
            await served.client.publish("remind", f"event {number}")
            await page.locator(".tile", has_text="Events").get_by_text(str(number + 2), exact=True).first.wait_for()
        same("the state", await page.locator("#state").inner_text(), "Connected")
        same("the section", await section(page).count(), 0)
        same("what the page says of it", await page.get_by_text(Refusing.DETAIL).count(), 0)
        same("how often it asked", refused.count, 1)


async def held_events_of_strangers_are_text(stage: Stage) -> str:
    """Types and keys of people who mean harm are text in the list, on a phone too."""
    served = await stage.serve()
    struck = [blow for blow in blows() if blow.type or blow.key]
    for blow in struck:
        query = "&".join(f"{name}={quote(value, safe='')}" for name, value in (("type", blow.type), ("key", blow.key)) if value)
        await served.client.post(f"/topics/harm?delay=1h&{query}", b"x")
    page = await stage.show(served, "/#/topics/harm", size=PHONE)
    await equal("tickets", rows(page).count, len(struck))
    same("faults", await page.evaluate(SOUND), [])
    return f"{len(struck)} tickets"


ACTS = [
    held_events_are_cancelled, held_events_that_came_are_told, held_events_are_listed_in_parts,
    held_events_may_be_hidden, held_events_of_strangers_are_text,
]
