"""From the start of the process to its line `ready`."""

import statistics

from Conductor.row import Aim, Figure, Row

TIME, MEMORY = "ms to ready", "MB resident then"
STORES = {"memory": "memory", "SQLite": "sqlite"}


class Start(Row):
    name = "start"
    title = "start to ready"
    grows = "events"
    note = "The median of 11 starts, of 5 with retained events; those have 100 bytes, and only a store on disk keeps them."
    aims = [
        aim for who in STORES for aim in (Aim(TIME, who, 0, at_most=20), Aim(MEMORY, who, 0, at_most=12))
    ]

    def measure(self, lab):
        for events in lab.points([0], [10_000, 100_000, 1_000_000]):
            for who, store in lab.turns(STORES.items()):
                if events and store == "memory":
                    continue
                with lab.belfry(store=store, retention_keep="none", retention_bytes="none") as server:
                    lab.fill(server, ["t0"], events, 100)
                    times, sizes = [], []
                    for _ in range(11 if not events else 5):
                        server.stop()
                        server.start()
                        times.append(server.ready_seconds * 1e3)
                        sizes.append(server.resident_bytes() / 1e6)
                    yield Figure(TIME, who, events, statistics.median(times))
                    yield Figure(MEMORY, who, events, statistics.median(sizes))
