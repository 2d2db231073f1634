"""Pages of other origins: they get nothing of the bus and of its page."""

from pathlib import Path

from playwright.async_api import Page

from stage import STRANGE_NAME, Served, Stage
from waits import same, until

from pages import Pages  # of Tests/Interop, which stage.py makes known

SECRET = "only for those who may read it"
TRIES = Path(__file__).with_name("stranger.js").read_text()
EXPECTED = r"CORS policy|frame-ancestors|Refused to|blocked|violates|127\.0\.0\.1"
"""What the browser tells a page that tries this; it asks the bus, which its own origin is not."""

FRAMED = ["/", "/docs", "/#/publish/deploys?text=x", "/page/icon.svg", "/topics"]


async def stranger_gets_nothing(stage: Stage) -> None:
    """A page of another port, and one of another name, frame the page, fetch it and load it as a script, in vain."""
    served = await stage.serve()
    await served.client.publish("secret", SECRET, content="text/javascript")
    stranger = Pages()
    try:
        for origin in (stranger.origin, stranger.origin.replace("127.0.0.1", STRANGE_NAME)):
            page = await stage.page(origin, expected=EXPECTED)
            await page.goto(origin)
            await page.evaluate(TRIES)
            got = await page.evaluate("bus => tryAll(bus)", served.origin)
            same(f"what {origin} gets", {way: what for way, what in got.items() if what and not refusal(what)}, {})
            for path in FRAMED:
                await frame(page, served.origin + path)
            await window(page, served.origin + "/")
    finally:
        stranger.close()


def refusal(text: str) -> bool:
    """Whether this is a refusal of the bus, which anybody may read."""
    return '"code":"ORIGIN_FORBIDDEN"' in text and SECRET not in text


async def frame(page: Page, address: str) -> None:
    """Frames it. The browser shows its own words instead."""
    await page.evaluate("""address => new Promise(done => {
        const frame = document.createElement('iframe');
        frame.addEventListener('load', done);
        frame.src = address;
        document.body.replaceChildren(frame);
    })""", address)
    inner = await until("the frame", lambda: first_frame(page))
    text = await inner.evaluate("document.documentElement.innerHTML")
    for word in ("/page/app.js", "Belfry", SECRET):
        assert word not in text, f"{address} is framed: {text[:200]}"


async def window(page: Page, address: str) -> None:
    """Opens it in a window. Either the window shows no page of the bus, or the stranger has lost hold of it."""
    async with page.expect_popup() as opening:
        holds = await page.evaluate("address => holdsWindow(address)", address)
    opened = await opening.value
    await opened.wait_for_load_state()
    assert not holds or "/page/app.js" not in await opened.content(), "a stranger has hold of a window with the page"
    await opened.close()


async def first_frame(page: Page) -> object:
    """The frame in the page."""
    return next((each for each in page.frames if each.parent_frame == page.main_frame), None)


async def strange_name_shows_nothing(stage: Stage) -> None:
    """A foreign name that leads to this bus (DNS rebinding) shows neither the page nor a part of it."""
    served: Served = await stage.serve()
    origin = f"http://{STRANGE_NAME}:{served.bus.port}"
    page = await stage.page(origin)
    for path in ("/", "/docs", "/page/app.js", "/topics", "/topics/deploys"):
        answer = await page.goto(origin + path)
        same(f"{path} under a foreign name", answer and answer.status, 421)
        assert "<script" not in await page.content(), f"{path} shows a page"


ACTS = [stranger_gets_nothing, strange_name_shows_nothing]
