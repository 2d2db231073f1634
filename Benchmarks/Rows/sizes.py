"""Large events to many event streams; the next one comes when everybody has the last."""

from Conductor.row import Aim, Figure, Row

KIB, MIB = 1 << 10, 1 << 20
SIZES = (KIB, 16 * KIB, 100 * KIB, MIB)
READERS = (1, 100, 1000)
CPU = {readers: f"CPU µs a delivery to {readers:,}" for readers in READERS}
SPEED = {readers: f"MB of payload a second to {readers:,}" for readers in READERS}
RELAY = "bare relay"
# What bounds a measurement, whichever is less. One subscriber gets fewer bytes: each delivery is a publish too.
DELIVERIES, BYTES = 50_000, {1: 1 << 29, 100: 1 << 31, 1000: 1 << 31}


class Sizes(Row):
    name = "sizes"
    title = "event stream delivery by size, 1 topic, to 1, 100 and 1,000 subscribers"
    grows = "bytes"
    note = (
        "The daemon has its default limits, which let 1 MiB in. `bare relay` writes the same bytes to each socket, without a"
        " parser or a log. 1 MiB to 1,000 subscribers, a gigabyte an event, is only measured with `--growth`.")
    aims = [
        *(Aim(CPU[readers], "belfryd", size, ("nchan", size), at_most=0.9) for readers in READERS for size in SIZES[:3]),
        Aim(SPEED[100], "belfryd", MIB, (RELAY, MIB), at_least=0.8),
    ]

    def measure(self, lab):
        for readers in READERS:
            small = SIZES[:3] if readers == 1000 else SIZES
            for size in lab.points(small, SIZES):
                servers = [lab.belfry(), lab.nchan()] + ([lab.relay()] if (readers, size) == (100, MIB) else [])
                for server in lab.turns(servers):
                    yield from once(lab, server, readers, size)


def once(lab, server, readers, size):
    deliveries = lab.times(min(DELIVERIES, BYTES[readers] // size))
    with server:
        figures = lab.fan(server, "sse", subs=readers, size=size, msgs=max(3, deliveries // readers), rate=-1, secs=60)
    yield Figure(CPU[readers], server.name, size, figures["cpu_us"])
    yield Figure(SPEED[readers], server.name, size, figures["rate"] * size / 1e6)
