"""What one user may have the bus remember: keys of publishes, and events for later."""

import itertools

from .attack import Attack
from .load import Wave
from .waiting import get

CLOSE = "Connection: close\r\n"
# Three quarters of what the bus keeps for all.
HELD_OF_A_USER = 75_000
KEYS_OF_A_USER = 187_500


def post(target, headers=""):
    """A publish of one byte, on a connection of its own."""
    return f"POST {target} HTTP/1.1\r\nHost: localhost\r\n{headers}{CLOSE}Content-Length: 1\r\n\r\nx".encode()


class Held(Attack):
    name = "held"
    title = "75,000 held events; more of them, lists of them, and their topics removed, again and again"
    held_there = HELD_OF_A_USER
    held_topics = 3
    small = {"held_there": 3_000}
    works = ("arrivals",)

    def topics(self):
        return ((b"/topics/held%d?delay=1h" % (index % self.held_topics), b"x") for index in range(self.held_there))

    def waves(self):
        def requests():
            for turn in itertools.count():
                topic = f"/topics/held{turn % self.held_topics}"
                yield post(f"{topic}?delay=1h")
                yield get(f"{topic}/later?max=1000", CLOSE)
                if turn % 1_000 == 999:
                    yield f"DELETE {topic} HTTP/1.1\r\nHost: localhost\r\n{CLOSE}\r\n".encode()

        yield Wave(requests(), window=8, until="end")


class Keys(Attack):
    name = "keys"
    title = "187,500 keys of publishes; new ones that are refused, and repeats, again and again"
    keys_there = KEYS_OF_A_USER
    small = {"keys_there": 3_000}
    works = ("arrivals",)

    def topics(self):
        return ((b"/topics/keys", b"x", b"Idempotency-Key: k%d\r\n" % index) for index in range(self.keys_there))

    def waves(self):
        def requests():
            for turn in itertools.count():
                yield post("/topics/keys", f"Idempotency-Key: new{turn}\r\n")
                yield post("/topics/keys", f"Idempotency-Key: k{turn % self.keys_there}\r\n")

        yield Wave(requests(), window=8, until="end")
