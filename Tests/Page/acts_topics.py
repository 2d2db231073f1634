"""The Overview: what its cards say and where they lead. The page of one topic, and the list of who waits."""

import asyncio

from playwright.async_api import Locator, Page, Route

from acts_views import PHONE
from stage import Served, Stage
from waits import equal, same, until

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


async def rows_stay_where_they_are_first_seen(stage: Stage) -> None:
    """Figures that come late move no row that can be seen: a tap hits the topic that it was meant for."""
    served = await stage.serve()
    await served.client.publish("deploys", "an event")

    async def delay(route: Route) -> None:
        await asyncio.sleep(0.5)
        await route.continue_()

    for size in ((1280, 800), PHONE):
        page = await stage.page(served.origin, size=size)
        await page.route("**/metrics", delay)
        await page.goto(served.origin)
        row = page.get_by_role("grid", name="Topics").get_by_role("link", name="deploys")
        await row.wait_for()
        seen = await row.bounding_box()
        await page.get_by_text("1 since the start").wait_for()
        same(f"the place of the row at {size[0]} px", await row.bounding_box(), seen)
        await page.context.close()


async def card_of_work_tells_the_worst_first(stage: Stage) -> None:
    """A group without a worker, what is behind, and dead letters stand on the card in this order, the first two with their colour."""
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
    # Those that were put back are among them: they are no alarm for ever.
    await work.get_by_text("1 dead letter so far", exact=True).wait_for()
    same("its colour", (await work.get_attribute("class")).split(), ["tile"])


