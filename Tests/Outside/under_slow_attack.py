"""An ordinary client beside 1,000 connections that are slow on purpose, in every way that
slowhttptest knows.

Usage: under_slow_attack.py [--daemon PROGRAM] [--seconds N] [--store STORE]
"""

import argparse
import asyncio
import csv
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from acts import expect, perform
from doors import Door, Line, doors

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Interop"))
from bus import Bus  # noqa: E402

CONNECTIONS = 1_000
HELD_MIN = CONNECTIONS * 9 // 10
MADE_MIN = CONNECTIONS // 2
"""Where none is held: slowhttptest looks once a second, and not at the end."""
CONNECTIONS_PER_SECOND = 500
MILLISECONDS_99_MAX = 50
BUSY_FACTOR = 3
"""On a machine so busy that ordinary requests take this long by themselves: so many times that."""
PAUSE_SECONDS = 0.005
BIG = 1_000_000
"""Bytes of the answer that is read slowly: more than the kernel takes for a client."""
SAMPLES_MIN = 100


@dataclass(frozen=True)
class Attack:
    """One way of being slow; without a mode no client is slow."""

    name: str
    mode: str | None
    target: str = ""
    options: tuple[str, ...] = ()
    is_held: bool = True
    """Whether its connections have to be open at one time for it to count."""

    def start(self, port: int, seconds: int, report: Path) -> subprocess.Popen[bytes] | None:
        """Begins it."""
        if self.mode is None:
            return None
        return subprocess.Popen(
            ["slowhttptest", self.mode, "-c", str(CONNECTIONS), "-r", str(CONNECTIONS_PER_SECOND),
             "-l", str(seconds), "-g", "-o", str(report),
             "-u", f"http://127.0.0.1:{port}{self.target}", *self.options],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


ATTACKS = [
    Attack("none", None),
    Attack("slow headers", "-H", "/topics/ordinary", ("-i", "2")),
    Attack("slow bodies", "-B", "/topics/slow", ("-i", "2", "-s", "8192")),
    # Ranges are ignored, so that none of its connections has anything to hold on to.
    Attack("many ranges", "-R", "/topics/big?since=earliest", ("-a", "1", "-b", "1500"), False),
    Attack("slow reading", "-X", "/topics/big?since=earliest",
           ("-w", "512", "-y", "1024", "-n", "2", "-z", "32", "-k", "1")),
]


class Client(threading.Thread):
    """Publishes and receives, and looks at the clock."""

    def __init__(self, door: Door, is_fresh: bool) -> None:
        super().__init__()
        self._line = Line(door)
        self._is_fresh = is_fresh
        self._over = threading.Event()
        self.milliseconds: list[float] = []
        self.failure: Exception | None = None

    def run(self) -> None:
        """Goes on until it is stopped, or something fails."""
        try:
            while not self._over.is_set():
                self._take_turn()
                self._over.wait(PAUSE_SECONDS)
        except Exception as error:  # noqa: BLE001 (whatever it is, it is to be told)
            self.failure = error
        finally:
            self._line.close()

    def stop(self) -> list[float]:
        """How long its requests took, from the shortest on."""
        self._over.set()
        self.join()
        if self.failure is not None:
            raise self.failure
        return sorted(self.milliseconds)

    def _take_turn(self) -> None:
        sent = self._timed("POST", "/topics/ordinary", b"an event", 201)
        got = self._timed("GET", f"/topics/ordinary?since={int(sent.json()['id']) - 1}", None, 200)
        expect(b"an event", got.body)

    def _timed(self, method: str, target: str, body: bytes | None, status: int):
        start = time.monotonic()
        if not self._line.is_open:
            self._line.open()
        answer = self._line.ask(method, target, body)
        self.milliseconds.append((time.monotonic() - start) * 1_000)
        if self._is_fresh:
            self._line.close()
        if answer.status != status:
            raise AssertionError(f"{answer.status} {answer.body!r} instead of {status}")
        return answer


class Siege:
    """The attacks, one by one, each with a row of the table."""

    def __init__(self, door: Door, port: int, seconds: int, folder: Path) -> None:
        self._door = door
        self._folder = folder
        self._port = port
        self._seconds = seconds
        self._bound: float = MILLISECONDS_99_MAX
        self.rows: list[str] = []

    def acts(self) -> list[Callable[[], str]]:
        """All of them."""
        expect(201, self._door.ask("POST", "/topics/big", bytes(BIG)).status)
        return [self._act(attack) for attack in ATTACKS]

    def _act(self, attack: Attack) -> Callable[[], str]:
        def act() -> str:
            return self._withstand(attack)

        act.__name__ = attack.name
        return act

    def _withstand(self, attack: Attack) -> str:
        clients = [Client(self._door, is_fresh) for is_fresh in (False, True)]
        report = self._folder / attack.name.replace(" ", "-")
        process = attack.start(self._port, self._seconds, report)
        for each in clients:
            each.start()
        try:
            if process is None:
                time.sleep(self._seconds)
            else:
                process.wait(self._seconds + 30)
        finally:
            if process is not None and process.poll() is None:
                process.kill()
                process.wait()
            taken = [each.stop() for each in clients]
        made, held = counts(report) if process is not None else (0, 0)
        if process is not None and (made < MADE_MIN or (attack.is_held and held < HELD_MIN)):
            raise AssertionError(f"only {made} connections, {held} at one time")
        columns = [f"{at(each, 0.5):.1f} / {at(each, 0.99):.1f} / {each[-1]:.1f}" for each in taken]
        self.rows.append(f"| {attack.name} | {made} | {held} | {len(taken[0]) + len(taken[1])} "
                         f"| {columns[0]} | {columns[1]} |")
        for each in taken:
            if attack.mode is None:
                self._bound = max(self._bound, BUSY_FACTOR * at(each, 0.99))
            if len(each) < SAMPLES_MIN or at(each, 0.99) > self._bound:
                raise AssertionError(f"{len(each)} requests, {' and '.join(columns)} ms")
        return f"{' and '.join(columns)} ms"


def at(sorted_values: list[float], share: float) -> float:
    """A quantile."""
    return sorted_values[min(len(sorted_values) - 1, int(len(sorted_values) * share))]


def counts(report: Path) -> tuple[int, int]:
    """The connections that an attack made by its last second, and the most at one time."""
    with report.with_suffix(".csv").open() as file:
        rows = [{name: int(value) for name, value in row.items()} for row in csv.DictReader(file)]
    return rows[-1]["Closed"] + rows[-1]["Connected"], max(row["Connected"] for row in rows)


async def besiege(options: argparse.Namespace, folder: Path) -> int:
    """Runs the daemon, and the attacks on it."""
    bus = Bus(options.daemon, options.store, folder, {})
    try:
        await bus.start()
        siege = Siege(doors(bus.port, folder)[0], bus.port, options.seconds, folder)
        status = await asyncio.to_thread(lambda: perform(siege.acts(), bus.log))
        await bus.stop()
    finally:
        await bus.kill()
    print("\n| attack | connections | at one time | requests | kept connection: median / 99 % / most, ms "
          "| fresh connection |\n|---|---|---|---|---|---|", *siege.rows, sep="\n", flush=True)
    return status


def main() -> int:
    """Goes through all attacks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--daemon", type=Path, default=Path(".build-static/release/belfryd"))
    parser.add_argument("--seconds", type=int, default=30, help="of each attack")
    parser.add_argument("--store", default="sqlite:PATH")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="belfry-slow-") as folder:
        return asyncio.run(besiege(options, Path(folder)))


if __name__ == "__main__":
    sys.exit(main())
