"""Every view, for people who see little, use no mouse, or have a small screen."""

from typing import Any

from axe_playwright_python.base import AXE_FILE_PATH
from playwright.async_api import Page

from following import Following
from furniture import VIEWS, furnish
from stage import Served, Stage
from waits import equal, same, until

AXE = AXE_FILE_PATH.read_text()
PHONE = (360, 740)
ZOOMED = (640, 400)
"""What is left of 1280×800 at 200 %: browsers zoom by giving the page fewer and larger pixels."""

NARROWEST = (320, 568)
"""1280 pixels at 400 % (WCAG 2.2, 1.4.10)."""

FOLDED = {"work": "New group", "group": "Change the group"}
"""Forms that are shown when somebody wants them."""

DIALOGS = {"overview": "Token", "group": "Delete the group"}
TABS_MAX = 60
AXE_STYLE = "inline style|style-src-elem"
"""axe tries to put a style into the page, and the page's policy keeps it out."""

RULES = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}

WIDER = """() => {
    const room = document.documentElement.clientWidth;
    const wide = document.documentElement.scrollWidth > room;
    return !wide ? [] : [...document.querySelectorAll('body *')]
        .filter(element => element.getBoundingClientRect().right > room + 1)
        .map(element => `${element.tagName}.${element.className}`).slice(0, 5)
        .concat(`${document.documentElement.scrollWidth} px of ${room} px`);
}"""
"""What makes the page wider than its window."""

MOVING = """() => [...document.querySelectorAll('*')].filter(element => {
    const { transitionDuration, animationDuration, animationName } = getComputedStyle(element);
    const long = text => text.split(',').some(each => Number.parseFloat(each) > 0.02);
    return long(transitionDuration) || (animationName !== 'none' && long(animationDuration));
}).map(element => `${element.tagName}.${element.className}`).slice(0, 5)"""

FOCUS = """() => {
    const element = document.activeElement;
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    return {
        name: element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent,
        id: element.id, tag: element.tagName, role: element.getAttribute('role') ?? '',
        shown: (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0) || boxShadow !== 'none',
        inside: box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth && box.width > 0,
    };
}"""


async def show_view(stage: Stage, served: Served, name: str, **options: object) -> Page:
    """A view, when it shows what it has."""
    page = await stage.show(served, VIEWS[name], **options)
    await page.get_by_role("heading", level=1).first.wait_for(state="attached")
    contents = {
        "overview": "role=row >> text=deploys", "tree": "role=row >> text=sensors", "follow": "article.event >> nth=0",
        "work": "role=row >> text=thumbnails", "group": "role=button[name='Put back'] >> nth=0",
        "topic": "role=row >> text=raw", "subscribers": "role=row >> text=raw",
    }
    if name in ("topic", "subscribers"):
        # Somebody who waits, for as long as the page is there.
        await page.evaluate("() => { fetch('/topics/deploys?wait=5m').catch(() => {}); }")
    if name in contents:
        await page.locator(contents[name]).first.wait_for(state="visible")
    if name == "follow":
        await page.locator("article.event").last.click()
    if name in FOLDED:
        await page.get_by_text(FOLDED[name], exact=True).click()
    return page


async def drawn(page: Page) -> None:
    """Until the page was drawn anew."""
    await page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


async def violations(page: Page) -> list[str]:
    """What axe finds, in a line each."""
    # Colours that are on their way are none that people read.
    await page.evaluate("Promise.allSettled(document.getAnimations().map(animation => animation.finished))")
    if not await page.evaluate("'axe' in globalThis"):
        await page.evaluate(AXE)
    found: list[dict[str, Any]] = await page.evaluate(
        "async rules => (await axe.run({ runOnly: rules, resultTypes: ['violations'] })).violations", RULES)
    return [f"{each['id']}: {each['help']}: " + ", ".join(node["html"][:160] for node in each["nodes"][:3])
            for each in found]


async def view_has_no_axe_violations(stage: Stage) -> str:
    """axe finds nothing in any view, light and wide, dark and small."""
    served = await stage.serve()
    await furnish(served.client)
    faults = []
    for name in VIEWS:
        page = await show_view(stage, served, name, color_scheme="light", expected=AXE_STYLE)
        faults += [f"{name}, light: {each}" for each in await violations(page)]
        await page.emulate_media(color_scheme="dark")
        await page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        await drawn(page)
        faults += [f"{name}, dark: {each}" for each in await violations(page)]
        if name in DIALOGS:
            await page.get_by_role("button", name=DIALOGS[name]).click()
            await page.get_by_role("dialog").wait_for()
            faults += [f"the dialog of {name}: {each}" for each in await violations(page)]
        await page.context.close()
    same("violations", faults, [])
    return f"{len(VIEWS)} views twice"


