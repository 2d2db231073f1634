"""Publishes in the background, and keeps the ledger."""

import http.client
import json
import random
import threading
import time
from dataclasses import replace

import message_socket
from ledger import Event, Ledger
from message_socket import Outcome

MAIN = "interop.main"
END = "end"
"""The type of the last event of all."""

SIDE = "interop.side"
SIDE_END = "side-end"
JSON = "application/json"
NDJSON = "application/x-ndjson"
RETRY_SECONDS = 0.02
TRICKLE_SECONDS = 0.05
TAKING_SECONDS = 60

ODD_PAYLOADS = [
    b"",
    b"\n",
    b" leading and trailing ",
    b": a comment, were it a line of its own",
    b"data: a field, were it one\n\nid: 1\nevent: tick\n",
    b"lines\nof\r\nevery\rend\n",
    "Umlaute \u00e4\u00f6\u00fc, \u20ac, \U0001f514, \u2028, \u2029, \u0085, \u007f".encode(),
    b"\xef\xbb\xbfa byte order mark",
    b"a null \x00 and controls \x01\x0b\x0c\x1c\x1f",
    b"not UTF-8: \xff\xfe\xc3",
    b"<script>alert('no page')</script>",
    b"long " + b"0123456789abcdef" * 2_500,
]
"""Each without a serial number, and so published one by one."""


