"""curl: polls and streams, each a process of its own, coming back with since=."""

import json
import subprocess
import sys
from collections.abc import Callable

import tell
from eventstream import EventStream


class Curl:
    """One curl, its head read, its body to be read."""

    def __init__(self, *arguments: str) -> None:
        # Not --fail: what is not 200 is told with its body.
        self.process = subprocess.Popen(
            ["curl", "--silent", "--show-error", "--no-buffer", "--include", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert self.process.stdout is not None
        self.body = self.process.stdout
        self.status, self.headers = self._head()

    def __enter__(self) -> "Curl":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def finish(self) -> None:
        """Waits for the end. Raises EOFError when curl did not get all of the answer."""
        _, complaint = self.process.communicate()
        if self.process.returncode != 0:
            raise EOFError(f"curl {self.process.returncode}: {complaint.decode().strip()}")

    def _head(self) -> tuple[int, dict[str, str]]:
        status_line = self.body.readline().split()
        headers: dict[str, str] = {}
        while (line := self.body.readline()) not in (b"\r\n", b""):
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        if not line:
            # To curl a head that was cut off by a FIN is a whole one.
            self.finish()
            raise EOFError("the head was cut off")
        return int(status_line[1]), headers


def poll_json(curl: Curl) -> str:
    """The body of one JSON poll; returns its cursor."""
    text = curl.body.read()
    curl.finish()
    answer = json.loads(text)
    if answer["gap"] is not None:
        tell.gap(answer["gap"])
    for event in answer["events"]:
        tell.envelope(event)
    return str(answer["cursor"])


def stream_lines(curl: Curl, cursor: str) -> str:
    """Lines of JSON to their end; returns the last cursor. A line without its end is no line."""
    for line in curl.body:
        if not line.endswith(b"\n") or line == b"\n":
            continue
        of = json.loads(line)
        if "cursor" in of:
            cursor = of["cursor"]
        elif "gap" in of:
            tell.gap(of["gap"])
        else:
            cursor = of["id"]
            tell.envelope(of)
    return cursor


def stream_events(curl: Curl, cursor: str) -> str:
    """An event stream to its end; returns the last id."""
    stream = EventStream(tell.has_envelopes(ADDRESS), last_id=cursor)
    for line in curl.body:
        if line.endswith(b"\n"):
            stream.line(line[:-1].decode())
    return stream.last_id or cursor


def events() -> str:
    """What an event stream is asked with."""
    return "sse" + "".join(f"&{name}={value}" for name, value in tell.naming(ADDRESS).items())


def follow_polls() -> None:
    """Goes on from one poll to the next; the first is for the cursor alone."""
    cursor, wait = "now", 0
    while True:
        try:
            with answered(f"json&wait={wait}", cursor) as curl:
                tell.opened(curl.headers["event-cursor"])
                cursor, wait = poll_json(curl), 30
        except EOFError as reason:
            tell.cut(reason)


def follow_streams(form: str, read: Callable[[Curl, str], str], *arguments: str) -> None:
    """Goes on from one stream to the next."""
    cursor = "now"
    while True:
        try:
            with answered(form, cursor, *arguments) as curl:
                cursor = curl.headers["event-cursor"]
                tell.opened(cursor)
                cursor = read(curl, cursor)
                curl.finish()
            raise EOFError("the stream ended")
        except EOFError as reason:
            tell.cut(reason)


def answered(form: str, cursor: str, *arguments: str) -> Curl:
    """A curl that was answered 200."""
    curl = Curl(f"{ADDRESS}?as={form}&since={cursor}", *arguments)
    if curl.status != 200:
        with curl:
            raise EOFError(f"{curl.status}: {curl.body.read()!r}")
    return curl


FORMS: dict[str, Callable[[], None]] = {
    "json": follow_polls,
    "ndjson": lambda: follow_streams("ndjson", stream_lines),
    "sse": lambda: follow_streams(events(), stream_events),
    "sse-1.0": lambda: follow_streams(events(), stream_events, "--http1.0"),
}

ADDRESS = sys.argv[1]
tell.until_the_end(FORMS[sys.argv[2]])