async def names_are_read_as_they_are(stage: Stage) -> None:
    """Screen readers get the names of topics and columns as they are written, and how many rows there are."""
    served = await stage.serve()
    await furnish(served.client)
    page = await show_view(stage, served, "overview")
    grid = page.get_by_role("grid", name="Topics")
    await grid.get_by_role("link", name="jobs.mail", exact=True).wait_for()
    for name in ("Topic", "Rate", "Newest", "Events", "Bytes", "Subscribers", "Groups"):
        same(f"columns {name}", await grid.get_by_role("columnheader", name=name, exact=True).count(), 1)
    topics = (await served.client.get("/topics"))["topics"]
    await equal("rows", lambda: grid.get_attribute("aria-rowcount"), str(len(topics) + 1))
    await page.get_by_role("region", name="Bus").get_by_text("In memory").wait_for()


async def view_fits_every_window(stage: Stage) -> None:
    """No view scrolls sideways on a phone or at 200 % and 400 %, and nothing moves for people who do not want it."""
    served = await stage.serve()
    await furnish(served.client)
    faults = []
    for name in VIEWS:
        page = await show_view(stage, served, name, size=PHONE, reduced_motion="reduce")
        for width, height in (PHONE, ZOOMED, NARROWEST):
            await page.set_viewport_size({"width": width, "height": height})
            await drawn(page)
            wide = await page.evaluate(WIDER)
            faults += [f"{name} at {width} px: {each}" for each in wide]
        faults += [f"{name} moves: {each}" for each in await page.evaluate(MOVING)]
        await page.context.close()
    same("faults", faults, [])


async def tab_to(page: Page, name: str, tag: str = "", role: str = "") -> None:
    """Presses Tab until this has the focus. All that has it on the way has to be seen."""
    seen = []
    for _ in range(TABS_MAX):
        await page.keyboard.press("Tab")
        focus = await page.evaluate(FOCUS)
        seen.append(f"{focus['tag']} {focus['name'][:30]}")
        if focus["tag"] == "BODY":
            continue
        # A second stop within one field is a part that the browser itself draws: day, month, year.
        assert focus["shown"] or seen[-2:-1] == seen[-1:], f"nothing shows that {seen[-1]} has the focus"
        assert focus["inside"], f"{seen[-1]} has the focus and is out of view"
        if (focus["name"].strip().startswith(name) and tag in ("", focus["tag"]) and role in ("", focus["role"])):
            return
    raise AssertionError(f"Tab does not come to {name}: {seen}")


async def heading_has_focus(page: Page, name: str) -> None:
    """A view that was opened begins at its heading."""
    await equal("what has the focus", lambda: page.evaluate(
        "`${document.activeElement.tagName} ${document.activeElement.textContent}`"), f"H1 {name}")


async def keyboard_alone_is_enough(stage: Stage) -> None:
    """Without a mouse: skip link, views, table, Follow with an event in full, Publish. The focus can be seen everywhere."""
    served = await stage.serve()
    await furnish(served.client)
    page = await show_view(stage, served, "overview")
    keys = page.keyboard
    await tab_to(page, "Skip", "A")
    await keys.press("Enter")
    same("what the skip link leads to", await page.evaluate("document.activeElement.id"), "view")
    # The table.
    await tab_to(page, "Topics", role="grid")
    await keys.press("Home")
    names = []
    for _ in range(3):
        active = "document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))"
        names.append(await page.evaluate(f"{active}?.querySelector('a')?.textContent"))
        await keys.press("ArrowDown")
    same("rows that the arrow keys come to", len({name for name in names if name}), 3)
    await keys.press("Enter")
    await heading_has_focus(page, "Follow")
    # Follow.
    selector = page.get_by_label("Selector")
    await until("a selector", selector.input_value)
    await tab_to(page, "Selector", "INPUT")
    await keys.press("Control+A")
    await keys.type("deploys")
    await keys.press("Enter")
    view = Following(page)
    await heading_has_focus(page, "Follow")
    await view.live()
    await tab_to(page, "Events")
    await keys.press("ArrowUp")
    await keys.press("Enter")
    await view.detail.wait_for()
    await keys.press("Escape")
    await view.detail.wait_for(state="hidden")
    same("where the focus is again", (await page.evaluate(FOCUS))["tag"], "ARTICLE")
    # Publish.
    await page.evaluate("document.activeElement.blur()")
    await page.reload()
    await tab_to(page, "Publish", "A")
    await keys.press("Enter")
    await heading_has_focus(page, "Publish")
    await tab_to(page, "Topic", "INPUT")
    await keys.type("deploys")
    await tab_to(page, "Text", "TEXTAREA")
    await keys.type("by keyboard")
    await tab_to(page, "Publish", "BUTTON")
    await keys.press("Enter")
    await until("the answer", page.get_by_label("Answer").inner_text, enough=lambda text: "201" in text)
    same("the newest event", (await served.client.events("deploys"))[-1]["data"], "by keyboard")
    for name, heading in (("Work", "Work"), ("Learn", "Learn"), ("Overview", "Overview")):
        await tab_to(page, name, "A")
        await keys.press("Enter")
        await heading_has_focus(page, heading)


ACTS = [view_has_no_axe_violations, names_are_read_as_they_are, view_fits_every_window, keyboard_alone_is_enough]
