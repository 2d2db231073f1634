"""Selectors wider than a topic, beside topics that have nothing to do with them."""

from Conductor.row import Aim, Figure, Row

UNIT = "CPU µs a delivery"
NAMES = 100
LIST = ",".join(f"o.t{index}" for index in range(1, NAMES))
OWN_LIST = ",".join(f"o.s{{sub}}-{index}" for index in range(1, NAMES))
SELECTORS = {
    "one topic": "b.t0",
    "pattern of 100 topics": "b.*",
    f"list of {NAMES} names": f"b.t0,{LIST}",
    f"own list of {NAMES} names each": f"b.t0,{OWN_LIST}",
    "own pattern each": "b.t0,s{sub}.>",
}


class Selectors(Row):
    name = "selectors"
    title = "event stream delivery to 1,000 subscribers by selector"
    grows = "other topics"
    note = "All of them without envelopes; *own* is another one for each subscriber. `bus.memory_bytes` is 1 GB: lists that wait have a quarter."
    aims = [
        Aim(UNIT, who, 0, ("one topic", 0), at_most=1.3) for who in SELECTORS if who != "one topic"
    ] + [Aim(UNIT, who, 10_000, (who, 0), at_most=1.1) for who in SELECTORS]

    def measure(self, lab):
        for others in lab.points([0, 10_000], [100, 1000]):
            with lab.belfry(bus_memory_bytes="1G") as server:
                lab.load("flood", server, path="/topics/b.t{topic}", topics=100, requests=100)
                if others:
                    lab.load("flood", server, path="/topics/o.t{topic}", topics=others, requests=others)
                for who, selector in lab.turns(SELECTORS.items()):
                    figures = lab.fan(
                        server, "sse", sub=f"/topics/{selector}?envelope=no", pub="/topics/b.t0", subs=1000,
                        msgs=lab.times(40), rate=-1, secs=120)
                    yield Figure(UNIT, who, others, figures["cpu_us"])
