"""The ordinary client beside an attack: it publishes and looks at /healthz, on a new connection and on
a kept one, by a timetable.

A request that is due while the one before it waits counts from when it was due: whoever waits is not
fewer people for it."""

import array
import dataclasses
import multiprocessing
import re
import socket
import time

from Conductor.servers import Broken

REQUESTS_PER_SECOND = 100  # of each kind
ANSWER_SECONDS = 60
GRACE_SECONDS = 10  # for what was due before the end; then it counts with what it has waited
PAYLOAD = b"an ordinary event of about a hundred bytes, as there are many of them: %07d " + b"x" * 24


@dataclasses.dataclass(frozen=True)
class Kind:
    """What one process of the client does again and again."""

    name: str
    is_fresh: bool
    path: str
    status: int
    is_ordinary: bool = True

    def request(self, serial):
        if self.status == 200:
            return b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % self.path.encode()
        body = PAYLOAD % serial
        path = self.path.replace("SERIAL", str(serial)).encode()
        return b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s" % (path, len(body), body)


ORDINARY = (
    Kind("publish", False, "/topics/ordinary", 201), Kind("publish, new connection", True, "/topics/ordinary", 201),
    Kind("healthz", False, "/healthz", 200), Kind("healthz, new connection", True, "/healthz", 200),
)
NEW_TOPICS = Kind("publish to a new topic", False, "/topics/fresh.SERIAL", 201, is_ordinary=False)


class Line:
    """A connection, kept unless it failed."""

    def __init__(self, port):
        self._port = port
        self._socket = None

    def ask(self, request):
        """The status and the body of the answer."""
        if self._socket is None:
            self._socket = socket.create_connection(("127.0.0.1", self._port), ANSWER_SECONDS)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.sendall(request)
        got = b""
        while (end := got.find(b"\r\n\r\n")) < 0 or len(got) < end + 4 + self._length(got[:end]):
            more = self._socket.recv(65536)
            if not more:
                raise ConnectionError(f"closed behind {got[:80]!r}")
            got += more
        return int(got[9:12]), got[end + 4:]

    @staticmethod
    def _length(head):
        found = re.search(rb"\r\nContent-Length: (\d+)", head)
        return int(found[1]) if found else 0

    def close(self):
        if self._socket is not None:
            self._socket.close()
            self._socket = None


class Client:
    """A process for each kind. `stop` has what every request took, in milliseconds, from the
    shortest on, by kind, and the complaints."""

    def __init__(self, port, kinds=ORDINARY, serial=0):
        self._end = multiprocessing.Value("d", 0.0)
        self._processes = []
        for kind in kinds:
            ours, theirs = multiprocessing.Pipe()
            process = multiprocessing.Process(target=self._work, args=(port, kind, serial, theirs), daemon=True)
            self._processes.append((kind, process, ours))

    def __enter__(self):
        for _, process, _ in self._processes:
            process.start()
        return self

    def __exit__(self, *_):
        for _, process, _ in self._processes:
            process.kill()
            process.join()

    def stop(self):
        self._end.value = time.monotonic()
        taken, complaints = {}, []
        for kind, _, pipe in self._processes:
            if not pipe.poll(2 * ANSWER_SECONDS + GRACE_SECONDS):
                raise Broken(f"the client does not end: {kind.name}")
            milliseconds, said = pipe.recv()
            taken[kind] = sorted(milliseconds)
            complaints += [f"{kind.name}: {sentence}" for sentence in said]
        return taken, complaints

    def _work(self, port, kind, serial, pipe):
        line, taken, complaints = Line(port), array.array("d"), []
        due = time.monotonic()
        while not (end := self._end.value) or due < end:
            if not end or time.monotonic() < end + GRACE_SECONDS:
                due, serial = self._wait(due), serial + 1
                try:
                    status, body = line.ask(kind.request(serial))
                    if status != kind.status:
                        complaints.append(f"{status} {body[:200].decode(errors='replace')}")
                except (OSError, ValueError) as error:
                    complaints.append(f"{type(error).__name__}: {error}")
                    line.close()
                if kind.is_fresh:
                    line.close()
            taken.append((time.monotonic() - due) * 1_000)
            due += 1 / REQUESTS_PER_SECOND
        line.close()
        pipe.send((taken, complaints))

    @staticmethod
    def _wait(due):
        """Sleeps until a request is due. Its time runs from then, or from a late awakening."""
        left = due - time.monotonic()
        if left <= 0:
            return due
        time.sleep(left)
        return time.monotonic()
