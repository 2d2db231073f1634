"""The daemon's unix socket beside loopback TCP."""

from Conductor.row import Aim, Figure, Row

SOCKET, TCP = "unix socket", "TCP"
KEPT, NEW, DELIVERY = "CPU µs a publish", "CPU µs a publish on a new connection", "CPU µs a delivery"


class Unix(Row):
    name = "unix"
    title = "the same work over a unix socket and over TCP, 100 bytes"
    grows = "clients"
    note = "Publishes on kept connections; those of clients that connect anew for each; and event streams of one topic."
    aims = [
        Aim(unit, SOCKET, point, (TCP, point), at_most=1.0)
        for unit, point in ((KEPT, 64), (NEW, 16), (DELIVERY, 100))
    ]

    def measure(self, lab):
        for work in (kept, new, delivery):
            for who in lab.turns([SOCKET, TCP]):
                with lab.belfry(has_socket=True) as server:
                    way = {"unix": server.socket} if who == SOCKET else {}
                    for unit, point, value in work(lab, server, way):
                        yield Figure(unit, who, point, value)


def kept(lab, server, way):
    figures = lab.load("flood", server, path="/topics/t0", connections=64, requests=lab.times(100_000), **way)
    return [(KEPT, 64, figures["cpu_us"]), ("publishes a second", 64, figures["rate"])]


def new(lab, server, way):
    figures = lab.load("oneshot", server, path="/topics/t0", clients=16, requests=lab.times(20_000), **way)
    return [(NEW, 16, figures["cpu_us"]), ("publishes a second on new connections", 16, figures["rate"])]


def delivery(lab, server, way):
    figures = lab.fan(server, "sse", subs=100, msgs=lab.times(1000), rate=-1, **way)
    return [(DELIVERY, 100, figures["cpu_us"]), ("deliveries a second", 100, figures["rate"])]
