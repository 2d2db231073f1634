"""Many topics with one subscriber each."""

from Conductor.row import Aim, Figure, Row

FAST = "µs to 99 % of deliveries, published as answers come"
STEADY = "µs to 99 % of deliveries, 4,000 a second"


class Pairs(Row):
    name = "pairs"
    title = "a long poll on each of 2,000 topics"
    grows = "topics"
    note = "From before the publish to behind the delivery, every topic in its turn."
    aims = [Aim(unit, "belfryd", 2000, ("nchan", 2000), at_most=0.5) for unit in (FAST, STEADY)]

    def measure(self, lab):
        for topics in lab.points([2000], [200, 16000]):
            for server in lab.turns([lab.belfry(), lab.nchan()]):
                for unit, rate, events in ((FAST, 0, 40_000), (STEADY, 4000, 8_000)):
                    with server:
                        figures = lab.fan(
                            server, "lp", subs=topics, topics=topics, rate=rate, msgs=lab.times(events))
                        yield Figure(unit, server.name, topics, figures["p99_us"])
