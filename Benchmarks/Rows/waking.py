"""One of many that wait gets its event; the others must not cost."""

from Conductor.row import Aim, Figure, Row

UNIT = "CPU µs a publish and its delivery"


class Waking(Row):
    name = "waking"
    title = "waking 1 of many parked long polls"
    grows = "parked"
    note = "Each waits for a topic of its own, and only one of them has events."
    aims = [Aim(UNIT, "belfryd", 9000, ("belfryd", 100), at_most=1.2)]

    def measure(self, lab):
        for parked in lab.turns(lab.points([100, 9000], [1000, 18000])):
            for server in lab.turns([lab.belfry(), lab.nchan()]):
                with server:
                    figures = lab.fan(
                        server, "lp", subs=parked, topics=parked, msgs=lab.times(10_000), rate=-1,
                        pub=server.publish_path.replace("{topic}", "0"))
                    yield Figure(UNIT, server.name, parked, figures["cpu_us"])
