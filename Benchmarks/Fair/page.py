"""The page of a run of attacks: the aims first, then what the client saw."""

from Conductor import machine

from .attack import MEGABYTE, share
from .daemon import longest_turn

HEAD = """# Beside one greedy user

One user does what the limits allow, and an ordinary client beside it publishes and asks for `/healthz`. It makes 400 requests a
second by a timetable, half of them on new connections. A request that is due while another one waits counts from when it was due.
Its times are compared with those without the attack, on the same daemon just before. The daemon has its default configuration,
except for what an attack needs.

Written by `nice -n -15 make fair`; `docs/PERFORMANCE.md` says how. The attack's own client gives way to the
others, because the processors are what they share.
"""


def number(value):
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}"


def judged(result):
    """Each figure of a row with an aim, as text: name, value, bound, and whether it is met."""
    for figure in result.attack.figures(result.seen):
        bound = f"≤ {number(figure.at_most)}" if figure.at_most is not None else f"≥ {number(figure.at_least)}"
        yield figure, number(figure.value), bound, "met" if figure.is_met else "**missed**"


def aims(results):
    lines = ["| Attack | Store | Figure | Found | Aim | |", "|---|---|---|---:|---:|---|"]
    for result in results:
        row = f"| {result.attack.name} | {result.store} |"
        if result.broken:
            lines.append(f"{row} | | | **not measured**: {result.broken} |".replace("\n", " "))
            continue
        for figure, value, bound, state in judged(result):
            lines.append(f"{row} {figure.name} | {value} | {bound} | {state} |")
    return "\n".join(lines)


def times(seen, of):
    sorted_times = seen.times(of)
    return " / ".join(number(value) for value in (share(sorted_times, 0.5), share(sorted_times, 0.999), sorted_times[-1]))


def turn(seen):
    lower, upper = longest_turn(seen.before, seen.after)
    return f"{number(lower)} to {number(upper)}"


def observations(results):
    lines = ["| Attack | Store | It ran | Requests of the client (refused) | Without: median / 99.9 % / most, ms | Beside it |"
             " Longest turn, ms | Loop | CPU (waited) |"
             " Resident at most, MiB |", "|---|---|---|---:|---|---|---|---:|---:|---:|"]
    for result in results:
        if result.broken:
            continue
        seen = result.seen
        count = f"{len(seen.times(seen.beside)):,} ({len(seen.beside[1])})"
        lines.append(
            f"| {result.attack.name} | {result.store} | {seen.seconds:.0f} s: {result.attack.running(seen)} | {count} |"
            f" {times(seen, seen.baseline)} | {times(seen, seen.beside)} | {turn(seen)} | {seen.busy:.0%} |"
            f" {seen.cpu:.0%} ({seen.waited:.0%}) |"
            f" {number(seen.peak_bytes / MEGABYTE)} |")
    return "\n".join(lines)


def document(facts, results):
    titles = {result.attack.name: result.attack.title for result in results}
    attacks = "\n".join(f"| {name} | {title} |" for name, title in titles.items())
    parts = [
        HEAD, machine.listed(facts),
        "## Attacks", f"| Attack | What it does |\n|---|---|\n{attacks}",
        "## Aims",
        "The longest turn of the loop is the upper bound of its bucket in `belfry_http_loop_turn_seconds`. The bucket around 10 ms is"
        " decided by the client's longest request.", aims(results),
        "## What the client saw",
        "*Refused* are requests of the client without the answer that it has otherwise. *Loop* is the share of time that the"
        " event loop spent in its turns. *CPU* is the daemon's processor time, and *waited* the time in which its threads"
        " were ready and other programs had the processors.",
        observations(results),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def summary(result):
    """Lines for the terminal."""
    head = f"{result.attack.name:10} {result.store:6} "
    if result.broken:
        return f"{head} NOT MEASURED: {result.broken}"
    return "\n".join(
        f"{head} {figure.name:45} {value:>9} {bound:>9} {state.strip('*')}" for figure, value, bound, state in judged(result))
