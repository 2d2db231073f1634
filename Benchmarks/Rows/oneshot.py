"""A new connection for each request, as each `curl` of a script makes one."""

from Conductor.row import Aim, Figure, Row

PUBLISH, POLL = "CPU µs a publish", "CPU µs a poll"
# How clients end: what they send, and how the figure is told from the first.
ENDS = {"": {}, ", `Connection: close`": {"close": True}, ", HTTP/1.0": {"version": "1.0"}}


class OneshotPublish(Row):
    name = "oneshot-publish"
    title = "connect, publish 100 bytes, close, with the head of curl"
    grows = "clients"
    note = "HTTP/1.1 where nothing is said. SQLite is `store.sync = normal`, redis-server has its append-only file (`everysec`)."
    aims = [
        *(Aim(PUBLISH, "belfryd", point, ("nchan", point), at_most=0.8) for point in (1, 16, 64)),
        Aim(PUBLISH, "belfryd, SQLite", 64, ("belfryd", 64), at_most=1.5),
        Aim(PUBLISH, "belfryd, SQLite", 1, ("belfryd", 1), at_most=2.5),
        *(Aim(PUBLISH + end, "belfryd", 16, ("nchan", 16), at_most=0.8) for end in list(ENDS)[1:]),
    ]

    def measure(self, lab):
        for clients in (1, 16, 64):
            for who, server in lab.turns(contestants(lab)):
                with server:
                    for end, options in ENDS.items() if clients == 16 and who in ("belfryd", "nchan") else [("", {})]:
                        yield from self.turn(lab, who, server, clients, end, options)

    def turn(self, lab, who, server, clients, end, options):
        asked = {"redis": True} if who == "redis-server" else {"path": server.publish_path.format(topic=0), **options}
        figures = lab.load("oneshot", server, clients=clients, requests=lab.times(10_000), **asked)
        yield Figure(PUBLISH + end, who, clients, figures["cpu_us"])
        yield Figure("publishes a second" + end, who, clients, figures["rate"])


def contestants(lab):
    return [
        ("belfryd", lab.belfry()), ("nchan", lab.nchan()), ("belfryd, SQLite", lab.belfry(store="sqlite")),
        ("redis-server", lab.redis()),
    ]


class OneshotPoll(Row):
    name = "oneshot-poll"
    title = "connect, wait, get one event of 100 bytes, close"
    grows = "waiting"
    aims = [Aim(POLL, "belfryd", point, ("nchan", point), at_most=0.8) for point in (100, 1000)]

    def measure(self, lab):
        for waiting, waves in ((100, 30), (1000, 5)):
            for server in lab.turns([lab.belfry(), lab.nchan()]):
                with server:
                    figures = lab.load(
                        "oneshot", server, path=server.publish_path.format(topic=0),
                        poll=server.subscribe_path.format(topic=0), clients=waiting, waves=lab.times(waves))
                    yield Figure(POLL, server.name, waiting, figures["cpu_us"])
