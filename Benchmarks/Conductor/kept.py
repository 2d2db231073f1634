"""The page of a benchmark that prints its tables."""

import subprocess
import sys
import time

from . import machine, pages

PAGE = """# Measured

Written by `make {name}`; `docs/PERFORMANCE.md` says how to compare figures.

{head}

{text}
"""


def header(columns):
    """The first two lines of a table with these columns, which `|` separates."""
    return f"| {columns} |\n|{'---|' * (columns.count('|') + 1)}\n"


def keep(name, command, columns=""):
    """Runs the command, shows what it prints, and writes that as the page of the target; its status.

    With columns only the rows of tables are shown and kept, below them, and all lines of a command that fails.
    No page is written then: that of the run before stays.
    """
    began = time.monotonic()
    seen, shown = [], []

    def show(line):
        shown.append(line)
        print(line, end="", flush=True)

    with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT if columns else None,
            text=True, errors="replace") as running:
        for line in running.stdout:
            seen.append(line)
            if columns and line.startswith("|") and not shown:
                show(header(columns))
            if not columns or line.startswith("|"):
                show(line)
    if running.returncode:
        if columns:
            print(*seen, sep="", end="")
        return 1
    facts = [machine.moment("one run", time.monotonic() - began), machine.host(), machine.commit()]
    page = pages.folder() / f"{name}.md"
    page.write_text(PAGE.format(name=name, head=machine.listed(facts), text="".join(shown).strip()))
    print(f"wrote {page}", file=sys.stderr)
    return 0
