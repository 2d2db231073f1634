"""Publishers and pollers that go on whatever happens to the bus, and what they have to say of it."""

import itertools
import sys
import threading
from pathlib import Path

from acts import wait_until
from doors import Answer, Door, Line, NoAnswer

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Interop"))
from checker import Checker, Expectation  # noqa: E402
from ledger import Event, Ledger  # noqa: E402

TOPIC = "restarts"
PAUSE_SECONDS = 0.01
"""Between two events of a publisher, and before the next try where the bus said 503."""
JOIN_SECONDS = 60
SERIALS = itertools.count(1)


class Traveller(threading.Thread):
    """Asks again and again, on a connection for each request or on one that is kept."""

    def __init__(self, door: Door, is_fresh: bool) -> None:
        super().__init__(name=f"{type(self).__name__} {door.name} {'fresh' if is_fresh else 'kept'}")
        self._line = Line(door)
        self._is_fresh = is_fresh
        self._end = threading.Event()
        self.complaints: list[str] = []
        self.answers = self.drained = self.cut = 0

    def run(self) -> None:
        """Goes on until it is told to stop, or has something to complain of."""
        try:
            while not self._end.is_set() and not self.complaints:
                self.step()
        except Exception as error:  # noqa: BLE001 (whatever it is, it is to be told)
            self.complaints.append(f"{self.name}: {type(error).__name__}: {error}")
        finally:
            self._line.close()

    def stop(self) -> None:
        """Lets it finish its request."""
        self._end.set()

    def step(self) -> None:
        """One request."""
        raise NotImplementedError

    def ask(self, method: str, target: str, body: bytes | None = None) -> Answer | None:
        """The answer, None if there was none. Only a connection that was kept may end so: nobody
        can know whether its other side is going while a request is on the way. A new one is never
        refused and never without an answer."""
        if not self._line.is_open:
            try:
                self._line.open()
            except OSError as error:
                self.complaints.append(f"{self.name}: refused: {error}")
                return None
            is_new = True
        else:
            is_new = False
        try:
            answer = self._line.ask(method, target, body)
        except NoAnswer as nothing:
            if is_new:
                self.complaints.append(f"{self.name}: {nothing}")
            self.cut += 1
            return None
        if self._is_fresh:
            self._line.close()
        if answer.is_draining:
            self.drained += 1
            self._end.wait(PAUSE_SECONDS)
        else:
            self.answers += 1
        return answer

    def expect(self, answer: Answer, status: int) -> bool:
        """Whether it has this status; a bus that drains may refuse."""
        if answer.status != status and not answer.is_draining:
            self.complaints.append(f"{self.name}: {answer.status} {answer.body!r}")
        return answer.status == status


def new_event(publisher: str) -> Event:
    """An event as nobody else has one."""
    serial = next(SERIALS)
    return Event(serial, TOPIC, f"{publisher} {serial}".encode())


class Publisher(Traveller):
    """Publishes, and notes what was answered."""

    def __init__(self, door: Door, is_fresh: bool, ledger: Ledger) -> None:
        super().__init__(door, is_fresh)
        self._ledger = ledger

    def step(self) -> None:
        """One event. Without an answer it may be in the log; with any but 201 it is not."""
        event = new_event(self.name)
        answer = self.ask("POST", f"/topics/{TOPIC}", event.payload)
        if answer is None:
            self._ledger.unknown([event])
        elif self.expect(answer, 201):
            identifier = int(answer.json()["id"])
            self._ledger.known([event], identifier, identifier)
            self._end.wait(PAUSE_SECONDS)


class Poller(Traveller):
    """Polls from a cursor on, and keeps what it got."""

    def __init__(self, door: Door, is_fresh: bool, cursor: str) -> None:
        super().__init__(door, is_fresh)
        self._cursor = cursor
        self.records: list[dict] = []

    def step(self) -> None:
        """One long poll."""
        answer = self.ask("GET", f"/topics/{TOPIC}?as=json&wait=20&since={self._cursor}")
        if answer is None or not self.expect(answer, 200):
            return
        told = answer.json()
        if told["gap"] is not None:
            self.records.append({"gap": told["gap"]})
        for event in told["events"]:
            self.records.append({"event": {
                "id": event["id"], "type": event.get("type"), "text": event["data"]}})
        self._cursor = told["cursor"]

    @property
    def newest(self) -> int:
        """How far it is."""
        return int(self._cursor)


class Traffic:
    """All of them, through every door, both ways."""

    def __init__(self, ways: list[Door]) -> None:
        self._ledger = Ledger()
        cursor = ways[0].ask("HEAD", f"/topics/{TOPIC}").headers["Event-Cursor"]
        kinds = [(door, is_fresh) for door in ways for is_fresh in (True, False)]
        self.publishers = [Publisher(*kind, self._ledger) for kind in kinds]
        self.pollers = [Poller(*kind, cursor) for kind in kinds]
        self._ways = ways

    def start(self) -> None:
        """Sets them off."""
        for each in self.pollers + self.publishers:
            each.start()

    @property
    def published(self) -> int:
        """Answered by now."""
        return sum(each.answers for each in self.publishers)

    def check(self) -> bool:
        """Raises what any of them has to complain of by now; false, for `wait_until`."""
        complaints = [line for each in self.publishers + self.pollers for line in each.complaints]
        if complaints:
            raise AssertionError("\n".join(complaints[:10]))
        return False

    def finish(self) -> str:
        """Ends it, checks that every poller had everything once and in order, and sums up."""
        try:
            self._let_end(self.publishers)
            self.check()
            # An event behind all others, which no poller can have without them.
            last = self._publish()
            wait_until(
                lambda: self.check() or all(each.newest >= last for each in self.pollers),
                JOIN_SECONDS, "every poller has the last event")
        finally:
            for each in self.publishers + self.pollers:
                each.stop()
        self._publish()  # wakes those who wait
        self._let_end(self.pollers)
        self.check()
        checker = Checker(self._ledger)
        for poller in self.pollers:
            checker.learn(poller.records)
        for poller in self.pollers:
            verdict = checker.check(
                poller.records, Expectation(TOPIC, events_min=self.published))
            if verdict.complaints:
                raise AssertionError("\n".join([poller.name, *verdict.complaints]))
        travellers = self.publishers + self.pollers
        return (f"{self.published} events to each of {len(self.pollers)} pollers; "
                f"{sum(each.drained for each in travellers)} requests met a bus that drains, "
                f"{sum(each.cut for each in travellers)} kept connections ended under a request")

    def _publish(self) -> int:
        event = new_event("end")
        answer = self._ways[0].ask("POST", f"/topics/{TOPIC}", event.payload)
        identifier = int(answer.json()["id"])
        self._ledger.known([event], identifier, identifier)
        return identifier

    @staticmethod
    def _let_end(travellers: list) -> None:
        for each in travellers:
            each.stop()
        for each in travellers:
            each.join(JOIN_SECONDS)
            if each.is_alive():
                raise TimeoutError(f"{each.name} does not end")
