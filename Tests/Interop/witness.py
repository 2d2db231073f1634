"""Between a browser and the bus: passes everything on, and keeps what was asked and answered."""

import contextlib
import re
import socket
import threading
from dataclasses import dataclass, field

# Not at the beginning of a line: a request follows the body of the last.
REQUEST = re.compile(rb"(GET|HEAD|POST|PUT|DELETE|OPTIONS) (/\S*) HTTP/1\.1\r\n")
ANSWER = re.compile(rb"HTTP/1\.1 (\d{3}) ")


BAIT = b"GET /page "
PAGE = (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n"
        b"<!doctype html><title>A page</title><body>")
"""What somebody else served under the name before he let it lead here."""


@dataclass
class Talk:
    """What went over one connection, both ways."""

    asked: bytearray = field(default_factory=bytearray)
    answered: bytearray = field(default_factory=bytearray)

    def exchanges(self) -> list[tuple[str, str, int]]:
        """Method, target and status of each request; 0 for one without an answer."""
        statuses = [int(each) for each in ANSWER.findall(bytes(self.answered)) if each != b"100"]
        requests = REQUEST.findall(bytes(self.asked))
        statuses += [0] * (len(requests) - len(statuses))
        return [
            (method.decode(), target.decode(), status)
            for (method, target), status in zip(requests, statuses, strict=True)
        ]


class Witness:
    """A port in front of the bus."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.target = 0
        self._talks: list[Talk] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def exchanges(self) -> list[tuple[str, str, int]]:
        """All that was asked by now."""
        return [exchange for talk in list(self._talks) for exchange in talk.exchanges()]

    def close(self) -> None:
        """Takes no more connections."""
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client:
            if client.recv(len(BAIT), socket.MSG_PEEK) == BAIT:
                client.recv(65_536)
                client.sendall(PAGE)
                return
            talk = Talk()
            self._talks.append(talk)
            with socket.create_connection(("127.0.0.1", self.target)) as bus:
                way_back = threading.Thread(
                    target=self._pass_on, args=(bus, client, talk.answered), daemon=True)
                way_back.start()
                self._pass_on(client, bus, talk.asked)
                way_back.join()

    @staticmethod
    def _pass_on(source: socket.socket, sink: socket.socket, record: bytearray) -> None:
        try:
            while data := source.recv(65_536):
                record += data
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            for each in (source, sink):
                with contextlib.suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
