"""Memory for a day of small events."""

from Conductor.row import Aim, Figure, Row

RESIDENT = "resident bytes an event beyond its payload"
COUNTED = "bytes an event beyond its payload that the daemon counts"
SIZE = 100
KEEP = {"retention_keep": "none", "retention_bytes": "none", "bus_memory_bytes": "16G"}
SHAPES = {"one topic": 1, "1,000 topics": 1000}


class Retained(Row):
    name = "retained"
    title = "24 h of retained events of 100 bytes"
    grows = "events"
    note = "A million is 12 a second for a day."
    once = True
    aims = [Aim(unit, who, 1_000_000, at_most=200) for who in SHAPES for unit in (RESIDENT, COUNTED)]

    def measure(self, lab):
        for events in lab.points([1_000_000], [100_000, 10_000_000]):
            for who, topics in SHAPES.items():
                with lab.belfry(**KEEP) as server:
                    # What the process needs for any event at all is spent first.
                    lab.fill(server, ["warm"], 1000, SIZE)
                    resident, counted = server.resident_bytes(), server.counted_bytes()
                    names = [f"t{index}" for index in range(topics)]
                    lab.fill(server, names, events // topics, SIZE)
                    resident, counted = server.resident_bytes() - resident, server.counted_bytes() - counted
                    yield Figure(RESIDENT, who, events, resident / events - SIZE)
                    yield Figure(COUNTED, who, events, counted / events - SIZE)
