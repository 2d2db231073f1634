"""The daemon's page in Chromium, as people and strangers use it: a line for each act.

Usage: run.py --daemon PROGRAM [--act NAME]… [--seconds N] [--shots [FOLDER]] [--store memory|sqlite]
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from playwright.async_api import Error as BrowserError

import acts_crowd
import acts_follow
import acts_hostile
import acts_idle
import acts_later
import acts_places
import acts_publish
import acts_reading
import acts_rules
import acts_shots
import acts_strangers
import acts_topics
import acts_views
import acts_work
from stage import Plan, Stage, opened

Act = Callable[[Stage], Awaitable[str | None]]

ACTS: list[Act] = [
    *acts_views.ACTS, *acts_places.ACTS, *acts_topics.ACTS, *acts_publish.ACTS, *acts_work.ACTS, *acts_later.ACTS, *acts_follow.ACTS,
    *acts_reading.ACTS, *acts_rules.ACTS, *acts_hostile.ACTS, *acts_strangers.ACTS, *acts_idle.ACTS, *acts_crowd.ACTS,
]
SECONDS = 8
SHOTS = Path(".build-page/shots")
"""Beside what drives the browser: `make clean` removes it."""
ACT_SECONDS = 120
"""For an act without the time that it measures: far more than it needs on a machine that does other things too."""


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--daemon", type=Path, default=Path(".build/debug/belfryd"))
    parser.add_argument("--act", action="append", metavar="NAME",
                        help="only acts whose name begins so; may be repeated")
    parser.add_argument("--seconds", type=float, default=SECONDS,
                        help="how long frames and memory are measured; from 60 on the bounds are strict")
    parser.add_argument("--shots", type=Path, nargs="?", const=SHOTS, metavar="FOLDER",
                        help=f"take screenshots of all views, too, into {SHOTS} or the named folder")
    parser.add_argument("--store", choices=["memory", "sqlite"], default="",
                        help="where all buses keep their events, instead of where each act wants it")
    return parser.parse_args()


def chosen(names: list[str] | None, shoots: bool) -> list[Act]:
    """The acts of these names."""
    acts = [*ACTS, *(acts_shots.ACTS if shoots else [])]
    found = [act for act in acts if names is None or title(act).startswith(tuple(names))]
    if not found:
        raise SystemExit("no such act; there are: " + ", ".join(map(title, acts)))
    return found


def title(act: Act) -> str:
    """Its name, as it is typed."""
    return act.__name__.replace("_", "-")


async def perform(act: Act, stage: Stage) -> bool:
    """One act, and its line."""
    began = time.monotonic()
    figures, complaints = None, []
    try:
        async with asyncio.timeout(ACT_SECONDS + 4 * stage.plan.seconds):
            figures = await act(stage)
    except (AssertionError, BrowserError, RuntimeError, OSError, TimeoutError) as failure:
        complaints.append(f"{type(failure).__name__}: {failure}")
    complaints += await stage.clear()
    seconds = time.monotonic() - began
    print(f"{'FAILED' if complaints else 'ok':6}  {title(act):34} {seconds:5.1f} s"
          f"{f'  {figures}' if figures else ''}", flush=True)
    for complaint in complaints:
        print("        " + complaint.replace("\n", "\n        "), flush=True)
    return not complaints


async def run(options: argparse.Namespace) -> bool:
    """All that was asked for."""
    plan = Plan(options.daemon, options.store, options.seconds, options.shots)
    acts = chosen(options.act, options.shots is not None)
    async with opened(plan) as stage:
        results = [await perform(act, stage) for act in acts]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed", flush=True)
    return all(results)


if __name__ == "__main__":
    sys.exit(0 if asyncio.run(run(arguments())) else 1)
