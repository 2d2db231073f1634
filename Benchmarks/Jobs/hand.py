"""From a publish to the worker that waits for it."""

from Conductor.row import Aim, Figure, Row

from .group import GROUP, ask, daemon, work

CPU, MEDIAN, LATE = "CPU µs a job", "median µs to the worker", "99 % µs to the worker"


class Hand(Row):
    name = "hand"
    title = "a publish, and the worker that waits for it"
    grows = "workers"
    note = "The processor time is that of the whole cycle: publish, hand over, settle, wait again."
    aims = [
        Aim(MEDIAN, "belfryd", 1, at_most=150),
        Aim(CPU, "belfryd", 1, ("JetStream", 1), at_most=2),
    ]

    def measure(self, lab):
        jobs = lab.times(5_000)
        contestants = [
            ("belfryd", lambda: daemon(lab, "sqlite")), ("belfryd in memory", lambda: daemon(lab, "memory")),
            ("beanstalkd", lab.beanstalkd), ("redis-server", lab.redis), ("JetStream", lab.jetstream),
        ]
        for who, make in lab.turns(contestants):
            with make() as server:
                if server.protocol == "http":
                    ask(server, "PUT", GROUP)
                figures = work(lab, server, "hand", jobs, 1)
                yield Figure(CPU, who, 1, figures["cpu_us"])
                yield Figure(MEDIAN, who, 1, figures["p50_us"])
                yield Figure(LATE, who, 1, figures["p99_us"])
