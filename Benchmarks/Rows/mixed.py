"""Kept connections of many kinds of clients at one loop, with the heads that these clients send."""

import re
import urllib.request

from Conductor.lab import HERE
from Conductor.row import Aim, Figure, Row
from Conductor.servers import Belfry

PUBLISH, DELIVERY = "CPU µs a publish", "CPU µs a delivery"
CONNECTIONS = 64


class MixedHeads(Row):
    name = "mixed-heads"
    title = "publish and long poll, 100 bytes, kept connections of many kinds of clients"
    grows = "connections"
    note = ("The heads of curl, browsers and libraries of eight languages, as they were recorded"
            " (`Benchmarks/Load/heads`). A client that sends a body apart from its head does so here.")
    aims = [Aim(unit, "belfryd", CONNECTIONS, ("nchan", CONNECTIONS), at_most=0.85) for unit in (PUBLISH, DELIVERY)]

    def measure(self, lab):
        for server in lab.turns([lab.belfry(http_loops=1), lab.nchan()]):
            path, polled = (text.format(topic=0) for text in (server.publish_path, server.subscribe_path))
            poll = {"poll": polled, "nchan": True} if not isinstance(server, Belfry) else {"poll": polled}
            for unit, what, requests, options in (
                    (PUBLISH, "publishes", 100_000, {}), (DELIVERY, "polls", 64_000, poll)):
                with server:
                    yield from self.turn(lab, server, unit, what, path, requests, options)

    def turn(self, lab, server, unit, what, path, requests, options):
        figures = lab.load(
            "mixed", server, path=path, heads=HERE / "Load/heads", connections=CONNECTIONS,
            requests=lab.times(requests), **options)
        yield Figure(unit, server.name, CONNECTIONS, figures["cpu_us"])
        if isinstance(server, Belfry):
            yield Figure(f"{what} whose head was known, of 100", server.name, CONNECTIONS, known(server))


def known(server):
    """The share of requests, of 100, that the daemon answered without parsing them."""
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics", timeout=20) as page:
        counts = dict(re.findall(r"^(belfry_http_\w*requests_total) (\d+)", page.read().decode(), re.MULTILINE))
    return 100 * int(counts["belfry_http_repeated_requests_total"]) / int(counts["belfry_http_requests_total"])
