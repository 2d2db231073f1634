"""Requests whose answers are much work, asked again and again."""

import itertools

from .attack import Attack, Broken
from .load import Wave
from .waiting import KINDS, get, one_event_each, pattern, patterns, topic, TOPICS_OF_A_USER

PATTERNS = 128  # the most of one selector
CONTROLS = bytes(range(1, 32))  # six bytes of JSON each, most of them
CLOSE = "Connection: close\r\n"


class Opening(Attack):
    name = "opening"
    title = "a stream of 128 fresh patterns opened and closed, again and again, on one connection at a time"
    topics_there = TOPICS_OF_A_USER
    small = {"topics_there": 600}
    works = ("reads", "long_requests")

    def topics(self):
        return one_event_each(self.topics_there)

    def waves(self):
        requests = (get(f"/topics/{patterns(PATTERNS, turn * PATTERNS)}?as=ndjson") for turn in itertools.count())
        yield Wave(requests, window=1, until="head")

    def running(self, seen):
        return f"{seen.outcome.opened:,} streams opened, {self.topics_there:,} topics"


class Lists(Attack):
    name = "lists"
    title = "ten lists of 100,000 topics at once, again and again"
    settings = {"bus_topics": 140_000}
    topics_there = 100_000
    small = {"topics_there": 2000}
    works = ("lists",)

    def topics(self):
        return one_event_each(self.topics_there)

    def waves(self):
        yield Wave(itertools.repeat(get("/topics", CLOSE)), window=10, until="end")

    def check(self, seen):
        super().check(seen)
        if seen.outcome.whole and seen.outcome.bytes / seen.outcome.whole < self.topics_there * len('{"name":""}'):
            raise Broken("the lists do not have all topics")


class Since(Attack):
    name = "since"
    title = "four readers since=earliest of 128 patterns over 1,000,000 events in 100,000 topics, again and again"
    settings = {"bus_topics": 140_000, "bus_memory_bytes": "1G"}
    topics_there = 100_000
    events_each = 10
    small = {"topics_there": 2000, "events_each": 3}
    works = ("reads",)

    def topics(self):
        body = b"".join(b"event %d\n" % line for line in range(self.events_each))
        return ((f"/topics/{topic(index)}?split=lines".encode(), body) for index in range(self.topics_there))

    def prepare(self, daemon):
        super().prepare(daemon)
        there = daemon.scrape().figures["belfry_retained_events"]
        if there < self.topics_there * self.events_each:
            raise Broken(f"only {there:.0f} events are there")

    def waves(self):
        """One reads everything, the others few events by patterns that nobody had before."""
        last = [f"*.*.*.y{kind}" for kind in range(KINDS)]
        wide = ",".join(last + [f"*.{index}.*.*" for index in range(PATTERNS - KINDS)])
        everything = get(f"/topics/{wide}?since=earliest&as=ndjson&wait=0", CLOSE)

        def requests():
            for turn in itertools.count():
                first = turn * PATTERNS
                selector = ",".join(pattern(index) for index in range(first, first + PATTERNS))
                yield get(f"/topics/{selector}?since=earliest&as=json&wait=0", CLOSE) if turn % 4 else everything

        yield Wave(requests(), window=4, until="end")


class Answers(Attack):
    name = "answers"
    title = "400 connections ask for 1 MB each at once: as JSON, as NDJSON, and bytes that need escaping"
    waves_min = 3
    together = 400
    bytes_each = 1_000_000
    targets = ("lines?as=json", "lines?as=ndjson&wait=0", "controls?as=json")
    # Together more than a turn writes.
    small = {"together": 40, "bytes_each": 100_000, "targets": (*targets, "page?as=json"),
             "waves_min": 4}
    works = ("arrivals", "writes")

    def topics(self):
        lines = (b"one of a thousand lines ".ljust(self.bytes_each // 1000 - 1, b"x") + b"\n") * 1000
        controls = CONTROLS * (self.bytes_each // len(CONTROLS))
        page = b"x" * 50_000
        return [(b"/topics/lines?split=lines", lines), (b"/topics/controls", controls), (b"/topics/page", page)]

    def waves(self):
        for target in itertools.cycle(self.targets):
            request = get(f"/topics/{target}&since=earliest", CLOSE)
            yield Wave(itertools.repeat(request, self.together), window=self.together, until="end")
