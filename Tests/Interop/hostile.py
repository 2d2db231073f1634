"""Pages that Chromium shows, against the bus: those of other origins get nothing and do nothing.

Usage: hostile.py [--daemon PROGRAM]
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from bus import Bus
from pages import Pages
from playwright.sync_api import Browser, Frame, Page, sync_playwright
from witness import Witness

EXECUTABLE = "/usr/bin/chromium"
EVIL = "evil.example"
"""A name of somebody else's that leads here: by a rebound DNS entry, or any other."""

SECRET = "only for those who may read it"
BEACON_SECONDS = 5
WAYS_IN = 13


@dataclass(frozen=True)
class Visitor:
    """A page, by where it comes from, and what it may."""

    name: str
    show: Callable[[Page], Frame]
    bus: str
    """What it calls the bus."""
    refusal: int = 0
    """The status of all it asks; 0 if it may do everything."""


class Show:
    """The bus, a witness in front of it, and the pages."""

    def __init__(self, program: Path, folder: Path) -> None:
        self._witness = Witness()
        self._friend, self._stranger = Pages(), Pages()
        self._bus = Bus(program, "memory", folder, {
            "BELFRY_HTTP_HOSTS": f"127.0.0.1:{self._witness.port}",
            "BELFRY_HTTP_ORIGINS": self._friend.origin})
        self._own = f"http://127.0.0.1:{self._witness.port}"
        self._rebound = f"http://{EVIL}:{self._witness.port}"
        self._complaints: list[str] = []

    def visitors(self) -> list[Visitor]:
        """The two that may everything, then those that may nothing."""
        stranger = self._stranger.origin
        return [
            Visitor("own", at(f"{self._own}/version"), self._own),
            Visitor("configured", at(self._friend.origin), self._own),
            # Other origins, of the same site and of another one, and of none.
            Visitor("other-port", at(stranger), self._own, 403),
            Visitor("other-site", at(stranger.replace("127.0.0.1", EVIL)), self._own, 403),
            Visitor("sandboxed", self._sandboxed, self._own, 403),
            # Of the bus's own origin, as far as the browser can know.
            Visitor("rebound", at(f"{self._rebound}/page"), self._rebound, 421),
            Visitor("other-name", at(stranger), self._rebound, 421),
        ]

    async def run(self) -> bool:
        """Shows every page once."""
        try:
            await self._bus.start()
            self._witness.target = self._bus.port
            await asyncio.to_thread(self._visit_all)
            await self._bus.stop()
        finally:
            await self._bus.kill()
            for each in (self._witness, self._friend, self._stranger):
                each.close()
        for complaint in self._complaints:
            print(f"    {complaint}", flush=True)
        return not self._complaints

    def _visit_all(self) -> None:
        self._curl("-d", SECRET, "topics/secret")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=EXECUTABLE,
                args=["--no-sandbox", f"--host-resolver-rules=MAP {EVIL} 127.0.0.1"])
            for visitor in self.visitors():
                self._visit(browser, visitor)

    def _visit(self, browser: Browser, visitor: Visitor) -> None:
        page = browser.new_page()
        frame = visitor.show(page)
        frame.evaluate(Path(__file__).with_name("hostile.js").read_text())
        self._curl("-X", "PUT", f"topics/administer-remove-{visitor.name}")
        results = frame.evaluate(f"tryAll({json.dumps(visitor.bus)}, {json.dumps(visitor.name)})")
        if len(results) != WAYS_IN:
            self._complaints.append(f"{visitor.name}: {len(results)} ways were tried")
        self._wait_for_beacon(visitor)
        page.close()
        ways = [self._judge(visitor, way, result) for way, result in results.items()]
        print(f"  {visitor.name}: {', '.join(ways)}", flush=True)

    def _judge(self, visitor: Visitor, way: str, result: object) -> str:
        """What the wire says of one way, held against what had to come of it."""
        what, how = way.split()
        name = f"{what}-{how}-{visitor.name}"
        seen = [(method, status) for method, target, status in self._witness.exchanges()
                if name in urlsplit(target).path]
        is_done = self._is_done(what, how, name, result)
        if visitor.name == "configured" and way == "subscribe nocors":
            # It says no Origin, and could not be told from any other page.
            if is_done or seen != [("GET", 403)]:
                self._complaints.append(f"{name}: is answered {seen}, {result!r}")
        elif visitor.refusal == 0:
            if not is_done:
                self._complaints.append(f"{name}: is refused: {seen}, {result!r}")
        else:
            if is_done:
                self._complaints.append(f"{name}: is allowed: {seen}, {result!r}")
            if any(status != visitor.refusal for _, status in seen):
                self._complaints.append(f"{name}: is answered {seen}")
            if not seen:
                self._complaints.append(f"{name}: the browser asks nothing, so nothing is shown")
        return f"{way} {'/'.join(str(status) for _, status in seen)}"

    def _is_done(self, what: str, how: str, name: str, result: object) -> bool:
        """Whether the page got what it wanted."""
        topics = {each["name"] for each in json.loads(self._curl("topics"))["topics"]}
        if what == "publish" or how == "put":
            return name in topics
        if how == "remove":
            return name not in topics
        return result == SECRET or (how == "cursor" and str(result).isdigit())

    def _wait_for_beacon(self, visitor: Visitor) -> None:
        """Until it was answered: it tells nobody."""
        end = time.monotonic() + BEACON_SECONDS
        name = f"publish-beacon-{visitor.name}"
        while not any(name in target and status for _, target, status in self._witness.exchanges()):
            if time.monotonic() > end:
                return
            time.sleep(0.02)

    def _curl(self, *arguments: str) -> str:
        *options, path = arguments
        return subprocess.run(
            ["curl", "-sS", *options, f"http://127.0.0.1:{self._bus.port}/{path}"],
            check=True, capture_output=True, text=True).stdout

    def _sandboxed(self, page: Page) -> Frame:
        """A frame without an origin, which says `Origin: null`."""
        page.goto(self._own + "/version")
        page.evaluate(
            "frame => document.body.insertAdjacentHTML('beforeend', frame)",
            '<iframe sandbox="allow-scripts allow-forms" srcdoc="<body></body>"></iframe>')
        page.wait_for_function("document.querySelector('iframe').contentWindow !== null")
        return page.frames[1]


def at(address: str) -> Callable[[Page], Frame]:
    """Shows what is there."""
    def show(page: Page) -> Frame:
        page.goto(address)
        return page.main_frame

    return show


def main() -> int:
    """Shows all pages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--daemon", type=Path, default=Path(".build/debug/belfryd"))
    options, _ = parser.parse_known_args()  # those of run.py stand beside it
    print("pages of other origins", flush=True)
    with tempfile.TemporaryDirectory(prefix="belfry-hostile-") as folder:
        return 0 if asyncio.run(Show(options.daemon, Path(folder)).run()) else 1


if __name__ == "__main__":
    sys.exit(main())
