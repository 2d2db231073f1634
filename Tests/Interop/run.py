"""Clients nobody here wrote, against the daemon: every event once, in order, or its loss told.

Usage: run.py [--client NAME]… [--store memory|sqlite:PATH]… [--daemon PROGRAM] [--seed N]
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from checker import Verdict
from readers import ROWS, Row
from scenario import Plan, Scenario

EVENTS = 10_000
STORES = ["memory", "sqlite:PATH"]
RATE = 800.0


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--client", action="append", metavar="NAME",
                        help="only clients whose name begins so; may be repeated")
    parser.add_argument("--store", action="append", metavar="STORE",
                        help="memory, or sqlite:PATH with that word; else both, one by one")
    parser.add_argument("--daemon", type=Path, default=Path(".build/debug/belfryd"))
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument("--rate", type=float, default=RATE, help="published in a second")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    return parser.parse_args()


def rows(names: list[str] | None) -> list[Row]:
    """The clients of these names."""
    chosen = [row for row in ROWS if names is None or row.name.startswith(tuple(names))]
    if not chosen:
        raise SystemExit("no such client; there are: " + ", ".join(row.name for row in ROWS))
    return chosen


def run(plan: Plan, chosen: list[Row]) -> bool:
    """One run; prints a line for each client."""
    start = time.monotonic()
    print(f"store {plan.store}, seed {plan.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="belfry-interop-") as folder:
        scenario = Scenario(plan, chosen, Path(folder))
        is_run = False
        try:
            asyncio.run(scenario.run())
            is_run = True
        except* (RuntimeError, TimeoutError, OSError) as failures:
            for failure in leaves(failures):
                print(f"  {type(failure).__name__}: {failure}", flush=True)
        if not is_run:
            return False
        verdicts = scenario.check()
        for reader, verdict in zip(scenario.readers, verdicts, strict=True):
            print_verdict(reader.row, reader.cuts, verdict)
        seconds = time.monotonic() - start
        print(f"  {scenario.refusals} refusals and {scenario.unknown} events without an answer "
              f"while publishing; {seconds:.0f} s", flush=True)
        if not all(not verdict.complaints for verdict in verdicts):
            return False
        if not scenario.is_tampering_found():
            print("  the check passes for deliveries that were made wrong", flush=True)
            return False
        return True


def leaves(group: BaseExceptionGroup) -> Iterator[BaseException]:
    """The failures themselves."""
    for failure in group.exceptions:
        if isinstance(failure, BaseExceptionGroup):
            yield from leaves(failure)
        else:
            yield failure


def print_verdict(row: Row, cuts: int, verdict: Verdict) -> None:
    """The line of one client, and what is wrong with it."""
    print(f"  {row.name:20} published {verdict.published:6}  received {verdict.received:6}  "
          f"lost {verdict.lost:5} in {verdict.gaps} gaps  cut off {cuts:3} times  "
          f"{'FAILED' if verdict.complaints else 'ok'}", flush=True)
    for complaint in verdict.complaints:
        print(f"    {complaint}", flush=True)


def main() -> int:
    """Runs all that was asked for."""
    options = arguments()
    chosen = rows(options.client)
    results = [
        run(Plan(options.daemon, store, options.events, options.rate, options.seed), chosen)
        for store in options.store or STORES
    ]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
