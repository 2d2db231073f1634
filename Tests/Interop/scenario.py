"""One run: all clients at once, cut off twice, over two restarts."""

import asyncio
import contextlib
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import figures
from bus import Bus
from checker import Checker, Expectation, Verdict
from ledger import Ledger
from pages import Pages
from proxy import Proxy
from publisher import MAIN, SIDE, Publisher
from readers import Reader, Row
from relay import Cut, Relay
from tampering import tampered

WAIT_SECONDS = 90
"""For everything that has to happen next."""

AT_ONCE_SECONDS = 5
"""For one event on a machine that is busy; less than a buffer of a proxy takes to fill."""

HEARTBEAT = "500ms"
QUIET_SECONDS = 1.5
"""For every stream to carry heartbeats, and a cursor that moved without an event."""


@dataclass(frozen=True)
class Plan:
    """How a run is to be."""

    program: Path
    store: str
    events: int
    """Received by each client at least."""
    rate: float
    seed: int

    @property
    def keeps_events(self) -> bool:
        """Whether a restart loses nothing."""
        return self.store != "memory"


class Scenario:
    """The clients, what is between them and the bus, and what happens to them."""

    def __init__(self, plan: Plan, rows: list[Row], folder: Path) -> None:
        self._plan = plan
        self._folder = folder
        self._relays = [Relay() for _ in rows]
        self.readers = [
            Reader(row, relay, folder) for row, relay in zip(rows, self._relays, strict=True)
        ]
        self._pages = Pages()
        hosts = ",".join(f"127.0.0.1:{relay.port}" for relay in self._relays)
        self._bus = Bus(plan.program, plan.store, folder, {
            "BELFRY_HTTP_HOSTS": hosts, "BELFRY_HTTP_ORIGINS": self._pages.origin,
            "BELFRY_STREAM_HEARTBEAT": HEARTBEAT})
        self._ledger = Ledger()

    async def run(self) -> None:
        """Everything, up to the last event at every client."""
        async with contextlib.AsyncExitStack() as stack:
            stack.push_async_callback(self._bus.kill)
            stack.callback(self._pages.close)
            await self._start_bus()
            for relay in self._relays:
                await relay.start()
                stack.callback(relay.close)
            async with asyncio.TaskGroup() as group:
                for reader in self.readers:
                    port = await self._port(reader, stack)
                    stack.push_async_callback(reader.kill)
                    group.create_task(reader.run(port, self._page(reader)))
                await self._wait("open", lambda reader: reader.is_open)
                publisher = Publisher(
                    self._ledger, self._bus.port, self._plan.rate, self._plan.seed)
                try:
                    await self._calm(publisher)
                    publisher.start()
                    await self._acts(publisher)
                    await asyncio.to_thread(publisher.finish, WAIT_SECONDS)
                finally:
                    publisher.abort()
                self.refusals, self.unknown = publisher.refusals, publisher.unknown
                await self._wait("at the end", lambda reader: reader.is_over)
            await asyncio.to_thread(figures.check, self._bus.port)
            await self._bus.stop()

    def check(self) -> list[Verdict]:
        """What came of it, for each client."""
        checker = self._checker()
        return [checker.check(reader.records, self._expectation(reader)) for reader in self.readers]

    def is_tampering_found(self) -> bool:
        """Whether the check fails for every client that had one event less, or one twice."""
        checker, chance = self._checker(), random.Random(self._plan.seed)
        return all(
            checker.check(records, self._expectation(reader)).complaints
            for reader in self.readers
            for records in tampered(reader.records, chance)
        )

    def _checker(self) -> Checker:
        checker = Checker(self._ledger)
        for reader in self.readers:
            checker.learn(reader.records)
        return checker

    def _expectation(self, reader: Reader) -> Expectation:
        return reader.row.expectation(self._plan.events, not self._plan.keeps_events)

    async def _calm(self, publisher: Publisher) -> None:
        """Events that come at once, alone, so that nothing behind them pushes them through."""
        await asyncio.to_thread(publisher.publish_one, SIDE)
        await asyncio.sleep(QUIET_SECONDS)
        for _ in range(3):
            await asyncio.to_thread(publisher.publish_one, MAIN)
            await self._catch_up(AT_ONCE_SECONDS)

    async def _acts(self, publisher: Publisher) -> None:
        events = self._plan.events

        async def pace(share: float) -> None:
            await asyncio.to_thread(publisher.pace, int(events * share), WAIT_SECONDS)

        await pace(0.25)
        await self._cut(Cut.FIN)
        await self._catch_up()
        await pace(0.5)
        await self._catch_up()
        await self._restart(publisher)
        await pace(0.8)
        await self._catch_up()
        await self._cut(Cut.RST, is_away=True)
        await pace(0.85)
        await self._restart(publisher)
        for relay in self._relays:
            relay.is_away = False
        await pace(1.2)
        # A client that asks for one event at a time is behind when the bus stops, and loses more than others do.
        share = 1.2
        async with asyncio.timeout(WAIT_SECONDS):
            while not all(self._has_enough(reader) for reader in self.readers):
                await self._catch_up()
                share += 0.1
                await pace(share)

    def _has_enough(self, reader: Reader) -> bool:
        return reader.received >= self._expectation(reader).events_min

    async def _start_bus(self) -> None:
        await self._bus.start()
        for relay in self._relays:
            relay.target = self._bus.port

    async def _restart(self, publisher: Publisher) -> None:
        await self._bus.stop()
        publisher.next_life()
        await self._bus.start()

    async def _cut(self, how: Cut, is_away: bool = False) -> None:
        async with asyncio.timeout(WAIT_SECONDS), asyncio.TaskGroup() as group:
            for relay in self._relays:
                group.create_task(relay.cut(how, is_away))

    async def _catch_up(self, seconds: float = WAIT_SECONDS) -> None:
        newest = {reader: self._ledger.newest(reader.row.topic) for reader in self.readers}
        await self._wait("up to date", lambda reader: reader.newest >= newest[reader], seconds)

    async def _wait(
        self, what: str, condition: Callable[[Reader], bool], seconds: float = WAIT_SECONDS
    ) -> None:
        try:
            async with asyncio.timeout(seconds):
                while not all(condition(reader) for reader in self.readers):
                    await asyncio.sleep(0.02)
        except TimeoutError:
            late = [reader.row.name for reader in self.readers if not condition(reader)]
            raise TimeoutError(f"not {what} in {seconds} s: {', '.join(late)}") from None

    async def _port(self, reader: Reader, stack: contextlib.AsyncExitStack) -> int:
        if not reader.row.is_behind_proxy:
            return reader.relay.port
        proxy = Proxy(self._folder, reader.relay.port)
        stack.push_async_callback(proxy.kill)
        await proxy.start()
        return proxy.port

    def _page(self, reader: Reader) -> str | None:
        match reader.row.page:
            case "own":
                return f"http://127.0.0.1:{reader.relay.port}/version"
            case "foreign":
                return self._pages.origin
            case _:
                return None
