"""What acts have to play with: the browser, buses of their own, pages that are watched, and other programs."""

import asyncio
import contextlib
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

from playwright.async_api import Browser, Page, async_playwright

from client import Client
from watch import SCRIPT, Watch

sys.path.append(str(Path(__file__).parents[1] / "Interop"))
from bus import Bus  # noqa: E402

EXECUTABLE = "/usr/bin/chromium"
STRANGE_NAME = "evil.example"
"""A name of somebody else's that leads here. All other names lead nowhere: nothing leaves this machine."""

RESOLVER = f"MAP {STRANGE_NAME} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"
WIDE = (1280, 800)
ACTION_MILLISECONDS = 15_000
FRAMES = Path(__file__).with_name("frames.js").read_text()


@dataclass(frozen=True)
class Plan:
    """What the command line says."""

    daemon: Path
    store: str = ""
    seconds: float = 8
    shots: Path | None = None

    @property
    def is_long(self) -> bool:
        """Whether the machine is given to this run alone, for long enough to see memory grow."""
        return self.seconds >= 60


@dataclass
class Served:
    """A bus that runs, a client of it, and where its page is."""

    bus: Bus
    folder: Path

    @property
    def client(self) -> Client:
        """Asks it as anybody would."""
        return Client(self.bus.port)

    @property
    def origin(self) -> str:
        """Without a slash at its end."""
        return f"http://127.0.0.1:{self.bus.port}"


@dataclass
class Stage:
    """One for all acts. What an act begins ends with it."""

    plan: Plan
    browser: Browser
    watch: Watch = field(default_factory=Watch)
    _ends: contextlib.AsyncExitStack = field(default_factory=contextlib.AsyncExitStack)

    async def serve(self, store: str = "memory", rules: str = "", **settings: str) -> Served:
        """Starts a bus. Settings are variables without `BELFRY_`; `rules` is its configuration."""
        if self.plan.store and store == "memory":
            store = "sqlite:PATH" if self.plan.store == "sqlite" else self.plan.store
        folder = await self.folder()
        (folder / "belfryd.conf").write_text(rules)
        named = {f"BELFRY_{name.upper()}": value for name, value in settings.items()}
        bus = Bus(self.plan.daemon.absolute(), store, folder, named)
        self._ends.push_async_callback(bus.kill)
        await bus.start()
        return Served(bus, folder)

    async def folder(self) -> Path:
        """An empty folder."""
        return Path(self._ends.enter_context(tempfile.TemporaryDirectory(prefix="belfry-page-")))

    async def page(
        self, origin: str, size: tuple[int, int] = WIDE, expected: str = "", **context: object,
    ) -> Page:
        """An empty page in a profile of its own, which is watched."""
        width, height = size
        profile = await self.browser.new_context(viewport={"width": width, "height": height}, **context)
        self._ends.push_async_callback(profile.close)
        profile.set_default_timeout(ACTION_MILLISECONDS)
        await profile.add_init_script(SCRIPT + FRAMES)
        page = await profile.new_page()
        self.watch.over(page, origin, expected)
        return page

    async def show(self, served: Served, place: str = "/", **options: object) -> Page:
        """A page at a place of the bus: `/#/work`, or a path."""
        page = await self.page(served.origin, **options)
        await page.goto(served.origin + place)
        return page

    async def run(self, *command: str | Path, folder: Path | None = None) -> asyncio.subprocess.Process:
        """Starts a program in a session of its own, which ends with the act."""
        process = await asyncio.create_subprocess_exec(
            *command, cwd=folder, start_new_session=True, stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        self._ends.push_async_callback(end, process)
        return process

    async def output(self, *command: str | Path, folder: Path | None = None) -> bytes:
        """What a program prints that ends by itself."""
        process = await self.run(*command, folder=folder)
        printed, said = await process.communicate()
        if process.returncode != 0:
            raise AssertionError(f"{command[0]} ended with {process.returncode}: {said.decode()}")
        return printed

    async def clear(self) -> list[str]:
        """Ends all that was begun, the last first, and gives what was wrong with pages."""
        await self._ends.aclose()
        self._ends = contextlib.AsyncExitStack()
        return self.watch.take()


async def end(process: asyncio.subprocess.Process) -> None:
    """Ends a program and what it started, which is its session."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


@contextlib.asynccontextmanager
async def opened(plan: Plan) -> AsyncIterator[Stage]:
    """The stage, with the browser on it."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=EXECUTABLE, args=["--no-sandbox", f"--host-resolver-rules={RESOLVER}"])
        stage = Stage(plan, browser)
        try:
            yield stage
        finally:
            await stage.clear()
            await browser.close()
