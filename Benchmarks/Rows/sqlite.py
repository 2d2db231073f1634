"""What the store on the disk adds to publishing and delivery, and what a commit takes."""

import shutil
import tempfile

from Conductor.row import Aim, Figure, Row
from Conductor.servers import Broken

CPU, TIME = "CPU µs a publish and its delivery", "µs a publish and its delivery"
EVENT, RATE = "CPU µs an event", "events a second"
STORES = {"SQLite, normal": "sqlite", "memory": "memory"}


class Sqlite(Row):
    name = "sqlite"
    title = "publish and delivery to one event stream, by store"
    grows = "publishers"
    aims = [
        Aim(CPU, "SQLite, normal", 64, ("memory", 64), at_most=2.0),
        Aim(TIME, "SQLite, normal", 64, ("memory", 64), at_most=2.0),
    ]

    def measure(self, lab):
        requests = lab.times(100_000)
        for publishers in lab.points([64], [1, 8, 640]):
            for who, store in lab.turns(STORES.items()):
                with lab.belfry(store=store) as server:
                    follower = lab.start_load(
                        "fan", server, mode="sse", sub="/topics/t0", subs=1, await_=requests + requests // 10, secs=120)
                    if follower.stderr.readline() != "ready\n":
                        raise Broken("the subscriber was not ready")
                    figures = lab.load(
                        "flood", server, path="/topics/t0", connections=publishers, requests=requests)
                    lab.figures(follower, server)
                    yield Figure(CPU, who, publishers, figures["cpu_us"])
                    yield Figure(TIME, who, publishers, 1e6 / figures["rate"])


class Commits(Row):
    name = "commits"
    title = "one publisher, 100 bytes, a commit for each event"
    grows = "publishers"
    note = ("`SQLite alone` is a C program that writes the same rows with the same settings, and does nothing else"
            " (`Benchmarks/Peers/commits.c`). A commit of belfryd has a page more: the topic's row, which counts its events.")
    aims = [Aim(EVENT, "SQLite, normal", 1, ("memory", 1), at_most=2.5)]

    def measure(self, lab):
        requests = lab.times(50_000)
        for who, store in lab.turns([*STORES.items(), ("SQLite alone", None)]):
            if store:
                with lab.belfry(store=store) as server:
                    figures = lab.load("flood", server, path="/topics/t0", connections=1, requests=requests)
            else:
                folder = tempfile.mkdtemp(dir=lab.folder)
                try:
                    figures = lab.alone("commits", f"{folder}/events.db", requests)
                finally:
                    shutil.rmtree(folder)
            yield Figure(EVENT, who, 1, figures["cpu_us"])
            yield Figure(RATE, who, 1, figures["rate"])
