"""A delivery that is broken has to be found out, whichever way it is broken."""

import copy
import unittest
from collections.abc import Callable
from functools import partial
from typing import Any

from checker import Checker, Expectation, Verdict
from ledger import Event, Ledger

Records = list[dict[str, Any]]
RESTART_ID = 500
"""Ids of the first life are below, those of the second above."""


def delivery() -> tuple[Ledger, Records]:
    """Events of two lives, and how a client has them that was away at the restart."""
    ledger = Ledger()
    line = [Event(serial, "a", f"line {serial}".encode()) for serial in range(10)]
    ledger.known(line[:8], first=10, last=31)
    ledger.known([Event(10, "a", b"one\r\ntwo", "tick")], first=40, last=40)
    ledger.unknown([Event(11, "a", b"unknown to all"), Event(12, "a", b"unknown, but there")])
    ledger.known([Event(13, "a", b'{"n":1}', None, "application/json")], first=60, last=60)
    ledger.life = 1
    ledger.known(line[8:], first=510, last=520)
    records: Records = [
        event(identifier, text=f"line {index}")
        for index, identifier in enumerate([10, 11, 12, 20, 21, 22, 30, 31])
    ]
    records += [
        event(40, "tick", lines="one\ntwo"), event(50, text="unknown, but there"),
        {"gap": {"after": "50", "through": str(RESTART_ID)}},
        event(510, text="line 8"), event(520, text="line 9"),
    ]
    return ledger, records


def event(identifier: int, type_: str | None = None, **payload: Any) -> dict[str, Any]:
    """What a client tells of an event."""
    return {"event": {"id": str(identifier), "type": type_} | payload}


def check(change: Callable[[Records], object], *others: Records, may_lose: bool = True) -> Verdict:
    """The verdict on a changed delivery."""
    ledger, records = delivery()
    change(records)
    checker = Checker(ledger)
    for each in (records, *others):
        checker.learn(each)
    return checker.check(records, Expectation(None, events_min=1, may_lose=may_lose))


def places_of_events(records: Records) -> list[int]:
    """Where the events stand among the records."""
    return [place for place, record in enumerate(records) if "event" in record]


def take_out(index: int, records: Records) -> None:
    """Removes a record."""
    del records[index]


def double(index: int, records: Records) -> None:
    """Has a record twice."""
    records.insert(index, copy.deepcopy(records[index]))


def update_first(change: dict[str, str], records: Records) -> None:
    """Changes the first event."""
    records[0]["event"].update(change)


class CheckerTests(unittest.TestCase):
    """Each test breaks one thing."""

    def assert_complains(self, sentence: str, verdict: Verdict) -> None:
        self.assertTrue(
            any(sentence in complaint for complaint in verdict.complaints), verdict.complaints)

    def test_a_whole_delivery_is_found_whole(self) -> None:
        verdict = check(lambda records: None)
        self.assertEqual(verdict.complaints, [])
        self.assertEqual((verdict.published, verdict.received, verdict.lost), (13, 12, 1))

    def test_every_event_that_is_taken_out_is_missed(self) -> None:
        _, records = delivery()
        for index in places_of_events(records):
            with self.subTest(records[index]):
                verdict = check(partial(take_out, index), records)
                self.assert_complains("is missing", verdict)

    def test_every_record_that_is_doubled_is_found(self) -> None:
        _, records = delivery()
        for index in places_of_events(records):
            with self.subTest(records[index]):
                verdict = check(partial(double, index))
                self.assert_complains("came behind", verdict)

    def test_events_that_change_places_are_found(self) -> None:
        def swap(records: Records) -> None:
            records[2], records[3] = records[3], records[2]

        self.assert_complains("came behind", check(swap))

    def test_another_payload_type_or_id_is_found(self) -> None:
        for change in ({"text": "line 8"}, {"type": "tick"}, {"id": "9"}, {"topic": "b"}):
            with self.subTest(change):
                verdict = check(partial(update_first, change))
                self.assert_complains("was not published like this", verdict)

    def test_an_event_under_two_ids_is_found(self) -> None:
        _, records = delivery()
        verdict = check(lambda changed: changed[1]["event"].update(id="12"), records)
        self.assertNotEqual(verdict.complaints, [])

    def test_what_only_another_client_had_is_missed(self) -> None:
        other = [event(45, text="unknown to all")]
        self.assert_complains("is missing", check(lambda records: None, other))

    def test_a_gap_that_is_not_told_is_missed(self) -> None:
        verdict = check(lambda records: records.pop(10))
        self.assert_complains("no gap was told", verdict)
        self.assert_complains("event 60…60 (serial 13) is missing", verdict)

    def test_a_gap_behind_what_was_received_is_found(self) -> None:
        verdict = check(lambda records: records[10]["gap"].update(after="30"))
        self.assert_complains("reaches behind", verdict)

    def test_a_gap_over_what_still_lives_excuses_nothing(self) -> None:
        def widen(records: Records) -> None:
            records[10]["gap"]["through"] = "515"
            records.pop(11)

        self.assert_complains("of the last life", check(widen))

    def test_where_nothing_may_be_lost_a_gap_is_a_mistake(self) -> None:
        self.assert_complains("nothing may be lost", check(lambda records: None, may_lose=False))


if __name__ == "__main__":
    unittest.main()
