"""The file of one kind: which client it was, and its heads of a publish and of a poll."""

import dataclasses
import re

from .kinds import CLIENTS, Missing
from .recorder import Recorder

TOPIC = "/topics/t0"


@dataclasses.dataclass
class Recording:
    """What a client sent: bytes of its heads, pieces of its publish, and why it is left out, or ""."""

    client: str
    publish: int
    poll: int
    pieces: int
    unfit: str
    note: str

    def __str__(self):
        if self.unfit:
            return f"{self.client}: left out, it {self.unfit}"
        return f"{self.client}: {self.publish} and {self.poll} bytes, {self.pieces} pieces{self.note}"


def pattern(request, port):
    """The head with `{target}`, `{port}` and `{length}` where a load writes its own; lines end in a line feed."""
    line, rest = request.head.decode("latin-1").split("\r\n", 1)
    method, target, version = line.split(" ")
    if method == "GET" and not re.fullmatch(re.escape(TOPIC) + r"\?since=\d+", target):
        raise Missing(f"it polls {target}")
    rest = rest.replace(f"127.0.0.1:{port}", "127.0.0.1:{port}")
    rest = re.sub(r"(?im)^(Content-Length: *)100\r$", r"\1{length}\r", rest)
    return f"{method} {{target}} {version}\r\n{rest}".replace("\r\n", "\n")


def unfit(*requests):
    """Why one of the requests has no place among those of kept connections; "" where all have."""
    for request in requests:
        if request.header("Transfer-Encoding"):
            return "sends chunks"
        if request.header("Expect"):
            return "asks with Expect before it sends the body"
        if "close" in request.header("Connection").lower():
            return f"closes each connection (`Connection: {request.header('Connection')}`)"
        if b" HTTP/1.0\r" in request.head:
            return "speaks HTTP/1.0"
    return ""


def heard(kind, scratch):
    """Runs the client: what it is, its publishes and its polls, and the port that they came to."""
    with Recorder((CLIENTS / "page.html").read_bytes()) as recorder:
        client = kind.record(recorder, f"http://127.0.0.1:{recorder.port}{TOPIC}", scratch)
        if recorder.problem:
            raise Missing(recorder.problem)
        posts = [request for request in recorder.requests if request.method == b"POST"]
        gets = [request for request in recorder.requests if request.method == b"GET"]
        if not posts or not gets:
            raise Missing(f"sent {len(posts)} publishes and {len(gets)} polls")
        return client, posts, gets, recorder.port


def record(kind, folder, scratch):
    """Runs the client, writes its file, and says what it found."""
    client, posts, gets, port = heard(kind, scratch)
    publish, poll = posts[-1], gets[-1]
    note = ""
    for what, requests in (("publish", posts), ("poll", gets)):
        if pattern(requests[0], port) != pattern(requests[-1], port):
            note += f", the first {what} differs"
    # What the kernel sends again would count as another piece.
    pieces = min(request.pieces for request in posts)
    found = Recording(client, len(publish.head), len(poll.head), pieces, unfit(publish, poll), note)
    file = folder / f"{kind.name}.txt"
    file.unlink(missing_ok=True)
    if not found.unfit:
        if publish.body != b"x" * 100:
            raise Missing(f"sent {publish.body[:200]!r}")
        file.write_text(
            f"client: {client}\npieces: {pieces}\n\n{pattern(publish, port)}{pattern(poll, port)}",
            encoding="latin-1", newline="\n")
    return found
