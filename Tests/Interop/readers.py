"""The clients: a table of them, and a process for each."""

import asyncio
import json
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from checker import Expectation
from publisher import END, MAIN, SIDE, SIDE_END
from relay import Relay

CLIENTS = Path(__file__).with_name("clients")
BOTH = "interop.*"
LINE_BYTES_MAX = 1 << 24


@dataclass(frozen=True)
class Row:
    """A client of somebody else's making, and what it follows."""

    name: str
    program: str
    form: str
    selector: str
    is_behind_proxy: bool = False
    share: float = 1.0
    """Of all events, those it has to have received at least."""
    page: str | None = None
    """The page it is in: `foreign`, of another origin that is allowed, or the bus's `own`."""

    @property
    def topic(self) -> str | None:
        """The one topic that it follows; None: all."""
        return None if self.selector == BOTH else self.selector

    def expectation(self, events_min: int, may_lose: bool) -> Expectation:
        """What it has to have received."""
        return Expectation(self.topic, int(events_min * self.share), may_lose)


ROWS = [
    Row("curl-json-poll", "curl.py", "json", BOTH),
    Row("requests-raw-poll", "requests_raw.py", "raw", SIDE, share=0.05),
    Row("curl-sse", "curl.py", "sse", MAIN),
    Row("curl-sse-http-1.0", "curl.py", "sse-1.0", BOTH),
    Row("curl-sse-nginx", "curl.py", "sse", MAIN, is_behind_proxy=True),
    Row("curl-ndjson", "curl.py", "ndjson", BOTH),
    Row("httpx-sse", "httpx_sse_client.py", "sse", MAIN),
    Row("sseclient-py", "sseclient_py.py", "sse", BOTH),
    Row("aiohttp-sse", "aiohttp_client.py", "sse", MAIN),
    Row("aiohttp-ndjson", "aiohttp_client.py", "ndjson", BOTH),
    Row("aiohttp-websocket", "aiohttp_client.py", "websocket", BOTH),
    Row("websocket-client", "websocket_client.py", "websocket", MAIN),
    Row("chromium-eventsource", "chromium.py", "eventsource", MAIN, page="foreign"),
    Row("chromium-websocket", "chromium.py", "websocket", BOTH, page="own"),
]


class Reader:
    """One client at work, and what it told."""

    def __init__(self, row: Row, relay: Relay, folder: Path) -> None:
        self.row = row
        self.relay = relay
        self.records: list[dict[str, Any]] = []
        self.is_open = False
        self.is_over = False
        self.received = 0
        self.newest = 0
        self.cuts = 0
        self._complaints = folder / f"{row.name}.log"
        self._process: asyncio.subprocess.Process | None = None

    async def run(self, port: int, page: str | None) -> None:
        """Runs the client to its last event. Raises if it ends without."""
        address = f"http://127.0.0.1:{port}/topics/{self.row.selector}"
        arguments = [address, self.row.form] + ([page] if page is not None else [])
        with self._complaints.open("wb") as complaints:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, CLIENTS / self.row.program, *arguments,
                env=os.environ | {"INTEROP_END": SIDE_END if self.row.selector == SIDE else END},
                stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
                stderr=complaints, limit=LINE_BYTES_MAX, start_new_session=True)
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            self._take(json.loads(line))
        if await self._process.wait() != 0:
            raise RuntimeError(f"{self.row.name} gave up:\n{self._complaints.read_text()}")
        self.is_over = True

    async def kill(self) -> None:
        """Ends the client, and what it started."""
        if self._process is not None and self._process.returncode is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            await self._process.wait()

    def _take(self, record: dict[str, Any]) -> None:
        if "opened" in record:
            self.is_open = True
        elif "cut" in record:
            self.cuts += 1
        else:
            self.records.append(record)
            if "event" in record:
                self.received += 1
                self.newest = int(record["event"]["id"])
