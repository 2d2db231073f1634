"""Payloads, names and addresses of people who mean harm: nothing runs, nothing breaks, and all of it can be read."""

from urllib.parse import quote

from playwright.async_api import Page

from following import Following
from hostile_values import ADDRESSES, GROUPS, MARKUP, NUMBERS, TOPICS, Blow, blows
from stage import Served, Stage
from waits import equal, same, until

PHONE = (360, 740)
PLACE = """JSON.stringify([...document.querySelectorAll('header, header a, #state')].map(each => {
    const { left, top, height } = each.getBoundingClientRect();
    return [each.matches('header, header > a') && left, Math.round(top + scrollY), Math.round(height)];
}))"""
"""Where the header is. What is at its right end moves with the scroll bar."""

SOUND = """() => [
    document.documentElement.scrollWidth <= document.documentElement.clientWidth ? '' : `wider than the window: ${
        document.documentElement.scrollWidth} px`,
    document.querySelector('script:not([src])') ? 'a script in the page' : '',
    document.querySelector('main iframe, main img, main object, main embed, main base, main meta, main style') ? 'markup' : '',
    [...document.querySelectorAll('main a')].some(link => !/^(https?|blob):/.test(link.href)) ? 'a link to a script' : '',
    ({}).polluted === undefined ? '' : 'a polluted prototype',
].filter(text => text)"""
OPEN_ALL = """() => document.querySelectorAll(
    '.moment summary, .payload button:not([aria-pressed=true])').forEach(each => each.click())"""
"""Presses all there is to see more of a payload."""

async def header_of(page: Page) -> str:
    """Where the header is when all is well."""
    await equal("the state", page.locator("#state").inner_text, "Connected")
    return str(await page.evaluate(PLACE))


async def assault(served: Served) -> list[tuple[Blow, str]]:
    """Publishes all blows, and gives their ids."""
    ids = []
    for blow in blows():
        labels = {name: value for name, value in (("type", blow.type), ("key", blow.key)) if value}
        ids.append((blow, await served.client.publish("harm", blow.data, content=blow.content, **labels)))
    return ids


async def is_sound(page: Page, what: str, header: str) -> list[str]:
    """What is wrong with the page by now."""
    faults = await page.evaluate(SOUND)
    if (place := await page.evaluate(PLACE)) != header:
        faults.append(f"the header is at {place}, and was at {header}")
    return [f"{what}: {fault}" for fault in faults]


async def hostile_payloads_are_only_text(stage: Stage) -> str:
    """Each hostile payload is shown in the list and in full, on a phone: no script runs, and the page keeps its form."""
    served = await stage.serve()
    struck = await assault(served)
    page = await stage.show(served, "/#/follow/harm?since=earliest", size=PHONE)
    view = Following(page)
    await view.receive(len(struck))
    header = await header_of(page)
    faults = await is_sound(page, "the list", header)
    for blow, id in struck:
        await page.goto(f"{served.origin}/#/follow/harm?since={int(id) - 1}&event={id}")
        await view.opened(id)
        # The first press opens what is folded, the second what was in it.
        await page.evaluate(OPEN_ALL)
        await page.evaluate(OPEN_ALL)
        faults += await is_sound(page, f"{blow.data[:60]!r} as {blow.content or 'nothing'}, {blow.type!r}", header)
        if blow.data == NUMBERS.encode():
            faults += [] if "123456789012345678901234567890" in await view.detail.inner_text() else ["a number was rounded"]
    same("faults", faults, [])
    return f"{len(struck)} payloads"


async def hostile_payload_is_no_page(stage: Stage) -> None:
    """A payload of HTML that is opened in the browser is no page of the bus: it is sandboxed, and no script of it runs."""
    served = await stage.serve()
    id = await served.client.publish("harm", MARKUP[0] + "<p>shown", content="text/html")
    page = await stage.page(served.origin, expected="sandboxed")
    await page.goto(f"{served.origin}/topics/harm/events/{id}")
    same("its text", (await page.inner_text("body")).strip(), "shown")
    same("its origin", await page.evaluate("origin"), "null")


async def hostile_names_are_only_names(stage: Stage) -> str:
    """Topics and groups that are called like parts of JavaScript, or are as long as a name may be, are shown as others are."""
    served = await stage.serve()
    for topic in TOPICS:
        await served.client.publish(topic, f"in {topic[:20]}")
    for group in GROUPS:
        await served.client.put(f"/groups/{group}?of={TOPICS[0]}&dead=dead.{TOPICS[0]}")
    faults = []
    page = await stage.show(served, size=(360, 2_000))
    header = ""
    for place in ("/#/", "/#/?tree=1", "/#/work"):
        await page.goto(served.origin + place)
        header = header or await header_of(page)
        rows = page.locator(".row a" if place != "/#/work" else "tbody tr a")
        await until(f"rows of {place}", rows.count, enough=lambda seen: seen > 5)
        faults += await is_sound(page, place, header)
    shown = set(await page.locator("tbody tr a").all_inner_texts()) & set(GROUPS)
    same("groups that are not shown", set(GROUPS) - shown, set())
    await page.goto(served.origin + "/#/")
    find = page.get_by_role("searchbox", name="Find topics")
    for topic in TOPICS:
        await find.fill(topic)
        await until(f"the row of {topic[:40]}", page.locator(f'.row a[title="Follow {topic}"]').count)
    for topic in TOPICS:
        view = Following(page)
        await page.goto(f"{served.origin}/#/follow/{quote(topic)}?since=earliest")
        await view.event(f"in {topic[:20]}").first.wait_for()
        faults += await is_sound(page, topic[:40], header)
        await page.goto(f"{served.origin}/#/topics/{quote(topic)}")
        await page.get_by_role("button", name="Delete").wait_for()
        faults += await is_sound(page, f"the page of {topic[:40]}", header)
    for group in GROUPS:
        await page.goto(f"{served.origin}/#/work/{quote(group, safe='')}")
        await page.get_by_role("heading", level=1).wait_for()
        faults += await is_sound(page, f"group {group}", header)
    same("faults", faults, [])
    return f"{len(TOPICS)} topics, {len(GROUPS)} groups"


async def hostile_addresses_open_nothing(stage: Stage) -> str:
    """Links of strangers into the page show a view or say what is wrong: nothing runs, and the page can be used afterwards."""
    served = await stage.serve()
    await served.client.publish("deploys", "v1")
    faults = []
    page = await stage.show(served, size=PHONE)
    header = await header_of(page)
    for address in ADDRESSES:
        await page.evaluate("document.querySelector('main').firstElementChild.dataset.before = ''")
        await page.goto(f"{served.origin}/{address}")
        await page.locator("main > :first-child:not([data-before]) h1").first.wait_for(state="attached")
        faults += await is_sound(page, address[:60], header)
    same("faults", faults, [])
    await page.get_by_role("link", name="Overview", exact=True).click()
    await page.get_by_title("Follow deploys").wait_for()
    return f"{len(ADDRESSES)} addresses"


ACTS = [hostile_payloads_are_only_text, hostile_payload_is_no_page, hostile_names_are_only_names, hostile_addresses_open_nothing]
