"""A publisher, as a process of its own: many topics, then events at a steady rate over kept connections.

Usage: load.py --port PORT --topics N [--rate N]

Prints `ready` when each topic has an event, and goes on until its end. Half of the events are published one by one to topics
at random, the other half as batches to few topics, because busy buses look like that.
"""

import argparse
import random
import socket
import time

TICK_SECONDS = 0.02
HOT = 20
PIPELINED = 50
PLACES = ["hall", "roof", "cellar", "yard", "lab"]


def name(index: int) -> str:
    """The topic of this number."""
    return f"sensors.{PLACES[index % len(PLACES)]}.unit-{index:05}"


class Publisher:
    """One connection to the bus."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._input = self._socket.makefile("rb")

    def send(self, requests: list[tuple[str, bytes]]) -> None:
        """Sends these, one right behind the other, and reads all answers."""
        for begin in range(0, len(requests), PIPELINED):
            piece = requests[begin:begin + PIPELINED]
            self._socket.sendall(b"".join(self._head(path, body) + body for path, body in piece))
            for path, _ in piece:
                self._answer(path)

    def _head(self, path: str, body: bytes) -> bytes:
        return (f"POST /topics/{path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n"
                f"Content-Length: {len(body)}\r\n\r\n").encode()

    def _answer(self, path: str) -> None:
        status = self._input.readline().split()[1]
        length = 0
        while (line := self._input.readline()) != b"\r\n":
            key, _, value = line.partition(b":")
            if key.lower() == b"content-length":
                length = int(value)
        body = self._input.read(length)
        if status not in (b"200", b"201"):
            raise SystemExit(f"{path}: {status.decode()} {body.decode()}")


def tick(rate: float, topics: int, number: int, rng: random.Random) -> list[tuple[str, bytes]]:
    """What is published in one tick."""
    each = max(1, round(rate * TICK_SECONDS / 2))
    singles = [
        (name(rng.randrange(topics)), b'{"value": %.2f, "number": %d}' % (rng.gauss(20, 4), number + index))
        for index in range(each)
    ]
    lines = b"\n".join(b"line %d of something that happens often" % (number + each + index) for index in range(each))
    return [*singles, (f"{name(rng.randrange(min(HOT, topics)))}?split=lines", lines)]


def main() -> None:
    """Publishes until it is ended."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--topics", type=int, required=True)
    parser.add_argument("--rate", type=float, default=1_000)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    publisher = Publisher(options.port)
    publisher.send([(name(index), b"first") for index in range(options.topics)])
    print("ready", flush=True)
    number, due = 0, time.monotonic()
    while True:
        requests = tick(options.rate, options.topics, number, rng)
        publisher.send(requests)
        number += 2 * (len(requests) - 1)
        # One that is late does not publish faster afterwards: the rate is a bound, too.
        due = max(due + TICK_SECONDS, time.monotonic())
        time.sleep(due - time.monotonic() if due > time.monotonic() else 0)


if __name__ == "__main__":
    main()
