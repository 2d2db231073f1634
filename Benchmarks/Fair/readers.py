"""Readers that do not read."""

import itertools

from .asking import CONTROLS
from .attack import Attack, Broken, Figure, MEGABYTE
from .load import Wave
from .fill import fill
from .waiting import get

HELD_SECONDS = 1
AFTER_MAX = 1.2  # of the start
UPGRADE = ("Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
           "Sec-WebSocket-Key: bWVhc3VyZWQgYXQgd29yaw==\r\n")
FORMS = (("as=sse", ""), ("as=ndjson", ""), ("as=json", ""), ("as=json", UPGRADE))


class Readers(Attack):
    name = "readers"
    title = ("400 readers that do not read, half of 50 events of 1 MB each, half of those that follow, form after form and"
             " again; 64 MiB for the bus")
    settings = {"bus_memory_bytes": "64M", "http_connections": 500, "http_connections_per_uid": 500}
    waves_min = 2 * len(FORMS)
    readers = 400
    events = 50
    event_bytes = 1_000_000
    small = {"waves_min": 2, "readers": 700, "events": 40, "event_bytes": 400_000,
             "settings": {"bus_memory_bytes": "64M", "http_connections": 900, "http_connections_per_uid": 900}}
    works = ("deliveries", "writes")

    @property
    def plain(self):
        return b"/topics/big", b"unread ".ljust(self.event_bytes, b"x")

    @property
    def escaped(self):
        """Several times as large in JSON."""
        return b"/topics/big", CONTROLS * (self.event_bytes // len(CONTROLS))

    def topics(self):
        return [self.plain, self.escaped] * (self.events // 2)

    def prepare(self, daemon):
        super().prepare(daemon)
        self._published = self._cut = 0

    def meanwhile(self, daemon, seconds):
        self._published += 1
        try:
            fill(daemon.port, [self.plain])
        except (Broken, OSError):
            self._cut += 1

    def waves(self):
        for query, headers in itertools.cycle(FORMS):
            requests = [get(f"/topics/big?{since}&{query}", headers) for since in ("since=earliest", "since=now")]
            yield Wave(requests * (self.readers // 2), window=self.readers, is_read=False, seconds=HELD_SECONDS)

    def check(self, seen):
        if seen.outcome.asked < self.readers * len(FORMS):
            raise Broken(f"only {seen.outcome.asked} readers")
        if seen.increase("belfry_delivered_events_total") < self.readers:
            raise Broken("the readers were sent nothing")

    def running(self, seen):
        closed = seen.increase("belfry_http_closed_connections_total")
        return (f"{super().running(seen)}, {seen.increase('belfry_delivered_events_total'):,.0f} events written, "
                f"{closed:,.0f} closed by the daemon; {self._published} events published beside it, {self._cut} not taken")

    def figures(self, seen):
        return [Figure("resident at most, MiB", seen.peak_bytes / MEGABYTE, at_most=seen.bound_bytes / MEGABYTE),
                Figure("resident 5 s after all have gone, MiB", seen.end_bytes / MEGABYTE,
                       at_most=seen.start_bytes / MEGABYTE * AFTER_MAX)]
