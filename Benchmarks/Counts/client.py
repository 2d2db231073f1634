"""A client that does one thing at a time, so that the server does the same for each operation."""

import re
import socket
import time

from Conductor.servers import Broken

UPGRADE = (b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
           b"Sec-WebSocket-Key: bWVhc3VyZWQgYXQgd29yaw==\r\n")
EVENT = b"event %07d" + b"x" * 87


class Connection:
    """A connection that knows how much of what it sent the server has read."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), 20)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.input = b""

    def send(self, target, headers=b"", body=None, version=b"1.1"):
        method, length = (b"GET", b"") if body is None else (b"POST", b"Content-Length: %d\r\n" % len(body))
        self.socket.sendall(
            b"%s %s HTTP/%s\r\nHost: 127.0.0.1\r\n%s%s\r\n%s" % (method, target, version, headers, length, body or b""))

    def read_more(self):
        try:
            got = self.socket.recv(65536)
        except TimeoutError:
            raise Broken(f"no answer on connection {self.socket.getsockname()[1]} behind {self.input[-200:]!r}") from None
        if not got:
            raise Broken(f"cut off behind {self.input[-200:]!r}")
        self.input += got

    def read_until(self, end):
        """Everything up to and with `end`; what comes behind it is kept."""
        while end not in self.input:
            self.read_more()
        taken, _, self.input = self.input.partition(end)
        return taken + end

    def read_answer(self):
        head = self.read_until(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 2"):
            raise Broken(f"refused: {head[:300]!r}")
        length = int(re.search(rb"Content-Length: (\d+)", head)[1])
        while len(self.input) < length:
            self.read_more()
        body, self.input = self.input[:length], self.input[length:]
        return head, body

    def wait_until_read(self):
        """Returns when the server has taken the request and had time to go back to its wait: else a
        publish would sometimes be seen in the same turn as the poll before it."""
        ours = "0100007F:%04X" % self.socket.getsockname()[1]
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            with open("/proc/net/tcp") as table:
                theirs = next(line.split() for line in table if line.split()[2] == ours)
            if theirs[4].endswith(":00000000"):
                time.sleep(0.002)
                return
        raise Broken("a request was not read")


class Path:
    """One way of an event through the server; `run` repeats it."""

    target, headers, version = b"/topics/t0", b"", b"1.1"
    # Whether nchan can do the same.
    nchan_can = True

    def __init__(self, port):
        self.publisher = Connection(port)
        self.count = 0

    def publish(self):
        self.count += 1
        event = EVENT % self.count
        self.publisher.send(self.target, self.headers, event, self.version)
        self.answer = self.publisher.read_answer()
        return event

    def run(self, operations):
        for _ in range(operations):
            self.publish()


class TracedPath(Path):
    """What clients do that trace their requests."""

    @property
    def headers(self):
        return b"traceparent: 00-%032x-%016x-01\r\n" % (self.count * 2654435761, self.count)


class ParsedPath(Path):
    """What clients do that give each request an id: no head comes twice."""

    @property
    def headers(self):
        return b"X-Request-Id: %016x\r\n" % (self.count * 2654435761)


class NewConnection(Path):
    """What each `curl` does."""

    def __init__(self, port):
        self.port = port
        self.count = 0

    def publish(self):
        self.publisher = Connection(self.port)
        event = super().publish()
        self.end()
        self.publisher.socket.close()
        return event

    def end(self):
        """Waits for the server's end of a connection that it closes."""


class ClosedConnection(NewConnection):
    """What clients do that ask for the connection to be closed."""

    headers = b"Connection: close\r\n"

    def end(self):
        if self.publisher.socket.recv(1):
            raise Broken("an answer too many")


class OldConnection(ClosedConnection):
    """What `ab` does."""

    headers, version = b"", b"1.0"


class LongPoll(Path):
    """What clients do that get each event, from a cursor on."""

    def __init__(self, port):
        super().__init__(port)
        self.subscriber = Connection(port)
        # The event that it begins behind.
        super().publish()
        self.ask(b"?since=" + re.search(rb"Event-ID: (\d+)", self.answer[0])[1])

    def ask(self, query):
        self.subscriber.send(b"/topics/t0" + query)
        self.subscriber.wait_until_read()

    def run(self, operations):
        for _ in range(operations):
            event = self.publish()
            head, body = self.subscriber.read_answer()
            if body != event:
                raise Broken(f"{body!r} is not what was published")
            self.ask(b"?since=" + re.search(rb"Event-Cursor: (\d+)", head)[1])


class NewPoll(LongPoll):
    """What a `curl` does that waits for one event: the next, so that it gets nothing of what came before it."""

    def publish(self):
        """Publishes again as long as nobody waits yet: a request can still be on its way though nothing of it is unread."""
        for _ in range(100):
            event = super().publish()
            if b'"subscribers":0' not in self.answer[1]:
                return event
        raise Broken("nobody waits for what is published")

    def ask(self, query):
        last = self.subscriber.socket
        self.subscriber = Connection(last.getpeername()[1])
        last.close()
        super().ask(b"")


class Stream(Path):
    """Ten subscribers of a stream, so that what is done once for an event weighs little."""

    subscribers = 10
    query, accept = b"", b"Accept: text/event-stream\r\n"

    def __init__(self, port):
        super().__init__(port)
        self.streams = [Connection(port) for _ in range(self.subscribers)]
        for stream in self.streams:
            stream.send(b"/topics/t0" + self.query, self.accept)
            stream.read_until(b"\r\n\r\n")

    def run(self, operations):
        for _ in range(operations):
            event = self.publish()
            for stream in self.streams:
                stream.read_until(event)


class WebSocket(Stream):
    query, accept = b"?as=raw", UPGRADE


def at_nchan(path):
    """The same at nchan, whose topics are elsewhere."""
    return type(path.__name__, (path,), {"target": b"/pub/t0"})


class NextJob(Path):
    """What a worker does: it settles its job and takes the next one, which is there."""

    # As many as are taken at the most.
    jobs = 2_000
    nchan_can = False

    def __init__(self, port):
        super().__init__(port)
        # In one request, so that a life has few waits of its own.
        events = b"\n".join(EVENT % count for count in range(self.jobs))
        self.publisher.send(b"/topics/t0?split=lines", b"", events)
        self.publisher.read_answer()
        self.settlement = b""
        # The first makes the group.
        self.run(1)

    def run(self, operations):
        for _ in range(operations):
            self.publisher.send(
                b"/groups/g/next?of=t0&worker=w%s" % self.settlement, self.headers, b"", self.version)
            head, _ = self.publisher.read_answer()
            self.settlement = b"&done=" + re.search(rb"Work-Lease: (\S+)", head)[1]


# Name, what is done, and how many deliveries each publish makes.
PATHS = {
    "publish": (Path, 0),
    "publish, traced": (TracedPath, 0),
    "publish, parsed": (ParsedPath, 0),
    "new connection": (NewConnection, 0),
    "new, close": (ClosedConnection, 0),
    "new, HTTP/1.0": (OldConnection, 0),
    "long poll": (LongPoll, 1),
    "poll, new connection": (NewPoll, 1),
    "next job": (NextJob, 0),
    "event stream": (Stream, Stream.subscribers),
    "WebSocket": (WebSocket, WebSocket.subscribers),
}
