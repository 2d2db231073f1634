"""Events that are there before an attack begins."""

import itertools
import socket

from Conductor.servers import Broken

LINES = 16
TOGETHER = 50  # requests that are sent before their answers are read
ANSWER_SECONDS = 60


def fill(port, requests):
    """Publishes them. `requests` are a target and a body each, perhaps with headers."""
    links = [socket.create_connection(("127.0.0.1", port), ANSWER_SECONDS) for _ in range(LINES)]
    requests = iter(requests)
    try:
        while any(counts := [_send(link, requests) for link in links]):
            for link, count in zip(links, counts):
                _read(link, count)
    finally:
        for link in links:
            link.close()


def _send(link, requests):
    parts = []
    for target, body, *headers in itertools.islice(requests, TOGETHER):
        parts.append(
            b"POST %s HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: %d\r\n\r\n%s"
            % (target, b"".join(headers), len(body), body))
    link.sendall(b"".join(parts))
    return len(parts)


def _read(link, count):
    got = b""
    # Those that are held are 202.
    while got.count(b"HTTP/1.1 20") < count or not got.endswith(b"}\n"):
        if count == 0:
            return
        more = link.recv(1 << 18)
        if not more or b"HTTP/1.1 4" in got or b"HTTP/1.1 5" in got:
            raise Broken(f"an event before the attack was not taken: {got[-300:]!r}")
        got += more
