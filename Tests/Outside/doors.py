"""The ways into the bus, and one request through them."""

import http.client
import json
import socket
from dataclasses import dataclass
from pathlib import Path

ANSWER_SECONDS = 30


@dataclass(frozen=True)
class Door:
    """An address of the bus."""

    name: str
    family: socket.AddressFamily
    address: tuple[str, int] | str
    host: str

    def knock(self) -> socket.socket:
        """A new connection."""
        link = socket.socket(self.family, socket.SOCK_STREAM)
        link.settimeout(ANSWER_SECONDS)
        if self.family != socket.AF_UNIX:
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            link.connect(self.address)
        except OSError:
            link.close()
            raise
        return link

    def ask(
        self, method: str, target: str, body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> "Answer":
        """One request on a connection of its own."""
        line = Line(self)
        try:
            line.open()
            return line.ask(method, target, body, headers)
        finally:
            line.close()


def doors(port: int, unix_socket: Path) -> list[Door]:
    """Those of a bus at this port of both loopback addresses, and at this socket."""
    return [
        Door("tcp4", socket.AF_INET, ("127.0.0.1", port), f"127.0.0.1:{port}"),
        Door("tcp6", socket.AF_INET6, ("::1", port), f"[::1]:{port}"),
        Door("unix", socket.AF_UNIX, str(unix_socket), "localhost"),
    ]


@dataclass(frozen=True)
class Answer:
    """What the bus answered."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    def json(self) -> dict:
        """The body."""
        return json.loads(self.body)

    @property
    def is_draining(self) -> bool:
        """Whether the bus says that it is being stopped."""
        return self.status == 503 and self.json()["code"] == "DRAINING"


class NoAnswer(Exception):
    """The connection ended in place of an answer."""


class Line:
    """A connection that is kept as long as the bus keeps it."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._http: http.client.HTTPConnection | None = None

    @property
    def is_open(self) -> bool:
        """Whether it is there, as far as is known."""
        return self._http is not None and self._http.sock is not None

    def open(self) -> None:
        """Connects. Raises OSError where that is refused."""
        self._http = http.client.HTTPConnection(self._door.host)
        self._http.sock = self._door.knock()

    def ask(
        self, method: str, target: str, body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """A request and its answer."""
        assert self._http is not None
        try:
            self._http.request(
                method, target, body, {"Host": self._door.host} | (headers or {}))
            answer = self._http.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise NoAnswer(f"{type(error).__name__}: {error}") from error

    def close(self) -> None:
        """Ends it."""
        if self._http is not None:
            self._http.close()

