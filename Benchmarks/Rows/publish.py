"""Publishing, without anybody who receives."""

from Conductor.row import Aim, Figure, Row

UNIT = "CPU µs an event"


class Publish(Row):
    name = "publish"
    title = "publish, 100 bytes, 64 kept connections"
    grows = "topics"
    note = "`libmicrohttpd` reads the same request and answers a constant."
    aims = [
        Aim(UNIT, "belfryd", 1, ("nchan", 1), at_most=0.85),
        Aim(UNIT, "belfryd", 1, ("libmicrohttpd", 1), at_most=1.15),
    ]

    def measure(self, lab):
        for topics in lab.points([1], [10, 100, 1000, 10000]):
            servers = [lab.belfry(), lab.nchan()] + ([lab.constant()] if topics == 1 else [])
            for server in lab.turns(servers):
                with server:
                    figures = lab.load(
                        "flood", server, path=server.publish_path, topics=topics, requests=lab.times(100_000))
                    yield Figure(UNIT, server.name, topics, figures["cpu_us"])
                    yield Figure("events a second", server.name, topics, figures["rate"])
