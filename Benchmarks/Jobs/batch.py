"""Taking and settling many jobs under one lease."""

from Conductor.row import Aim, Figure, Row

from .group import daemon, fill, work

CPU = "CPU µs a job"
WORKERS = 16


class Batch(Row):
    name = "batch"
    title = f"take and settle batches of jobs, {WORKERS} workers"
    grows = "jobs a batch"
    note = "`next?as=json&max=100&done=`; 1 is `next?done=`."
    aims = [Aim(CPU, "belfryd", 100, ("belfryd", 1), at_most=0.4)]

    def measure(self, lab):
        for most, mode, jobs in lab.turns([(1, "take", 20_000), (100, "batch", 60_000)]):
            with daemon(lab, "sqlite") as server:
                jobs = lab.times(jobs)
                fill(lab, server, jobs + jobs // 5 + 2 * WORKERS * most)
                yield Figure(CPU, "belfryd", most, work(lab, server, mode, jobs, WORKERS)["cpu_us"])
