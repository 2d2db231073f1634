"""Taking and settling jobs one by one, beside job queues of other kinds."""

from Conductor.row import Aim, Figure, Row

from .group import daemon, fill, work

CPU, RATE = "CPU µs a job", "jobs a second"
WORKERS = 16


class Take(Row):
    name = "take"
    title = f"take and settle jobs of 100 bytes, {WORKERS} workers on kept connections"
    grows = "topics"
    note = (
        "Ours is `next?done=`, one request. beanstalkd: reserve, delete. redis-server: XREADGROUP, XACK. JetStream: fetch,"
        " confirmed ack. Each keeps a file that it syncs at most about once a second.")
    aims = [
        Aim(CPU, "belfryd", 1, ("beanstalkd", 1), at_most=1.4),
        Aim(CPU, "belfryd", 1, ("redis-server", 1), at_most=1.5),
        Aim(CPU, "belfryd", 1, ("JetStream", 1), at_most=0.8),
        Aim(CPU, "belfryd in memory", 1, ("belfryd", 1), at_most=0.8),
        Aim(CPU, "belfryd", 10_000, ("belfryd", 1), at_most=1.2),
    ]

    def measure(self, lab):
        jobs = lab.times(20_000)
        contestants = [
            ("belfryd", 1, lambda: daemon(lab, "sqlite")),
            ("belfryd", 10_000, lambda: daemon(lab, "sqlite")),
            ("belfryd in memory", 1, lambda: daemon(lab, "memory")),
            ("beanstalkd", 1, lab.beanstalkd),
            ("redis-server", 1, lab.redis),
            ("JetStream", 1, lab.jetstream),
        ]
        for who, topics, make in lab.turns(contestants):
            with make() as server:
                fill(lab, server, jobs + jobs // 5 + topics + 2 * WORKERS, topics)
                figures = work(lab, server, "take", jobs, WORKERS, topics)
                yield Figure(CPU, who, topics, figures["cpu_us"])
                yield Figure(RATE, who, topics, figures["rate"])
