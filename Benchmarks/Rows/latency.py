"""One event on a machine that has nothing else to do."""

from Conductor.row import Aim, Figure, Row

UNIT = "µs, median"


class Latency(Row):
    name = "latency"
    title = "one event, from publish to delivery by event stream, 500 a second"
    grows = "subscribers"
    note = "`bare relay` passes the same bytes from one socket to the other, without a parser or a log."
    aims = [
        Aim(UNIT, "belfryd", 1, ("nchan", 1), at_most=1.0),
        Aim(UNIT, "belfryd", 1, ("bare relay", 1), at_most=1.5),
    ]

    def measure(self, lab):
        for subscribers in lab.points([1], [10, 100]):
            for server in lab.turns([lab.belfry(), lab.nchan(), lab.relay()]):
                with server:
                    figures = lab.fan(server, "sse", subs=subscribers, rate=500, msgs=lab.times(1000))
                    yield Figure(UNIT, server.name, subscribers, figures["p50_us"])
                    yield Figure("µs, 99 %", server.name, subscribers, figures["p99_us"])
