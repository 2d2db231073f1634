"""Publishing, without anybody who receives."""

from Conductor.row import Aim, Figure, Row

UNIT = "CPU µs an event"
BY_WRK = "CPU µs an event, by wrk"


class Publish(Row):
    name = "publish"
    title = "publish, 100 bytes, 64 kept connections"
    grows = "topics"
    note = (
        "`libmicrohttpd` reads the same request and answers a constant. SQLite is `store.sync = normal`, redis-server has"
        " its append-only file (`everysec`).")
    aims = [
        Aim(UNIT, "belfryd", 1, ("nchan", 1), at_most=0.85),
        Aim(UNIT, "belfryd", 1, ("libmicrohttpd", 1), at_most=1.15),
        Aim(BY_WRK, "belfryd", 1, ("nchan", 1), at_most=0.85),
    ]

    def measure(self, lab):
        for topics in lab.points([1], [10, 100, 1000, 10000]):
            for who, server in lab.turns(contestants(lab, topics)):
                with server:
                    figures = lab.load(
                        "flood", server, path=server.publish_path, topics=topics, requests=lab.times(100_000),
                        **({"redis": True} if who == "redis-server" else {}))
                    yield Figure(UNIT, who, topics, figures["cpu_us"])
                    yield Figure("events a second", who, topics, figures["rate"])
        for who, server in lab.turns(contestants(lab, 1)[:4]):
            with server:
                path = server.publish_path.format(topic=0)
                figures = lab.wrk(server, path, connections=64, seconds=1 if lab.quick else 2)
                yield Figure(BY_WRK, who, 1, figures["cpu_us"])
                yield Figure("events a second, by wrk", who, 1, figures["rate"])


class ParsedPublish(Row):
    name = "parsed"
    title = "publish, 100 bytes, 64 kept connections, each request with an X-Request-Id of its own"
    grows = "topics"
    note = "No head comes twice, so each is parsed: so it is with clients that give each request an id."
    aims = [
        Aim(UNIT, "belfryd", 1, ("nchan", 1), at_most=1.2),
        Aim(UNIT, "belfryd", 1, ("libmicrohttpd", 1), at_most=1.5),
    ]

    def measure(self, lab):
        for who, server in lab.turns(contestants(lab, 1)[:3]):
            with server:
                figures = lab.load(
                    "flood", server, path=server.publish_path, numbered=True, requests=lab.times(100_000))
                yield Figure(UNIT, who, 1, figures["cpu_us"])
                yield Figure("events a second", who, 1, figures["rate"])


def contestants(lab, topics):
    both = [("belfryd", lab.belfry()), ("nchan", lab.nchan())]
    if topics > 1:
        return both
    return [
        *both, ("libmicrohttpd", lab.constant()), ("belfryd, SQLite", lab.belfry(store="sqlite")),
        ("redis-server", lab.redis()),
    ]
