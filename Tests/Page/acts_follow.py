"""Follow loses nothing, and shows what is missing where it is missing."""

import asyncio
import contextlib
import http.client

from playwright.async_api import Error as BrowserError
from playwright.async_api import Locator, Page

from client import Client
from following import Following
from stage import Served, Stage
from waits import equal, same, until

TALL = (1280, 1600)
"""Few steps through many rows."""

FIRST, PAUSED, RESTARTED, AFTER = 300, 200, 500, 50


class Sequence:
    """A publisher of numbers, over restarts of the bus."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.next = 0
        self.answered: list[str] = []
        """The ids of events that are in the log for sure."""

    async def publish(self, count: int) -> None:
        """One event each. Where no answer comes it is tried again: the log tells what came of it."""
        end = self.next + count
        while self.next < end:
            try:
                self.answered.append(await self._client.publish("sequence", str(self.next)))
            except (OSError, http.client.HTTPException, AssertionError):
                await asyncio.sleep(0.05)
            else:
                self.next += 1


async def state(page: Page) -> str:
    """What the header says of the connection."""
    return await page.locator("#state").inner_text()


async def read_over_a_restart(stage: Stage, store: str) -> tuple[Served, Sequence, Following]:
    """Events while the page reads, while it is paused, and while the bus restarts."""
    served = await stage.serve(store)
    sequence = Sequence(served.client)
    view = Following(await stage.show(served, "/#/follow", size=TALL))
    await view.begin("sequence")
    await sequence.publish(FIRST)
    await view.receive(FIRST)
    await view.press("Pause")
    await until("it is paused", view.status, enough=lambda status: status.startswith("Paused"))
    await sequence.publish(PAUSED)
    same("events received while paused", await view.received(), FIRST)
    await view.press("Resume")
    await view.receive(FIRST + PAUSED)
    publishing = asyncio.create_task(sequence.publish(RESTARTED))
    try:
        await view.receive(FIRST + PAUSED + RESTARTED // 5)
        await served.bus.stop()
        await until("the loss is told", lambda: state(view.page), enough=lambda text: "Lost" in text)
        await served.bus.start()
        await until("it comes back", lambda: state(view.page), 30, lambda text: "Connected" in text)
        await publishing
    finally:
        publishing.cancel()
    await sequence.publish(AFTER)
    await view.live()
    return served, sequence, view


async def follow_loses_nothing_on_disk(stage: Stage) -> str:
    """Over pause, resume and a restart of the bus each event of the log is there once, in order, and no gap is told."""
    served, sequence, view = await read_over_a_restart(stage, "sqlite:PATH")
    log = [(event["id"], event["data"]) for event in await served.client.events("sequence")]
    missing = set(sequence.answered) - {id for id, _ in log}
    same("answered events that the log does not have", missing, set())
    await view.receive(len(log))
    rows = await view.rows()
    same("events", [(row.id, row.text) for row in rows if row.id], log)
    same("marks", [row.mark for row in rows if row.mark], ["Break"])
    return f"{len(log)} events"


async def follow_tells_what_a_restart_lost(stage: Stage) -> str:
    """With events in memory a restart is a gap: all that is not there lies in it, and all that came later is there."""
    served, sequence, view = await read_over_a_restart(stage, "memory")
    log = [(event["id"], event["data"]) for event in await served.client.events("sequence")]
    await equal("the last event", lambda: last_id(view), log[-1][0])
    rows = await view.rows()
    gaps = [row for row in rows if row.mark == "Gap"]
    same("gaps", len(gaps), 1)
    begin = rows.index(gaps[0])
    same("events behind the gap", [(row.id, row.text) for row in rows[begin:] if row.id], log)
    before = {row.id for row in rows[:begin] if row.id}
    untold = [id for id in sequence.answered if id not in before | {id for id, _ in log}
              and int(id) <= int(gaps[0].ids[0])]
    same("events that are missing outside of the gap", untold, [])
    return f"{len(before)} events before, {len(log)} behind the gap"


async def last_id(view: Following) -> str:
    """The id of the last row."""
    rows = view.page.locator("article.event:not([hidden]) a[aria-label='Link to this moment']")
    addresses = await rows.evaluate_all("links => links.map(link => link.href)")
    ids = [address.split("event=")[-1] for address in addresses]
    return max(ids, key=int, default="")


async def gap_is_a_row_where_it_arose(stage: Stage) -> None:
    """Events that retention took are a row: first of all at the beginning, and in the middle behind a pause."""
    served = await stage.serve(retention_grace="0s")
    client = served.client
    await client.put("/topics/small?keep=10")
    await client.publish_lines("small", [f"event {number}" for number in range(50)])
    view = Following(await stage.show(served, "/#/follow", size=TALL))
    await view.begin("small", since="1")
    await view.receive(10)
    kept = await client.events("small")
    rows = await view.rows()
    same("rows", [row.mark or row.text for row in rows], ["Gap", *(f"event {number}" for number in range(40, 50))])
    assert rows[0].ids[0] == "1" and int(rows[0].ids[1]) < int(kept[0]["id"]), f"the gap is {rows[0]}"
    await view.press("Pause")
    await until("it is paused", view.status, enough=lambda status: status.startswith("Paused"))
    await client.publish_lines("small", [f"later {number}" for number in range(50)])
    await view.press("Resume")
    await view.receive(20)
    rows = (await view.rows())[1:]
    texts = [f"event {number}" for number in range(40, 50)] + ["Gap"] + [f"later {number}" for number in range(40, 50)]
    same("rows", [row.mark or row.text for row in rows], texts)
    gap = next(row for row in rows if row.mark)
    same("where the gap begins", gap.ids[0], kept[-1]["id"])


async def lost_bus_is_told_in_every_view(stage: Stage) -> None:
    """Each view says that the bus is gone, keeps what it shows, and goes on by itself or by "Try now" when it is back."""
    served = await stage.serve("sqlite:PATH")
    await served.client.put("/groups/mail?of=jobs.mail")
    await served.client.publish("jobs.mail", "to root")
    shown: list[tuple[Page, Locator]] = []
    for place, text in [("/#/", "jobs.mail"), ("/#/follow/jobs.mail", "to root"), ("/#/work", "mail")]:
        page = await stage.show(served, place)
        there = page.locator("main").get_by_text(text, exact=True).locator("visible=true").first
        await there.wait_for()
        shown.append((page, there))
    await served.bus.stop()
    for page, there in shown:
        await until("the loss is told", lambda page=page: state(page), 30, lambda text: "Lost" in text)
        assert await there.is_visible(), f"{page.url} does not show any more what it showed"
    await served.bus.start()
    await served.client.publish("jobs.mail", "to bob")
    with contextlib.suppress(BrowserError):  # it may be back before the button is pressed
        await shown[2][0].get_by_role("button", name="Try now").click(timeout=2_000)
    for page, _ in shown:
        await until("it is back", lambda page=page: state(page), 30, lambda text: "Connected" in text)
    follow = Following(shown[1][0])
    await until("the next event", follow.event("to bob").count, 30)
    row = shown[0][0].locator(".row", has=shown[0][0].get_by_title("Follow jobs.mail"))
    cell = row.locator(".cell-events")
    await equal("events of the table", cell.inner_text, "2", 30)


ACTS = [follow_loses_nothing_on_disk, follow_tells_what_a_restart_lost, gap_is_a_row_where_it_arose,
        lost_bus_is_told_in_every_view]

