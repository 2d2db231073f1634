"""Publishing while nobody works."""

from Conductor.row import Aim, Figure, Row

from .group import ask, daemon

CPU = "CPU µs an event"


class Unused(Row):
    name = "unused"
    title = "publish, 100 bytes, 64 kept connections, beside groups without a worker"
    grows = "groups of the topic"
    aims = [Aim(CPU, "belfryd", 100, ("belfryd", 0), at_most=1.03)]

    def measure(self, lab):
        for groups in lab.turns([0, 100]):
            with daemon(lab, "sqlite") as server:
                for group in range(groups):
                    ask(server, "PUT", f"/groups/g{group}?of=t0")
                figures = lab.load("flood", server, path=server.publish_path, requests=lab.times(100_000))
                yield Figure(CPU, "belfryd", groups, figures["cpu_us"])