class Publisher(threading.Thread):
    """Batches, messages and single events on two topics: at a steady rate up to a count that
    `pace` sets, then a trickle, so that a reader always has something to wait for."""

    def __init__(self, ledger: Ledger, port: int, rate: float, seed: int) -> None:
        super().__init__(daemon=True)
        self._ledger = ledger
        self._port = port
        self._rate = rate
        self._random = random.Random(seed)
        self._connection: http.client.HTTPConnection | None = None
        self._progress = threading.Condition()
        self._attempt = threading.Lock()
        self._fast_until = 0
        self._is_finishing = False
        self._serial = 0
        self.count = 0
        """Events of the main topic that are in the log or may be."""
        self.refusals = 0
        self.unknown = 0
        self.failure: BaseException | None = None

    def run(self) -> None:
        """Publishes until `finish`, the last event too."""
        try:
            while not self._is_finishing:
                before = self.count
                self._turn()
                self._rest(self.count - before)
            self._insist(SIDE, SIDE_END)
            self._insist(MAIN, END)
        except BaseException as failure:  # told by the thread that waits for the count
            self.failure = failure
        with self._progress:
            self._progress.notify_all()

    def publish_one(self, topic: str) -> None:
        """Publishes one event, before the thread is started."""
        self._post([self._event(topic)])

    def pace(self, count: int, seconds: float) -> None:
        """Publishes at full rate up to a count, and waits for it."""
        with self._progress:
            self._fast_until = count
            self._progress.notify_all()
            if not self._progress.wait_for(
                lambda: self.count >= count or self.failure is not None, seconds
            ):
                raise TimeoutError(f"{self.count} events were published, not {count}")
        if self.failure is not None:
            raise self.failure

    def next_life(self) -> None:
        """To be called when one daemon has ended and the next has not begun."""
        with self._attempt:
            self._ledger.life += 1

    def finish(self, seconds: float) -> None:
        """Waits for the last event."""
        self._is_finishing = True
        with self._progress:
            self._progress.notify_all()
        self.join(seconds)
        if self.failure is not None:
            raise self.failure
        if self.is_alive():
            raise TimeoutError("the last event is not published")

    def abort(self) -> None:
        """Ends it where it is, and whoever waits for it."""
        self._is_finishing = True
        with self._progress:
            self.failure = self.failure or InterruptedError("the run was ended")
            self._progress.notify_all()

    def _insist(self, topic: str, type_: str) -> None:
        """Publishes an event that has to be there."""
        while self.failure is None:
            if self._post([Event(self._next(), topic, b"the end", type_)]):
                return

    def _rest(self, published: int) -> None:
        with self._progress:
            if self.count < self._fast_until:
                self._progress.wait(published / self._rate)
            else:
                self._progress.wait(TRICKLE_SECONDS)

    def _turn(self) -> None:
        kind = self._random.random()
        if self.count >= self._fast_until:
            self._post([self._event(MAIN if kind < 0.8 else SIDE)])
        elif kind < 0.2:
            self._post([self._odd_event()])
        elif kind < 0.4:
            for _ in range(self._random.randint(1, 20)):
                self._post([self._event(SIDE)])
        elif kind < 0.5:
            self._burst()
        elif kind < 0.6:
            self._post([self._event(MAIN)])
        else:
            self._batch()

    def _odd_event(self) -> Event:
        payload = self._random.choice(ODD_PAYLOADS)
        return Event(self._next(), MAIN, payload, self._random.choice([None, "tick"]))

    def _event(self, topic: str) -> Event:
        serial = self._next()
        if self._random.random() < 0.5:
            return Event(serial, topic, f"event {serial}".encode(), "tock", "text/plain")
        return Event(serial, topic, self._json(serial), None, JSON)

    def _batch(self) -> None:
        type_ = self._random.choice([None, "tick", "tock"])
        content_type = self._random.choice([None, JSON])
        events = []
        for _ in range(self._random.randint(1, 150)):
            serial = self._next()
            payload = self._json(serial) if content_type else f"line {serial}".encode()
            events.append(Event(serial, MAIN, payload, type_, content_type))
        self._post(events, is_batch=True)

    def _burst(self) -> None:
        """Many messages of one WebSocket; what is refused goes by HTTP."""
        with self._attempt:
            events = [self._message() for _ in range(self._random.randint(1, 50))]
            outcomes, refused = message_socket.publish(self._port, events), []
            for event, outcome in zip(events, outcomes, strict=True):
                if outcome is Outcome.REFUSED:
                    refused.append(event)
                elif outcome is Outcome.UNKNOWN:
                    self._ledger.unknown([event])
                    self.unknown += 1
                else:
                    self._ledger.known([event], outcome, outcome)
        self._advance([event for event in events if event not in refused])
        self.refusals += len(refused)
        for event in refused:
            self._post([event])

    def _message(self) -> Event:
        if self._random.random() < 0.2:
            return self._odd_event()
        event = self._event(MAIN)
        if event.content_type == JSON:
            # JSON in a message is published as its tokens are written in answers, escapes too.
            return replace(event, payload=event.payload.replace("\u2028".encode(), b"-"))
        return replace(event, content_type=None)

    def _next(self) -> int:
        self._serial += 1
        return self._serial

    @staticmethod
    def _json(serial: int) -> bytes:
        value = {"serial": serial, "text": "\u00e4\u2028\"\\", "list": [1, True, None]}
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()

    def _post(self, events: list[Event], is_batch: bool = False) -> bool:
        """Publishes until the bus takes the events, or it is not known whether it did."""
        headers = {}
        if events[0].content_type is not None:
            headers["Content-Type"] = NDJSON if is_batch else events[0].content_type
        if events[0].type is not None:
            headers["Event-Type"] = events[0].type
        body = b"\n".join(event.payload for event in events)
        path = f"/topics/{events[0].topic}" + ("?split=lines" if is_batch else "")
        deadline = time.monotonic() + TAKING_SECONDS
        while time.monotonic() < deadline and self.failure is None:
            with self._attempt:
                status = self._try(events, path, body, headers)
            if status != 503:
                self._advance(events)
                return status == 201
            self.refusals += 1
            time.sleep(RETRY_SECONDS)
        raise TimeoutError("the bus took no event for too long")

    def _try(
        self, events: list[Event], path: str, body: bytes, headers: dict[str, str]
    ) -> int | None:
        answer = self._request(path, body, headers)
        if answer is None:
            self._ledger.unknown(events)
            self.unknown += len(events)
            return None
        status, text = answer
        if status == 201:
            ids = json.loads(text)
            first, last = (ids["first"], ids["last"]) if "first" in ids else (ids["id"], ids["id"])
            self._ledger.known(events, int(first), int(last))
        elif status != 503:
            raise RuntimeError(f"publishing was answered {status}: {text!r}")
        return status

    def _request(self, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, bytes] | None:
        """Status and body of the answer; 503 where nobody listens; None when there is none."""
        if self._connection is None:
            self._connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
            try:
                self._connection.connect()
            except OSError:
                self._connection = None
                return 503, b""
        try:
            self._connection.request("POST", path, body, headers)
            response = self._connection.getresponse()
            text = response.read()
            if response.will_close:
                self._drop()
            return response.status, text
        except (OSError, http.client.HTTPException):
            self._drop()
            return None

    def _drop(self) -> None:
        assert self._connection is not None
        self._connection.close()
        self._connection = None

    def _advance(self, events: list[Event]) -> None:
        with self._progress:
            self.count += sum(event.topic == MAIN for event in events)
            self._progress.notify_all()
