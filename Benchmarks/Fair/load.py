"""Many connections that one thread opens, reads, or leaves unread."""

import collections
import dataclasses
import json
import re
import select
import socket
import time
from collections.abc import Iterable

READ_BYTES = 1 << 20
LITTLE_BYTES = 4096
CONNECT_SECONDS = 60


@dataclasses.dataclass
class Wave:
    """Requests, each on a connection of its own, at most `window` of them under way.

    With `until` "head" a connection is closed once its head has come, with "end" it is read to its
    end, with "over" it is held. A held wave with `seconds` leaves after them."""

    requests: Iterable[bytes]
    window: int = 64
    until: str = "over"
    is_read: bool = True
    seconds: float | None = None


@dataclasses.dataclass
class Outcome:
    """What became of the requests. `later_bytes` came when all of a held wave were open."""

    asked: int = 0
    opened: int = 0
    whole: int = 0
    cut: int = 0
    lost: int = 0
    bytes: int = 0
    later_bytes: int = 0
    waves: int = 0
    refused: collections.Counter = dataclasses.field(default_factory=collections.Counter)

    @property
    def held(self):
        """Streams that were opened and that the daemon has not closed."""
        return self.opened - self.lost


class Connection:
    """One connection, and as much of its answer as has to be known."""

    def __init__(self, link):
        self.link = link
        self.status = 0
        self.answer = b""
        self._body = 0
        self._length = None
        self._tail = b""

    def take(self, data):
        if self.status and self.status < 300:
            self._count(data)
            return
        self.answer += data
        head, end, body = self.answer.partition(b"\r\n\r\n")
        if end and not self.status:
            self.status = int(head[9:12])
            found = re.search(rb"\r\nContent-Length: (\d+)", head)
            self._length = int(found[1]) if found else None
            self._count(body)
        elif end:
            self._count(data)

    def _count(self, data):
        self._body += len(data)
        self._tail = (self._tail + bytes(data[-5:]))[-5:]

    @property
    def is_whole(self):
        return self._tail == b"0\r\n\r\n" if self._length is None else self._body >= self._length

    @property
    def refusal(self):
        """Status and code, if the answer says in a sentence why; else the status alone."""
        try:
            said = json.loads(self.answer.partition(b"\r\n\r\n")[2])
            return f"{self.status} {said['code']}" if said["detail"] else f"{self.status}"
        except (ValueError, KeyError):
            return f"{self.status}"


class Load:
    """The connections of all waves, which come one after the other."""

    def __init__(self, port):
        self._port = port
        self._epoll = select.epoll()
        self._connections = {}
        self._buffer = memoryview(bytearray(READ_BYTES))
        self._busy = 0
        self.outcome = Outcome()

    def begin(self, wave):
        self._wave = wave
        self._left = iter(wave.requests)
        self._has_more = True

    @property
    def is_settled(self):
        """Whether all requests of the wave are answered as far as it waits for it."""
        return not self._has_more and self._busy == 0

    def turn(self):
        while self._has_more and self._busy < self._wave.window and self._open():
            pass
        for descriptor, _ in self._epoll.poll(0.05):
            if descriptor in self._connections:
                self._read(self._connections[descriptor])

    def leave(self):
        """Closes all that are there."""
        for connection in list(self._connections.values()):
            self._drop(connection)
        self._busy = 0

    def _open(self):
        """Whether there was a request, and the daemon took it."""
        request = next(self._left, None)
        if request is None:
            self._has_more = False
            return False
        self.outcome.asked += 1
        link = socket.socket()
        if not self._wave.is_read:
            link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, LITTLE_BYTES)
        link.settimeout(CONNECT_SECONDS)
        try:
            link.connect(("127.0.0.1", self._port))
            link.sendall(request)
        except OSError:
            self.outcome.cut += 1
            link.close()
            return False
        link.setblocking(False)
        self._connections[link.fileno()] = Connection(link)
        self._epoll.register(link.fileno(), select.EPOLLIN)
        self._busy += 1
        return True

    def _read(self, connection):
        try:
            count = connection.link.recv_into(self._buffer)
        except BlockingIOError:
            return
        except OSError:
            count = 0
        if count == 0:
            self._end(connection)
            return
        self.outcome.bytes += count
        self.outcome.later_bytes += count if self.is_settled else 0
        was_open = bool(connection.status)
        connection.take(self._buffer[:count])
        if not was_open and 0 < connection.status < 300:
            self._opened(connection)
        elif connection.status >= 300 and connection.is_whole:
            self.outcome.refused[connection.refusal] += 1
            self._done(connection)

    def _opened(self, connection):
        self.outcome.opened += 1
        if self._wave.until == "head":
            self._done(connection)
        elif self._wave.until == "over":
            self._busy -= 1
            if not self._wave.is_read:
                self._epoll.unregister(connection.link.fileno())

    def _end(self, connection):
        if self._wave.until == "over" and 0 < connection.status < 300:
            self.outcome.lost += 1
            self._drop(connection)
        else:
            if 0 < connection.status < 300 and connection.is_whole:
                self.outcome.whole += 1
            else:
                self.outcome.cut += 1
            self._done(connection)

    def _done(self, connection):
        self._busy -= 1
        self._drop(connection)

    def _drop(self, connection):
        del self._connections[connection.link.fileno()]
        connection.link.close()


def run_waves(waves, port, pipe):
    """Sends the waves until the other end of the pipe says something. Tells it when a wave has
    settled, and at the end the outcome. What is open then stays so as long as this process lives."""
    load = Load(port)

    def go_on(until):
        while not until():
            if pipe.poll():
                return False
            load.turn()
        return True

    for wave in waves:
        load.begin(wave)
        if not go_on(lambda: load.is_settled):
            break
        load.outcome.waves += 1
        pipe.send(None)
        if wave.until == "over":
            end = None if wave.seconds is None else time.monotonic() + wave.seconds
            if not go_on(lambda: end is not None and time.monotonic() > end):
                break
            load.leave()
    pipe.send(load.outcome)
    while True:
        time.sleep(1)
