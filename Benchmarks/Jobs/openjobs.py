"""A start with many open jobs."""

import json
import statistics

from Conductor.row import Aim, Figure, Row
from Conductor.servers import Broken

from .group import ask, daemon

TIME = "ms to ready that open jobs add"
GROUPS, OPEN = 25, 10_000


class OpenJobs(Row):
    name = "start"
    title = "what open jobs add to a start"
    grows = "open jobs"
    once = True
    note = "The medians of 5 starts with the jobs leased and of 5 with the same events and groups and no job open."
    aims = [Aim(TIME, "belfryd", GROUPS * OPEN, at_most=100)]

    def measure(self, lab):
        with daemon(lab, "sqlite", work_open=4 * GROUPS * OPEN) as server:
            lab.fill(server, ["jobs.t0"], OPEN, 100)
            for group in range(GROUPS):
                ask(server, "PUT", f"/groups/g{group}?of=jobs.*&in_flight={OPEN}&lease=12h")
            without = self.starts(server)
            for group in range(GROUPS):
                opened = 0
                while opened < OPEN:
                    body = ask(server, "POST", f"/groups/g{group}/next?as=json&max=256&wait=0")
                    taken = len(json.loads(body)["jobs"])
                    if not taken:
                        raise Broken(f"{opened} jobs could be opened, not {OPEN}")
                    opened += taken
            yield Figure(TIME, "belfryd", GROUPS * OPEN, self.starts(server) - without)

    @staticmethod
    def starts(server):
        times = []
        for _ in range(5):
            server.stop()
            server.start()
            times.append(server.ready_seconds * 1e3)
        return statistics.median(times)
