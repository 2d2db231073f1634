"""What was published, and what is known of it."""

import base64
import json
import threading
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Event:
    """An event as it was published."""

    serial: int
    topic: str
    payload: bytes
    type: str | None = None
    content_type: str | None = None


@dataclass(frozen=True)
class Published:
    """An event and the ids that it may have: one of `first` to `last` when the bus answered 201,
    any when it did not answer."""

    event: Event
    first: int
    last: int
    life: int
    """The life of the bus that took it, counted from 0."""
    is_known: bool

    def can_be(self, identifier: int) -> bool:
        """Whether it may have this id."""
        return not self.is_known or self.first <= identifier <= self.last


class Ledger:
    """All events, by their payload and by their id; any thread writes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_id: dict[int, Published] = {}
        self._by_payload: dict[bytes, list[Published]] = {}
        self.all: list[Published] = []
        self.life = 0
        self._newest: dict[str, int] = {}

    def known(self, events: list[Event], first: int, last: int) -> None:
        """The bus answered that these are in the log."""
        with self._lock:
            for event in events:
                self._add(Published(event, first, last, self.life, is_known=True))

    def unknown(self, events: list[Event]) -> None:
        """The bus did not answer."""
        with self._lock:
            for event in events:
                self._add(Published(event, 0, 1 << 53, self.life, is_known=False))

    def newest(self, topic: str | None) -> int:
        """The newest id that is known, of one topic or of all."""
        with self._lock:
            return max(self._newest.values()) if topic is None else self._newest[topic]

    def find(self, identifier: int, record: dict[str, Any]) -> Published | None:
        """The event that was received under this id with this payload, if there is one."""
        exact = self._by_id.get(identifier)
        if exact is not None:
            return exact if carries(record, exact.event) else None
        candidates = self._by_payload.get(one_line_end(payload_of(record)), [])
        return next(
            (each for each in candidates
             if each.can_be(identifier) and carries(record, each.event)), None)

    def _add(self, published: Published) -> None:
        self.all.append(published)
        if published.is_known:
            self._newest[published.event.topic] = published.last
        if published.first == published.last:
            self._by_id[published.first] = published
        else:
            key = one_line_end(published.event.payload)
            self._by_payload.setdefault(key, []).append(published)


def one_line_end(payload: bytes) -> bytes:
    """A payload as event streams give it: they know only one line end."""
    return payload.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def payload_of(record: dict[str, Any]) -> bytes:
    """The payload that a client told; JSON without white space between tokens."""
    if "base64" in record:
        return base64.b64decode(record["base64"])
    if "json" in record:
        return json.dumps(record["json"], separators=(",", ":"), ensure_ascii=False).encode()
    return str(record["text" if "text" in record else "lines"]).encode()


def carries(record: dict[str, Any], event: Event) -> bool:
    """Whether a client told exactly this event, as far as its form can say."""
    if record["type"] != event.type:
        return False
    if "topic" in record and (record["topic"], record.get("content_type")) != (
        event.topic, event.content_type
    ):
        return False
    expected = event.payload
    if "json" in record:
        return bool(record["json"] == json.loads(expected))
    if "lines" in record:
        expected = one_line_end(expected)
    return payload_of(record) == expected
