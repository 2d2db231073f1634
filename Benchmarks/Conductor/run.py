"""A run of rows: what was asked for, the rounds, and the page of their figures."""

import argparse
import pathlib
import signal
import sys
import time

from . import curves, machine, pages, results
from .lab import Lab
from .servers import Broken


def arguments(about, every):
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="rows:\n" + "\n".join(f"  {row.name:10} {row.title}" for row in every))
    parser.add_argument("rows", nargs="*", metavar="ROW", help="rows to run instead of all")
    parser.add_argument("--rounds", type=int, default=3, help="how often, 3 if not said")
    parser.add_argument("--growth", action="store_true", help="also at other sizes, for the curves")
    parser.add_argument("--quick", action="store_true", help="one round of a tenth of the operations")
    parser.add_argument("--daemon", default=".build-static/release/belfryd", help="the daemon to measure")
    parser.add_argument("--work", default=".build-bench/peers", help="folder for what comes and goes")
    chosen = parser.parse_args()
    unknown = set(chosen.rows) - {row.name for row in every}
    if unknown:
        parser.error(f"no such row: {', '.join(sorted(unknown))}")
    return chosen


def tell(text):
    print(text, file=sys.stderr, flush=True)


def run(rows, lab, rounds):
    """Figures of each row, a list for each round; what broke, a sentence for each row."""
    figures = {row.name: [] for row in rows}
    broken = {}
    began = time.monotonic()
    for lab.round in range(rounds):
        for row in rows:
            if row.name in broken or (row.once and lab.round):
                continue
            seen = []
            try:
                for figure in row.measure(lab):
                    seen.append(figure)
                    minutes, seconds = divmod(int(time.monotonic() - began), 60)
                    tell(f"{minutes:2}:{seconds:02} round {lab.round + 1}/{rounds} {row.name:10}"
                         f" {figure.point:>8} {figure.who:24} {results.number(figure.value):>8} {figure.unit}")
            except (Broken, OSError) as reason:
                broken[row.name] = str(reason)
                tell(f"BROKEN {row.name}: {reason}")
            figures[row.name].append(seen)
    return figures, broken, time.monotonic() - began


def conduct(about, every, programs, target, peers):
    """Runs what the command line asks for, and writes its page.

    `target` is the make target, whose name the page has; `peers` says the versions of the other servers.
    """
    chosen = arguments(about, every)
    # Ends as Ctrl-C does, which stops the servers.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    lab = Lab(chosen.daemon, chosen.work, growth=chosen.growth, quick=chosen.quick)
    rows = [row for row in every if not chosen.rows or row.name in chosen.rows]
    rounds = 1 if chosen.quick else chosen.rounds
    lab.build(*programs)
    figures, broken, seconds = run(rows, lab, rounds)

    whole = len(rows) == len(every) and not chosen.quick
    folder = pages.folder(whole)
    page = folder / f"{target}.md"
    head = machine.describe(lab.daemon, rounds, seconds, peers())
    table = results.table(rows, figures, broken)
    page.write_text(results.document(target, head, rows, figures, broken, table))
    written = [page]
    if chosen.growth:
        written += curves.write(folder, target, head, rows, figures)
    print(results.summary(rows, figures, broken))
    tell("wrote " + ", ".join(str(path) for path in written))
    return 1 if broken else 0
