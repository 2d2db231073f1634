"""Proxies by others before the daemon, each set up by its file of proxies/ and by docs/proxies.md.

Usage: run.py --daemon PROGRAM [--proxy NAME]…, in a mount namespace of its own: scripts/recipes.
"""

import argparse
import asyncio
import fcntl
import re
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "Tests/Senders"), str(ROOT / "Tests/Interop")]

from bus import Bus  # noqa: E402
from checks import Checks  # noqa: E402
from client import PORT, Client  # noqa: E402
from proxies import CERTIFICATE, KINDS, SOCKET, Proxy  # noqa: E402
from sender import listens  # noqa: E402

PAGE = ROOT / "docs/proxies.md"
BUS_PORT = 7464
PREFIX = "/bus"
LOG_CHARACTERS = 2_000
PORTS = Path("/proc/sys/net/ipv4/ip_unprivileged_port_start")
SIOCSIFFLAGS, IFF_UP = 0x8914, 1


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--daemon", type=Path, default=Path(".build/debug/belfryd"))
    parser.add_argument("--proxy", action="append", metavar="NAME",
                        help="only proxies whose name begins so; may be repeated")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--below", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def chosen(names: list[str] | None) -> list[type[Proxy]]:
    """The proxies of these names."""
    kinds = [
        kind for kind in KINDS
        if names is None or kind.name.lower().startswith(tuple(map(str.lower, names)))
    ]
    if not kinds:
        raise SystemExit("no such proxy; there are: " + ", ".join(kind.name for kind in KINDS))
    return kinds


def make_certificate(file: Path) -> None:
    """A key and a certificate of the name, in one file."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
         "-subj", "/CN=bus.example", "-addext", "subjectAltName=DNS:bus.example",
         "-keyout", file.with_suffix(".key"), "-out", file], check=True, capture_output=True)
    with file.open("ab") as pem:
        pem.write(file.with_suffix(".key").read_bytes())


def blocks(language: str) -> list[str]:
    """The fenced blocks of the page."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def replaced(kind: type[Proxy]) -> list[tuple[str, str]]:
    """What the page writes into the file of a proxy that shows the bus below a path."""
    rows = re.findall(r"^\| (\w+) \| `(.*)` \| `(.*)` \|$", PAGE.read_text(), re.MULTILINE)
    pieces = [(piece, other) for name, piece, other in rows if name == kind.name]
    if not pieces:
        raise RuntimeError(f"docs/proxies.md does not say how {kind.name} keeps a path")
    return pieces


async def complaints(
    daemon: Path, kind: type[Proxy], folder: Path, is_below: bool,
) -> list[str]:
    """What is wrong behind one proxy."""
    folder.chmod(0o755)  # Apache is another user
    certificate = folder / Path(CERTIFICATE).name
    make_certificate(certificate)
    made = subprocess.run(
        [daemon, "--make-token", "web"], capture_output=True, text=True, check=True)
    token, line = made.stdout.splitlines()
    tokens = folder / "tokens"
    tokens.touch(mode=0o600)
    tokens.write_text(line + "\n")
    (folder / "belfryd.conf").write_text("\n".join(blocks("ini")[:2 if is_below else 1]))
    bus = Bus(daemon, "memory", folder, {"BELFRY_ACCESS_TOKENS": str(tokens)})
    bus.options = ["--listen", f"unix:{folder / Path(SOCKET).name}"]
    bus.port = BUS_PORT
    proxy = kind(folder, replaced(kind) if is_below else [])
    program = proxy.program()
    try:
        await bus.start()
        await program.start(lambda: listens(PORT))
        checks = Checks(
            Client(certificate, token, PREFIX if is_below else ""), certificate, token, kind)
        found = await asyncio.to_thread(checks.complaints)
    finally:
        await program.stop()
        await bus.kill()
    return found + ([proxy.log.read_text(errors="replace")[-LOG_CHARACTERS:]] if found else [])


def run_here(daemon: Path, kind: type[Proxy], is_below: bool) -> bool:
    """One proxy, on a loopback of its own; prints a line for it."""
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", IFF_UP))
    PORTS.write_text("0")  # no proxy has to be root for its port
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="belfry-proxies-") as folder:
        found = asyncio.run(complaints(daemon, kind, Path(folder), is_below))
    name = kind.name + (f", {PREFIX}" if is_below else "")
    lines = [f"  {name:14} {time.monotonic() - start:4.0f} s  {'FAILED' if found else 'ok'}"]
    print("\n".join(lines + [f"    {complaint}" for complaint in found]), flush=True)
    return not found


def main() -> int:
    """Runs all that was asked for, at once, as each of them wants the same port."""
    options = arguments()
    daemon = options.daemon.resolve()
    kinds = chosen(options.proxy)
    if options.here:
        return 0 if run_here(daemon, kinds[0], options.below) else 1
    print("behind proxies", flush=True)
    runs = [
        subprocess.Popen(["unshare", "--net", sys.executable, "-B", __file__, "--here",
                          "--daemon", daemon, "--proxy", kind.name, *below])
        for kind in kinds for below in ([], ["--below"])
    ]
    return max([run.wait() for run in runs])


if __name__ == "__main__":
    sys.exit(main())
