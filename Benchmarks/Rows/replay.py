"""One reader that takes all that is retained, as fast as it comes."""

from Conductor.row import Aim, Figure, Row

UNIT = "MB of payload a second"
KEEP = {"retention_keep": "none", "retention_bytes": "none", "bus_memory_bytes": "4G"}
FORMS = {
    "event stream": {"path": "/topics/t0?since=earliest&wait=0&as=sse"},
    "NDJSON": {"path": "/topics/t0?since=earliest&wait=0&as=ndjson"},
    "WebSocket": {"path": "/topics/t0?since=earliest&as=raw", "websocket": True},
}


class Replay(Row):
    name = "replay"
    title = "replay of retained events of 1 KB to one reader"
    grows = "events"
    aims = [Aim(UNIT, "event stream", 100_000, at_least=1000)]

    def measure(self, lab):
        for events in lab.points([100_000], [10_000, 1_000_000]):
            with lab.belfry(**KEEP) as server:
                lab.fill(server, ["t0"], events, 1024)
                for who, options in lab.turns(FORMS.items()):
                    figures = lab.load("drain", server, events=events, size=1024, **options)
                    yield Figure(UNIT, who, events, figures["payload_MB_per_s"])
                    yield Figure("CPU µs an event", who, events, figures["cpu_us"])