async def card_leads_to_what_it_counts(stage: Stage) -> None:
    """The heading of a card is a link to what it counts, or to the document that explains it."""
    served = await stage.serve()
    page = await stage.show(served)
    for name, place in (("Rate", "/#/follow/%3E"), ("Subscribers", "/#/subscribers"), ("Work", "/#/work"),
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


async def settings(served: Served, topic: str) -> dict[str, object]:
    """What the bus says of a topic."""
    rows = (await served.client.get(f"/topics?match={topic}"))["topics"]
    return dict(rows[0]) if rows else {}


async def change(page: Page, press: str, **values: str) -> None:
    """Types settings into the form, and sends it."""
    for name, value in values.items():
        await page.locator(f".topic-settings [name={name}]").fill(value)
    await page.locator(".topic-settings").get_by_role("button", name=press, exact=True).click()


async def topic_has_a_page_with_its_settings(stage: Stage) -> None:
    """The number of events leads to a topic's page: its figures, and a form that changes what was typed, and nothing else."""
    served = await stage.serve()
    await served.client.put("/groups/mail?of=jobs.mail")
    for number in range(3):
        await served.client.publish("jobs.mail", f"to {number}")
    page = await stage.show(served)
    await page.locator(".row", has_text="jobs.mail").locator(".cell-events").get_by_role("link", name="3").click()
    await page.get_by_role("heading", name="Topic jobs.mail", level=1).wait_for()
    same("the title", await page.title(), "Topic jobs.mail · Belfry")
    figures = page.get_by_role("region", name="Figures")
    for text in ("of 100,000 at most", "of 64.0 MiB at most", "kept for 1d at most"):
        await figures.get_by_text(text).wait_for()
    same("figures without an answer", await figures.get_by_text("–", exact=True).count(), 0)
    facts = page.locator(".inline-facts")
    assert "no: it goes with its last event" in await facts.inner_text()
    await facts.get_by_role("link", name="mail", exact=True).wait_for()
    await page.get_by_text("Register the topic").click()
    await change(page, "Register", keep="500", hold="mail")
    await page.locator("main").get_by_text("The topic is registered.").wait_for()
    row = await settings(served, "jobs.mail")
    same("what was registered", [row[name] for name in ("registered", "keep", "keep_bytes", "keep_for", "hold")],
         [True, 500, 64 << 20, "1d", "mail"])
    await page.get_by_text("Change the settings").wait_for()
    # A PUT gives defaults to all that it does not name: what was set before has to stay.
    await change(page, "Save", **{"for": "90m"})
    await page.locator("main").get_by_text("The settings are saved.").wait_for()
    line = await page.get_by_role("region", name="curl").inner_text()
    assert "keep=500" in line and "for=90m" in line and "hold" not in line, line
    row = await settings(served, "jobs.mail")
    same("what it became", [row[name] for name in ("keep", "keep_bytes", "keep_for", "hold")], [500, 64 << 20, "90m", "mail"])
    await change(page, "Save", keep="many")
    refusal = (await served.client.ask("PUT", "/topics/jobs.mail?keep=many")).json["detail"]
    await page.get_by_text(refusal).wait_for()
    await change(page, "Save", keep="")
    await until("the default again", lambda: settings(served, "jobs.mail"), enough=lambda row: row["keep"] == 100_000)


async def topic_that_is_silent_is_shown(stage: Stage) -> None:
    """A topic without an event that is expected stands out in the list and on its page, where the time is set; its next event ends that."""
    served = await stage.serve()
    for name in ("cron.backup", "cron.clean"):
        await served.client.publish(name, "done")
    page = await stage.show(served, "/#/topics/cron.backup")
    facts = page.locator(".inline-facts")
    await facts.get_by_text("at no time").wait_for()
    await page.get_by_text("Register the topic").click()
    await change(page, "Register", expect="1s")
    await page.locator("main").get_by_text("The topic is registered.").wait_for()
    notice = page.get_by_text("The topic is silent: it has had no event since")
    await notice.wait_for()
    assert "within 1s" in await notice.inner_text() and "within 1s" in await facts.inner_text()
    await change(page, "Save", expect="2h", keep="500")
    await page.locator("main").get_by_text("The settings are saved.").wait_for()
    same("what it became", [(await settings(served, "cron.backup"))[name] for name in ("expect", "keep")], ["2h", 500])
    await until("a line that leaves it as it is", page.get_by_role("region", name="curl").inner_text,
                enough=lambda line: "keep=500" in line and "expect" not in line)
    for place in ("/#/", "/#/?tree=1"):
        await page.goto(f"{served.origin}{place}")
        if "tree" in place:
            await page.get_by_role("button", name="Open all").click()
        await card(page, "Topics").get_by_text("1 silent").wait_for()
        await page.locator(".row", has_text="backup").get_by_text("silent for").wait_for()
        same("silent rows", await page.locator(".row").get_by_text("silent for").count(), 1)
    await page.locator(".row").get_by_text("2 topics, 1 silent").wait_for()
    await served.client.publish("cron.backup", "done")
    await page.locator(".row").get_by_text("2 topics", exact=True).wait_for()
    await page.goto(f"{served.origin}/#/topics/cron.backup")
    await facts.get_by_text("within 2h").wait_for()
    same("notices", await notice.count(), 0)


async def answer_from_before_a_change_is_not_shown(stage: Stage) -> None:
    """The page looks again behind a change; what it had asked before that comes too late to tell how things are."""
    served = await stage.serve()
    await served.client.publish("deploys", "v1.2 is live")
    page = await stage.show(served, "/#/topics/deploys")
    await page.get_by_text("of 100,000 at most").wait_for()
    looks: asyncio.Queue[asyncio.Event] = asyncio.Queue()

    async def hold(route: Route) -> None:
        answer = await route.fetch()
        if '"events":1,' not in await answer.text():
            gate = asyncio.Event()
            looks.put_nowait(gate)
            await gate.wait()
        await route.fulfill(response=answer)

    await page.route(lambda url: "match=deploys" in url, hold)
    # What is the same as before would not be shown anyway.
    await served.client.publish("deploys", "v1.3 is live")
    before = await looks.get()
    await page.get_by_text("Register the topic").click()
    await change(page, "Register", keep="500")
    await page.locator("main").get_by_text("The topic is registered.").wait_for()
    before.set()
    after = await looks.get()
    same("what was typed", await page.locator(".topic-settings [name=keep]").input_value(), "500")
    await page.unroute_all(behavior="ignoreErrors")
    after.set()
    await page.get_by_text("of 500 at most").wait_for()


async def topic_is_deleted_after_a_question(stage: Stage) -> None:
    """The question says what will be gone, a refusal stands below it, and behind it there is no topic, which can be registered."""
    served = await stage.serve()
    await served.client.put("/topics/deploys?keep=500")
    for number in range(3):
        await served.client.publish("deploys", f"v1.{number} is live")
    page = await stage.show(served, "/#/topics/deploys")
    delete = page.get_by_role("button", name="Delete", exact=True)
    dialog = page.get_by_role("dialog")
    await delete.click()
    for text in ("Its 3 events (36 B) will be gone for good.", "Its registration goes too"):
        await dialog.get_by_text(text).wait_for()
    await dialog.get_by_role("button", name="Cancel").click()
    await dialog.wait_for(state="hidden")
    same("events behind a question", (await settings(served, "deploys"))["events"], 3)
    await page.route("**/topics/deploys", lambda route: route.fulfill(
        status=403, content_type="application/problem+json", body='{"code":"ACCESS_DENIED","detail":"Not you, today."}'))
    await delete.click()
    await dialog.get_by_role("button", name="Delete").click()
    await page.locator("main").get_by_text("Not you, today.").wait_for()
    await page.unroute("**/topics/deploys")
    await delete.click()
    await dialog.get_by_role("button", name="Delete").click()
    await page.locator("main").get_by_text("The topic is deleted.").wait_for()
    await dialog.wait_for(state="hidden")
    same("what is left", await settings(served, "deploys"), {})
    await page.get_by_text("There is no topic ‘deploys’ now.").wait_for()
    await delete.wait_for(state="hidden")
    same("what has the focus", await page.evaluate("document.activeElement.tagName"), "H1")
    await page.get_by_text("Register the topic").click()
    await change(page, "Register")
    await delete.wait_for()
    same("whether it is registered", (await settings(served, "deploys"))["registered"], True)


async def list_tells_who_waits(stage: Stage) -> None:
    """Requests that wait stand in the list and on the page of their topic, with what they wait for; a search finds them."""
    served = await stage.serve()
    await served.client.publish("deploys", "v1.2 is live")
    waits = [asyncio.create_task(served.client.ask("GET", f"/topics/{path}"))
             for path in ("deploys?type=deployed&key=web&attribute.host=w%201&wait=5m", "%3E?wait=5m", "jobs.mail?wait=5m")]
    page = await stage.show(served)
    await equal("who waits", lambda: subscribers_of(served), ["deploys", ">", "jobs.mail"])
    await card(page, "Subscribers").get_by_role("link").click()
    await page.get_by_role("heading", name="Who waits", level=1).wait_for(state="attached")
    same("the title", await page.title(), "Who waits · Belfry")
    await equal("rows", lambda: selectors(page), [">", "deploys", "jobs.mail"])
    row = page.get_by_role("table", name="Subscribers").get_by_role("row", name="deploys")
    same("the row", (await row.inner_text()).split("\t")[1:3], ["type deployed, key web, host w 1", "raw"])
    await page.get_by_role("searchbox", name="Find subscribers").fill("mail")
    await equal("rows that were found", lambda: selectors(page), ["jobs.mail"])
    await page.reload()
    await equal("rows behind a reload", lambda: selectors(page), ["jobs.mail"])
    await page.goto(f"{served.origin}/#/topics/deploys")
    await page.get_by_role("link", name="who waits", exact=True).click()
    await page.locator("h2#who-waits").wait_for()
    await page.go_back()
    await equal("rows of the topic", lambda: selectors(page), [">", "deploys"])
    await page.get_by_text("2 subscribers", exact=True).wait_for()
    await row.get_by_role("link", name="deploys").click()
    await page.get_by_role("heading", name="Follow", level=1).wait_for(state="attached")
    filters = [await page.get_by_label(name, exact=True).input_value() for name in ("Type", "Key", "Attributes")]
    same("the filters", filters, ["deployed", "web", "host=w 1"])
    # A row is gone with its request.
    await page.goto(f"{served.origin}/#/subscribers")
    await served.client.publish("jobs.mail", "to ann")
    await equal("rows that are left", lambda: selectors(page), ["deploys"])
    await served.client.publish("deploys", "v1.3 is live", type="deployed", key="web", **{"attribute.host": "w 1"})
    await page.get_by_text("Nobody that you may see waits now.").wait_for()
    await asyncio.gather(*waits)


async def subscribers_of(served: Served) -> list[str]:
    """Selectors that somebody waits for, as the bus tells it, each once that it was there."""
    found = [row["selector"] for row in (await served.client.get("/subscribers"))["subscribers"]]
    return sorted(found, key=["deploys", ">", "jobs.mail"].index)


async def selectors(page: Page) -> list[str]:
    """The rows of the table."""
    return await page.get_by_role("table", name="Subscribers").locator("tbody th").all_inner_texts()


async def keys_lead_to_the_page_of_a_topic(stage: Stage) -> None:
    """Shift+Enter in the table, flat and as a tree, leads to the topic itself, and the table says so to those who use keys."""
    served = await stage.serve()
    for topic in ("deploys", "jobs.mail"):
        await served.client.publish(topic, "an event")
    for place, role, steps in (("/#/", "grid", ["ArrowDown"]),
                               ("/#/?tree=1", "treegrid", ["ArrowDown", "ArrowRight", "ArrowRight"])):
        page = await stage.show(served, place)
        table = page.get_by_role(role, name="Topics")
        await table.get_by_role("link", name="deploys").wait_for()
        await page.get_by_role("searchbox", name="Find topics").focus()
        while not await table.evaluate("table => table === document.activeElement"):
            await page.keyboard.press("Tab")
        await page.get_by_text("Shift+Enter shows the topic itself").wait_for()
        await page.keyboard.press("Home")
        for step in steps:
            await page.keyboard.press(step)
        await page.keyboard.press("Shift+Enter")
        await page.get_by_role("heading", name="Topic jobs.mail", level=1).wait_for()
        await page.context.close()


ACTS = [
    name_of_a_topic_is_copied_as_one_line, rows_stay_where_they_are_first_seen, card_of_work_tells_the_worst_first, card_leads_to_what_it_counts,
    curve_begins_where_something_is_known, memory_can_be_seen_where_it_is_little, topic_has_a_page_with_its_settings, topic_that_is_silent_is_shown,
    answer_from_before_a_change_is_not_shown, topic_is_deleted_after_a_question, list_tells_who_waits,
    keys_lead_to_the_page_of_a_topic,
]
