"""Streams that wait: nobody publishes to them, and they still cost others something."""

import statistics

from . import client
from .attack import Attack, BUSY_MIN, Broken, Figure, MEGABYTE
from .load import Wave

HEARTBEAT = "5s"  # instead of 15 s, so that a run sees several
SOON = "500ms"  # in the short form
TOPICS_OF_A_USER = 7400  # within the default limit
KINDS = 100  # of the last segment of a topic


def topic(index):
    return f"a.{index // KINDS}.b.y{index % KINDS}"


def pattern(index):
    """Matches exactly `topic(index)` among the topics of this file, and others by others."""
    return f"*.{index // KINDS}.*.y{index % KINDS}"


def patterns(count, first):
    return ",".join(pattern(index) for index in range(first, first + count))


def get(target, headers=""):
    return f"GET {target} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n".encode()


def one_event_each(topics):
    return ((f"/topics/{topic(index)}".encode(), b"there already") for index in range(topics))


class Streams(Attack):
    """Streams of patterns of their own."""

    topics_there = TOPICS_OF_A_USER
    patterns_each = 3
    waves_min = 1
    works = ("reads", "arrivals")

    def topics(self):
        return one_event_each(self.topics_there)

    def waves(self):
        each = self.patterns_each
        yield Wave(get(f"/topics/{patterns(each, stream * each)}?as=ndjson") for stream in range(self.wanted))

    def running(self, seen):
        return f"{super().running(seen)}, {self.patterns_each} patterns each, {self.topics_there:,} topics"


class Idle(Streams):
    """Streams that have heartbeats and nothing else."""

    settings = {"stream_heartbeat": HEARTBEAT}
    works = (*Streams.works, "deadlines")

    def check(self, seen):
        super().check(seen)
        if seen.outcome.later_bytes < seen.outcome.held and seen.busy < BUSY_MIN:
            raise Broken("the streams had no heartbeats, and the loop idles")


class FewIdle(Idle):
    name = "heartbeats"
    title = "240 idle streams of 100 patterns each, more than 16,384 together, with heartbeats"
    wanted = 240
    patterns_each = 100
    small = {"topics_there": 600, "patterns_each": 20, "settings": {"stream_heartbeat": SOON}}


class Reload(Streams):
    name = "reload"
    title = "a reload with another rule every 5 s, beside 4,000 streams of 3 patterns"
    wanted = 4000
    every_seconds = 5
    small = {"topics_there": 600, "wanted": 300, "every_seconds": 0.5}
    works = (*Streams.works, "judgements")

    def prepare(self, daemon):
        super().prepare(daemon)
        self._asked = 0

    def meanwhile(self, daemon, seconds):
        if seconds is not None and seconds >= self._asked * self.every_seconds:
            daemon.reload(f"[access]\nrule = secret.> subscribe uid:{77 + self._asked}\n")
            self._asked += 1

    def check(self, seen):
        super().check(seen)
        if seen.reloads == 0 and seen.outcome.opened == self.wanted:
            raise Broken("no reload was logged")

    def running(self, seen):
        return f"{super().running(seen)}, {seen.reloads} reloads"


class ManyIdle(Idle):
    name = "streams"
    title = "10,000 idle streams of 3 patterns of their own, with heartbeats, and 100,000 topics"
    settings = {**Idle.settings, "bus_topics": 140_000}
    wanted = 10_000
    topics_there = 100_000
    small = {"topics_there": 2000, "wanted": 400, "settings": {"stream_heartbeat": SOON}}


class NewTopics(Streams):
    name = "newtopics"
    title = "a publish to a new topic, beside 10,000 idle streams of 3 patterns of their own"
    settings = {"bus_topics": 140_000}
    wanted = 10_000
    small = {"topics_there": 600, "wanted": 300}
    kinds = (*client.ORDINARY, client.NEW_TOPICS)

    def figures(self, seen):
        without, beside = (statistics.median(seen.times(of, is_ordinary=False)) for of in (seen.baseline, seen.beside))
        return [Figure("median publish to a new topic, times that without", beside / without, at_most=2),
                *self.completeness(seen)]


class Patterns(Streams):
    name = "patterns"
    title = "1,000,000 distinct waiting patterns: 8,000 streams of 128"
    wanted = 8000
    patterns_each = 128
    small = {"topics_there": 600, "wanted": 60}
    works = ("reads", "long_requests")

    def completeness(self, seen):
        # Either is fine, but nothing else.
        explained = sum(count for refusal, count in seen.outcome.refused.items() if " " in refusal)
        return [Figure("streams held or refused with a sentence", seen.outcome.held + explained, at_least=self.wanted),
                Figure("resident at most, MiB", seen.peak_bytes / MEGABYTE, at_most=seen.bound_bytes / MEGABYTE)]
