"""A topic that is not as it should be has to be found out."""

import unittest
from typing import Any

from page import Section, is_as_shown
from sender import with_word
from topic import Topic

SHOWN = Section(
    '```json\n{"id":…,"topic":"a","data":{"host":"web1","values":[3],…},"sender":{"uid":…}}\n```\n'
).event()


def event(word: str, identifier: str) -> dict[str, Any]:
    """An event as the bus tells it."""
    return {"id": identifier, "topic": "a", "sender": {"uid": 0},
            "data": {"host": word, "values": [3], "more": True}}


class JudgementTests(unittest.TestCase):
    """Each test breaks one thing."""

    def objections(self, *events: dict[str, Any]) -> list[str]:
        """What is wrong with a topic of these events, when it is to have two."""
        topic = Topic("a")
        topic.events = list(events)
        return topic.objections([SHOWN, with_word(SHOWN, "web2")])

    def test_a_whole_topic_is_found_whole(self) -> None:
        self.assertEqual(self.objections(event("web1", "1"), event("web2", "2")), [])

    def test_an_event_too_few_or_too_many_is_found(self) -> None:
        first, second = event("web1", "1"), event("web2", "2")
        for events in ([first], [second], [first, first, second], [first, second, second], []):
            with self.subTest(events):
                self.assertNotEqual(self.objections(*events), [])

    def test_events_that_change_places_are_found(self) -> None:
        self.assertNotEqual(self.objections(event("web2", "1"), event("web1", "2")), [])

    def test_another_event_than_the_page_shows_is_found(self) -> None:
        for change in ({"topic": "b"}, {"data": {"host": "web1"}}, {"data": "web1"},
                       {"key": "an unknown member"}, {"sender": {}}):
            with self.subTest(change):
                self.assertFalse(is_as_shown(event("web1", "1") | change, SHOWN))
        for values in ([], [3, 3], [4], ["3"], [True]):
            with self.subTest(values):
                other = event("web1", "1")
                other["data"]["values"] = values
                self.assertFalse(is_as_shown(other, SHOWN))


if __name__ == "__main__":
    unittest.main()
