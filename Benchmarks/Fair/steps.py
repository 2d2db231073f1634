"""The short form: small attacks, and steps of turns instead of time."""

import re
import time

from Conductor.servers import Broken

from .attack import MEGABYTE
from .client import Client
from .daemon import Daemon
from .trial import AttackProcess, go_on

SECONDS = 1.5  # of an attack once it is complete
LIMIT_SECONDS = 30
GONE_SECONDS = 10  # until nothing counts of those who have gone
STORE = "memory"
HIGHEST, BOUND, TURNS = "belfry_turn_steps_highest", "belfry_turn_steps_bound", "belfry_turns_total"
UNSENT = 'belfry_memory_bytes{use="unsent"}'


def by_kind(scrape, family):
    """The values of a family, by kind of work."""
    found = {re.fullmatch(family + r'\{kind="(.*)"\}', name): value for name, value in scrape.figures.items()}
    return {match[1]: value for match, value in found.items() if match}


def objections(attack, before, after):
    """What is not as it has to be: a turn that did too much, of one kind or of all, or work that the attack was to cause."""
    highest, bound = by_kind(after, HIGHEST), by_kind(after, BOUND)
    if not bound or highest.keys() != bound.keys():
        yield f"{HIGHEST} and {BOUND} do not have the same kinds"
    for kind in highest.keys() & bound.keys():
        if highest[kind] > bound[kind]:
            yield f"a turn took {highest[kind]:,.0f} steps of {kind}, {bound[kind]:,.0f} are its bound"
    turns, earlier = by_kind(after, TURNS), by_kind(before, TURNS)
    for kind in attack.works:
        if turns.get(kind, 0) <= earlier.get(kind, 0):
            yield f"the attack was none: no turn had {kind}"


def memory_objections(daemon):
    """What is not as it has to be once all have gone: more was resident than is promised, or answers still count."""
    if daemon.peak_bytes() > daemon.bound_bytes:
        yield f"{daemon.peak_bytes() / MEGABYTE:.0f} MiB were resident, {daemon.bound_bytes / MEGABYTE:.0f} are the bound"
    end = time.monotonic() + GONE_SECONDS
    while unsent := daemon.scrape().figures[UNSENT]:
        if time.monotonic() > end:
            yield f"{unsent:,.0f} bytes of answers count although nobody is left"
            break
        time.sleep(0.1)


def run(attack, folder, binary):
    """Attacks a daemon of its own in small. Returns the figures of the daemon."""
    attack.shrink()
    with Daemon(folder, binary, STORE, attack.settings) as daemon:
        attack.prepare(daemon)
        before = daemon.scrape()
        daemon.forget_peak()
        with Client(daemon.port, attack.kinds) as client, AttackProcess(attack, daemon.port) as process:
            go_on(attack, daemon, process, SECONDS, time.monotonic() + LIMIT_SECONDS)
            client.stop()
            process.stop()
            after = daemon.scrape()
            if process.outcome.asked == 0 or process.waves < attack.waves_min:
                raise Broken(f"only {process.waves} of {attack.waves_min} waves settled")
        said = [*objections(attack, before, after), *memory_objections(daemon)]
    if said:
        raise Broken("; ".join(said))
    return after


def summary(attack, figures):
    """A line for the terminal."""
    bound = by_kind(figures, BOUND)
    kinds = (f"{kind} {steps:,.0f}/{bound[kind]:,.0f}" for kind, steps in sorted(by_kind(figures, HIGHEST).items()) if steps)
    return f"{attack.name:10} {', '.join(kinds)}"
