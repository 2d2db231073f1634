"""Whether a client had everything once, in order, or was told what it missed."""

from dataclasses import dataclass, field
from typing import Any

from ledger import Ledger, Published

COMPLAINTS_MAX = 10


@dataclass(frozen=True)
class Expectation:
    """What a client has to have received."""

    topic: str | None
    """None: all of them."""
    events_min: int = 0
    may_lose: bool = False
    """Whether restarts lose what was published before them. If so, one has to be told."""

    def wants(self, published: Published) -> bool:
        """Whether the client is to have this event."""
        return self.topic in (None, published.event.topic)


@dataclass
class Verdict:
    """What came of a check."""

    published: int = 0
    received: int = 0
    lost: int = 0
    """Published, and told to be gone."""
    gaps: int = 0
    complaints: list[str] = field(default_factory=list)

    def complain(self, sentence: str) -> None:
        """Adds what is wrong; what follows from the first mistakes is left out."""
        if len(self.complaints) < COMPLAINTS_MAX:
            self.complaints.append(sentence)


class Checker:
    """Checks what clients told against the ledger, all of them with one knowledge of the ids."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._ids: dict[int, int] = {}
        """The ids of serials that somebody received."""

    def learn(self, records: list[dict[str, Any]]) -> None:
        """Takes over which event has which id. Every client is learnt from before any is checked:
        what one of them received was published, answered or not."""
        for record in records:
            if "event" not in record:
                continue
            identifier = int(record["event"]["id"])
            published = self._ledger.find(identifier, record["event"])
            if published is not None:
                self._ids.setdefault(published.event.serial, identifier)

    def check(self, records: list[dict[str, Any]], expectation: Expectation) -> Verdict:
        """Checks one client."""
        verdict = Verdict()
        received: set[int] = set()
        gaps: list[tuple[int, int]] = []
        newest = 0
        for record in records:
            if "gap" in record:
                gaps.append(self._gap(record["gap"], newest, verdict))
            elif "event" in record:
                newest = self._event(record["event"], newest, received, expectation, verdict)
        self._missing(received, gaps, expectation, verdict)
        verdict.received = len(received)
        verdict.gaps = len(set(gaps))
        if verdict.gaps > 0 and not expectation.may_lose:
            verdict.complain(f"{verdict.gaps} gaps were told, and nothing may be lost")
        if verdict.gaps == 0 and expectation.may_lose:
            verdict.complain("a restart lost what was in memory, and no gap was told")
        if verdict.received < expectation.events_min:
            verdict.complain(f"{verdict.received} events are less than {expectation.events_min}")
        return verdict

    @staticmethod
    def _gap(gap: dict[str, str], newest: int, verdict: Verdict) -> tuple[int, int]:
        after, through = int(gap["after"]), int(gap["through"])
        if after < newest:
            verdict.complain(f"the gap after {after} reaches behind event {newest}")
        if through <= after:
            verdict.complain(f"the gap after {after} through {through} is empty")
        return after, through

    def _event(
        self, record: dict[str, Any], newest: int, received: set[int],
        expectation: Expectation, verdict: Verdict,
    ) -> int:
        identifier = int(record["id"])
        if identifier <= newest:
            verdict.complain(f"event {identifier} came behind {newest}")
        published = self._ledger.find(identifier, record)
        if published is None:
            verdict.complain(f"event {identifier} was not published like this: {record}")
        elif not expectation.wants(published):
            verdict.complain(f"event {identifier} of topic {published.event.topic} was not wanted")
        elif self._ids.get(published.event.serial, identifier) != identifier:
            verdict.complain(f"event {identifier} is also {self._ids[published.event.serial]}")
        else:
            received.add(published.event.serial)
        return identifier

    def _missing(
        self, received: set[int], gaps: list[tuple[int, int]],
        expectation: Expectation, verdict: Verdict,
    ) -> None:
        for published in self._ledger.all:
            serial = published.event.serial
            if not expectation.wants(published):
                continue
            if not published.is_known and serial not in self._ids:
                continue
            verdict.published += 1
            if serial in received:
                continue
            first = last = self._ids.get(serial, 0)
            if first == 0:
                first, last = published.first, published.last
            if not any(after < last and first <= through for after, through in gaps):
                verdict.complain(f"event {first}…{last} (serial {serial}) is missing")
            elif published.life == self._ledger.life:
                verdict.complain(f"event {first}…{last} is of the last life, and in a gap")
            else:
                verdict.lost += 1
