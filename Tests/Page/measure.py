"""How smoothly a page is drawn, and what it keeps in memory, while much happens."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from playwright.async_api import CDPSession, Page

from stage import Plan

FRAME_MILLISECONDS = 50
SCRIPT_MILLISECONDS = 600
"""Of the page itself, in a short run beside builds and other tests: generous, and far below a page that hangs."""

GROWN_BYTES = 8 << 20
GROWN_NODES = 2_000
WARM_SECONDS_MAX = 60
SAMPLE_SECONDS = 5


@dataclass(frozen=True)
class Memory:
    """What a page keeps."""

    heap: float
    nodes: float


class Meter:
    """Measures one page."""

    def __init__(self, page: Page, session: CDPSession) -> None:
        self._page = page
        self._session = session

    @classmethod
    async def of(cls, page: Page) -> "Meter":
        """A meter for this page."""
        session = await page.context.new_cdp_session(page)
        await session.send("Performance.enable")
        return cls(page, session)

    async def memory(self) -> Memory:
        """What is left after a collection."""
        await self._session.send("HeapProfiler.collectGarbage")
        figures = await self._figures()
        return Memory(figures["JSHeapUsedSize"], figures["Nodes"])

    async def run(self, plan: Plan, look: Callable[[], Awaitable[None]]) -> str:
        """Lets time go by, looks at the page now and then, and says how it did."""
        await self._pass(min(WARM_SECONDS_MAX, plan.seconds / 4), look)
        begin, busy = await self.memory(), await self._figures()
        await self._page.evaluate("frames_.begin()")
        await self._pass(plan.seconds, look)
        result = await self._page.evaluate("frames_.end()")
        after, end = await self._figures(), await self.memory()
        work = (after["TaskDuration"] - busy["TaskDuration"]) / (after["Timestamp"] - busy["Timestamp"])
        figures = (
            f"{result['frames']} frames, half within {result['median']} ms, 99 % within {result['most']} ms, "
            f"longest task {result['longest']:.0f} ms, longest script {result['script']:.0f} ms, "
            f"busy {work:.0%}, heap {begin.heap / 2**20:.1f} to {end.heap / 2**20:.1f} MiB, "
            f"nodes {begin.nodes:.0f} to {end.nodes:.0f}")
        complaints = self._judge(plan, result, begin, end)
        if complaints:
            raise AssertionError(f"{'; '.join(complaints)} ({figures}; {result['blame']})")
        return figures

    def _judge(self, plan: Plan, result: dict[str, float], begin: Memory, end: Memory) -> list[str]:
        complaints = []
        if result["frames"] < plan.seconds * 5:
            complaints.append("hardly a frame was drawn")
        share = "most" if plan.is_long else "median"
        if result[share] >= FRAME_MILLISECONDS:
            complaints.append(f"frames take {result[share]} ms ({share})")
        if result["script"] > SCRIPT_MILLISECONDS:
            complaints.append(f"one script takes {result['script']:.0f} ms")
        if end.heap > begin.heap + GROWN_BYTES:
            complaints.append("the heap grows")
        if end.nodes > begin.nodes + GROWN_NODES:
            complaints.append("the nodes grow")
        return complaints

    async def _pass(self, seconds: float, look: Callable[[], Awaitable[None]]) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            await look()
            await asyncio.sleep(min(left, SAMPLE_SECONDS))
        await look()

    async def _figures(self) -> dict[str, float]:
        metrics = (await self._session.send("Performance.getMetrics"))["metrics"]
        return {each["name"]: each["value"] for each in metrics}
