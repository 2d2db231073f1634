"""Programs of other people's making publish to the daemon: each event once on its topic.

Usage: run.py --daemon PROGRAM [--sender NAME]…, where port 7464 is free: scripts/recipes.
"""

import argparse
import asyncio
import fcntl
import socket
import struct
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "Tests/Senders/senders"), str(ROOT / "Tests/Interop")]

from alertmanager import Alertmanager  # noqa: E402
from apprise_json import Apprise  # noqa: E402
from cloudevents_sdk import CloudEvents  # noqa: E402
from collectd import Collectd  # noqa: E402
from page import Page  # noqa: E402
from sender import Sender  # noqa: E402
from syslog_ng import SyslogNg, SyslogNgBatch  # noqa: E402
from trial import Trial  # noqa: E402
from webhook import Webhook  # noqa: E402

KINDS: list[type[Sender]] = [
    Alertmanager, SyslogNg, SyslogNgBatch, Collectd, Apprise, Webhook, CloudEvents,
]
SIOCSIFFLAGS, IFF_UP = 0x8914, 1


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--daemon", type=Path, default=Path(".build/debug/belfryd"))
    parser.add_argument("--sender", action="append", metavar="NAME",
                        help="only programs whose name begins so; may be repeated")
    return parser.parse_args()


def chosen(names: list[str] | None) -> list[type[Sender]]:
    """The programs of these names."""
    kinds = [
        kind for kind in KINDS
        if names is None or kind.title.lower().startswith(tuple(map(str.lower, names)))
    ]
    if not kinds:
        raise SystemExit("no such program; there are: " + ", ".join(each.title for each in KINDS))
    return kinds


def switch_on_loopback() -> None:
    """A new network has it switched off."""
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", IFF_UP))


def run(daemon: Path, page: Page, kinds: list[type[Sender]], has_rules: bool) -> bool:
    """One trial; prints a line for each program."""
    start = time.monotonic()
    print("with access rules" if has_rules else "with the daemon as it comes", flush=True)
    with tempfile.TemporaryDirectory(prefix="belfry-senders-") as folder:
        cases = asyncio.run(Trial(daemon, page, Path(folder), has_rules).run(kinds))
    for case in cases:
        print(f"  {case.sender.title:36} {len(case.topic.events):6} events on {case.topic.name:12}"
              f"{'FAILED' if case.complaints else 'ok'}", flush=True)
        for complaint in case.complaints:
            print(f"    {complaint}", flush=True)
    print(f"  {time.monotonic() - start:.0f} s", flush=True)
    return not any(case.complaints for case in cases)


def main() -> int:
    """Runs all that was asked for."""
    options = arguments()
    switch_on_loopback()
    page = Page(ROOT / "docs/senders.md")
    kinds = chosen(options.sender)
    results = [
        run(options.daemon.resolve(), page, kinds, has_rules) for has_rules in (False, True)
    ]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
