"""A page that nobody uses costs the bus no more than one subscriber."""

import asyncio

from playwright.async_api import Page

from furniture import furnish
from stage import Served, Stage
from waits import equal, until

IDLE_SECONDS = 10
REQUESTS_MAX = 3

HIDE = """hidden => {
    Object.defineProperty(document, 'hidden', { get: () => hidden, configurable: true });
    Object.defineProperty(document, 'visibilityState', { get: () => (hidden ? 'hidden' : 'visible'), configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
}"""
"""A browser without a window shows all of its tabs, and has no other way to hide one."""


async def subscribers(served: Served) -> float:
    """Requests that wait at the bus."""
    figures = await served.client.figures()
    return sum(value for name, value in figures.items() if name.startswith("belfry_subscribers{"))


async def requests(served: Served) -> float:
    """Requests that were answered, without those of this test."""
    figures = await served.client.figures()
    return sum(value for name, value in figures.items() if name.startswith("belfry_http_requests_total"))


async def settled(page: Page, served: Served) -> None:
    """Until the page asks no more than what waits."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    before = -1

    async def is_quiet() -> bool:
        nonlocal before
        before, quiet = len(asked), len(asked) == before
        await asyncio.sleep(1)  # that it asks nothing takes time to see
        return quiet and before == len(asked)

    await until("the page rests", is_quiet, 30)


async def idle_page_costs_one_subscriber(stage: Stage) -> str:
    """An Overview on a quiet bus is one waiting request, and hardly asks; one that is hidden asks nothing and holds nothing."""
    served = await stage.serve()
    await furnish(served.client)
    page = await stage.show(served)
    await equal("waiting requests", lambda: subscribers(served), 1)
    await settled(page, served)
    begin = await requests(served)
    await asyncio.sleep(IDLE_SECONDS)
    idle = await requests(served) - begin - 1
    assert idle <= REQUESTS_MAX, f"{idle:.0f} requests in {IDLE_SECONDS} s"
    await equal("waiting requests", lambda: subscribers(served), 1)
    await page.evaluate(HIDE, True)
    await equal("waiting requests of a hidden page", lambda: subscribers(served), 0)
    begin = await requests(served)
    for number in range(20):
        await served.client.publish("deploys", f"unseen {number}")
    await asyncio.sleep(3)  # nothing has to come, and that takes time to see
    hidden = await requests(served) - begin - 21
    assert hidden == 0, f"{hidden:.0f} requests while hidden"
    await page.evaluate(HIDE, False)
    await equal("waiting requests of a page that is seen again", lambda: subscribers(served), 1)
    return f"{idle:.0f} requests in {IDLE_SECONDS} s"


ACTS = [idle_page_costs_one_subscriber]
