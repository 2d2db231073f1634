"""Throughput: batches of small events to subscribers that stream."""

from Conductor.row import Aim, Figure, Row

UNIT = "deliveries a second"
STREAM, SOCKET, NATS = "belfryd, event streams", "belfryd, WebSockets", "nats-server"

# Readers may fall behind here by more than a topic keeps by default; a gap would be no delivery.
KEEP = {"retention_keep": "none", "retention_bytes": "none", "bus_memory_bytes": "2G"}


class Batches(Row):
    name = "batches"
    title = "batches of 100 events of 100 bytes to subscribers that stream"
    grows = "subscribers"
    note = "One publisher, 8 batches under way. nats-server with its own C client, a connection for each subscriber."
    aims = [
        Aim(UNIT, STREAM, point, (NATS, point), at_least=1.0) for point in (1, 10, 100)
    ]

    def measure(self, lab):
        for subscribers in lab.points([1, 10, 100], [1000]):
            batches = lab.times(max(20_000, 2_000_000 // max(subscribers, 1)) // 100)
            work = {"subs": subscribers, "msgs": batches, "batch": 100, "pipeline": 8}
            for who in lab.turns([STREAM, SOCKET, NATS]):
                with lab.nats() if who == NATS else lab.belfry(**KEEP) as server:
                    if who == NATS:
                        figures = lab.load("nats_fan", server, **work)
                    else:
                        figures = lab.fan(
                            server, "ws" if who == SOCKET else "sse",
                            pub=server.publish_path + "?split=lines", **work)
                    yield Figure(UNIT, who, subscribers, figures["rate"])
                    yield Figure("CPU µs a delivery", who, subscribers, figures["cpu_us"])
