"""Addresses: what a browser is shown that comes to a topic, a group or a moment."""

import re

from playwright.async_api import Page

from following import Following
from furniture import furnish
from stage import Stage
from waits import equal, same, until


async def address(page: Page) -> str:
    """Behind the origin. What the page adds to it by itself is left out."""
    return re.sub(r"[?&](live|since|event|find)=[^&]*", "", await page.evaluate("location.pathname + location.hash"))


async def address_of_a_topic_shows_it(stage: Stage) -> None:
    """`/topics/deploys` in a browser is the page's view of it, and so are `/topics`, `/groups` and `/groups/mail`."""
    served = await stage.serve()
    await furnish(served.client)
    page = await stage.page(served.origin)
    for path, place, heading in [("/topics/deploys", "/#/follow/deploys", "Follow"), ("/topics", "/#/", "Overview"),
                                 ("/groups", "/#/work", "Work"), ("/groups/mail", "/#/work/mail", "Group mail")]:
        await page.goto(served.origin + path)
        await page.get_by_role("heading", name=heading, level=1).wait_for(state="attached")
        await equal("the address", lambda: address(page), place)
    await page.goto(f"{served.origin}/topics/builds.*,deploys?since=earliest&type=finished")
    await until("the selector", page.get_by_label("Selector").input_value)
    same("selector", await page.get_by_label("Selector").input_value(), "builds.*,deploys")
    same("since", await page.get_by_label("Since").input_value(), "earliest")
    same("type", await page.get_by_label("Type").input_value(), "finished")
    await page.goto(f"{served.origin}/topics/deploys?since=earliest&as=json")
    assert "deployed" in await page.inner_text("body"), "as=json is for programs, in a browser too"


async def address_below_a_path_is_that_of_the_page(stage: Stage) -> None:
    """Of a bus with `http.prefix` the page asks below it alone, and so are its links, documents and lines for curl."""
    served = await stage.serve(http_prefix="/bus")
    answer = await served.client.ask("POST", "/bus/topics/deploys", b"below a path")
    same("the publish", answer.status, 201)
    page = await stage.show(served, "/bus/")
    await page.get_by_role("link", name="deploys").first.wait_for()
    await page.goto(f"{served.origin}/bus/topics/deploys?since=earliest")
    await Following(page).event("below a path").wait_for()
    same("the address", await address(page), "/bus/#/follow/deploys")
    await page.goto(f"{served.origin}/bus/#/learn")
    await page.get_by_role("heading", name="Learn", level=1).wait_for(state="attached")
    paths = await page.eval_on_selector_all("a", "links => links.map(link => link.pathname)")
    same("links elsewhere", [path for path in paths if not path.startswith("/bus/")], [])
    assert f"127.0.0.1:{served.bus.port}/bus/topics/deploys" in await page.inner_text("main"), "no line for curl"
    await page.goto(f"{served.origin}/bus/docs")
    await until("the addresses of the document", lambda: page.inner_text("main"),
                enough=lambda text: f"127.0.0.1:{served.bus.port}/bus/topics/deploys" in text)


async def address_that_was_given_is_not_taken_back(stage: Stage) -> None:
    """A view that writes down where it is does not do so over an address that was given in the moment before."""
    served = await stage.serve()
    for name in ("deploys", "steps"):
        await served.client.publish(name, f"in {name}")
    page = await stage.page(served.origin)
    # The timers of the view run when they are told to, as they might have run anyway.
    await page.add_init_script("{ window.ticks = []; window.setInterval = tick => ticks.push(tick); }")
    await page.goto(f"{served.origin}/#/follow/deploys?since=earliest")
    await Following(page).event("in deploys").wait_for()
    await until("time passes", lambda: page.evaluate("performance.now() > 2_000"))
    await page.evaluate("() => { location.hash = '#/follow/steps?since=earliest'; ticks.forEach(tick => tick()); }")
    await Following(page).event("in steps").wait_for()
    same("the address", await address(page), "/#/follow/steps")


async def link_leads_to_its_moment(stage: Stage) -> None:
    """A link to a moment opens there, with its event in full, in a browser that was never here."""
    served = await stage.serve()
    for number in range(400):
        await served.client.publish("steps", f"step {number}.")
    view = Following(await stage.show(served, "/#/follow/steps?since=earliest"))
    await view.receive(400)
    await view.page.locator(".feed").evaluate("feed => { feed.scrollTop = feed.scrollHeight / 2; }")
    row = view.event("step 200.")
    await row.wait_for()
    link = await row.get_by_role("link", name="Link to this moment").evaluate("link => link.href")
    other = Following(await stage.show(served))
    await other.page.goto(link)
    await other.detail.wait_for()
    assert "step 200." in await other.detail.inner_text(), "another event is open"
    await other.event("step 200.").wait_for()
    same("what is marked", await other.page.locator("article[aria-current=true] .event-text").inner_text(), "step 200.")
    in_view = "row => { const box = row.getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight; }"
    assert await other.event("step 200.").evaluate(in_view), "the moment is out of view"
    # Where a reader is stays in the address: a reload comes back to it.
    await until("the address", lambda: other.page.evaluate("location.hash"), enough=lambda text: "event=" in text)
    await other.page.reload()
    await other.event("step 200.").wait_for()
    await other.detail.wait_for()


async def jump_to_a_time_begins_there(stage: Stage) -> None:
    """What is typed as a time shows the events from then on."""
    served = await stage.serve()
    for number in range(20):
        await served.client.publish("steps", f"step {number}.")
    time = (await served.client.events("steps"))[12]["time"]
    view = Following(await stage.show(served, "/#/follow"))
    await view.begin("steps", since=time)
    await view.receive(8)
    rows = await view.rows()
    same("events", [row.text for row in rows if not row.mark], [f"step {number}." for number in range(12, 20)])


async def page_has_validators(stage: Stage) -> None:
    """What a browser has already is not sent again, and clients that are no browser get text."""
    served = await stage.serve()
    for path in ("/", "/page/app.js", "/docs"):
        first = await served.client.ask("GET", path, Accept="text/html")
        again = await served.client.ask("GET", path, Accept="text/html", If_None_Match=first.headers["etag"])
        same(f"{path} again", (again.status, again.body), (304, b""))
    text = await served.client.ask("GET", "/")
    assert text.headers["content-type"].startswith("text/plain"), text.headers
    off = await stage.serve(http_page="no")
    for path in ("/page/app.js", "/docs"):
        same(f"{path} of a bus without a page", (await off.client.ask("GET", path, Accept="text/html")).status, 404)
    start = await off.client.ask("GET", "/", Accept="text/html")
    assert start.headers["content-type"].startswith("text/plain"), start.headers


ACTS = [
    address_of_a_topic_shows_it, address_below_a_path_is_that_of_the_page, address_that_was_given_is_not_taken_back,
    link_leads_to_its_moment, jump_to_a_time_begins_there, page_has_validators,
]
