"""What rows work with: servers, loads, and the order of turns."""

import http.client
import pathlib
import subprocess

from .servers import Beanstalkd, Belfry, Broken, JetStream, Nchan, Redis, Server

HERE = pathlib.Path(__file__).resolve().parent.parent
COMMON = ("Load/wire.c", "Load/usage.c")
PROGRAMS = {
    "fan": ("Load/fan.c", "Load/subscribers.c", "Load/publisher.c", *COMMON, "-lpthread"),
    "flood": ("Load/flood.c", *COMMON),
    "oneshot": ("Load/oneshot.c", *COMMON, "-lpthread"),
    "mixed": ("Load/mixed.c", "Load/heads.c", *COMMON),
    "workers": ("Load/workers.c", *COMMON),
    "drain": ("Load/drain.c", *COMMON),
    "nats_fan": ("Load/nats_fan.c", *COMMON, "-lnats"),
    "constant": ("Peers/constant.c", "-lmicrohttpd"),
    "relay": ("Peers/relay.c",),
    "commits": ("Peers/commits.c", "-lsqlite3"),
    "allocations.so": ("Counts/allocations.c", "-shared", "-fPIC"),
}


def told(text):
    """The figures that a load prints, each as `name=value`."""
    return {name: float(value) for name, value in (part.split("=") for part in text.split())}


class Lab:
    """The tools of one run."""

    def __init__(self, daemon, folder, growth=False, quick=False):
        self.daemon = pathlib.Path(daemon).resolve()
        self.folder = pathlib.Path(folder).resolve()
        self.growth = growth
        self.quick = quick
        self.round = 0

    def build(self, *names):
        """Compiles the named programs, or all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in names or PROGRAMS:
            parts = PROGRAMS[name]
            sources = [str(HERE / part) for part in parts if part.endswith(".c")]
            flags = [part for part in parts if part.startswith("-")]
            subprocess.run(
                ["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", str(self.folder / name), *sources, *flags],
                check=True)

    def for_valgrind(self):
        """Measures a copy of the daemon that valgrind can read: the debug information of Swift it cannot."""
        bare = self.folder / "belfryd.symbols"
        subprocess.run(["strip", "--strip-debug", "-o", str(bare), str(self.daemon)], check=True)
        self.daemon = bare

    def turns(self, contestants):
        """The contestants, in an order that turns round from round to round."""
        return list(contestants)[:: -1 if self.round % 2 else 1]

    def points(self, table, growth=()):
        """The points to measure: those of the table, and with `--growth` the others."""
        return sorted({*table, *(growth if self.growth else ())})

    def times(self, count):
        """So many operations, or a tenth with `--quick`."""
        return max(1, count // 10 if self.quick else count)

    def belfry(self, store="memory", wrap=(), has_socket=False, **settings):
        return Belfry(self.folder / "belfryd", self.daemon, store, settings, wrap, has_socket)

    def nchan(self, wrap=()):
        return Nchan(self.folder / "nchan", HERE / "Peers/nchan.conf", wrap)

    def constant(self):
        return Server("libmicrohttpd", self.folder / "peer", [str(self.folder / "constant"), "@PORT@"])

    def relay(self):
        return Server("bare relay", self.folder / "peer", [str(self.folder / "relay"), "@PORT@"])

    def nats(self):
        return Server("nats-server", self.folder / "peer", ["nats-server", "-a", "127.0.0.1", "-p", "@PORT@"])

    def beanstalkd(self):
        return Beanstalkd(self.folder / "peer")

    def redis(self):
        return Redis(self.folder / "peer")

    def jetstream(self):
        return JetStream(self.folder / "peer")

    def start_load(self, program, server, **options):
        """Starts a load on the server; options are its own, lists repeated."""
        command = [str(self.folder / program), "--port", str(server.port), "--pid", str(server.pid)]
        for name, value in options.items():
            for one in value if isinstance(value, (list, tuple)) else [value]:
                command.append(f"--{name.strip('_')}")
                if one is not True:
                    command.append(str(one))
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def alone(self, program, *arguments):
        """What a program printed that needs no server."""
        command = [str(self.folder / program), *map(str, arguments)]
        return self.figures(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))

    def figures(self, load, server=None):
        """What the load printed, once it has ended; a load that fails breaks the row."""
        name = server.name if server else "alone"
        try:
            out, err = load.communicate(timeout=180)
        except subprocess.TimeoutExpired:
            load.kill()
            raise Broken(f"{name}: the load did not end") from None
        if load.returncode:
            raise Broken(f"{name}: {pathlib.Path(load.args[0]).name}: {(err + out).strip()[:400]}")
        return told(out)

    def load(self, program, server, **options):
        return self.figures(self.start_load(program, server, **options), server)

    def wrk(self, server, path, connections, seconds):
        """Publishes by `wrk` over kept connections: operations, their rate, and the server's CPU for each."""
        before = server.cpu_ns()
        load = subprocess.run(
            ["wrk", "-t", "1", "-c", str(connections), "-d", f"{seconds}s", "-s", str(HERE / "Load/publish.lua"),
             f"http://127.0.0.1:{server.port}{path}"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=180, check=False)
        figures = {} if load.returncode else told(load.stdout.splitlines()[-1])
        if figures.get("failed") != 0:
            raise Broken(f"{server.name}: wrk: {load.stdout.strip()[:400]}")
        figures["cpu_us"] = (server.wait_until_idle() - before) / 1000 / figures["requests"]
        return figures

    def fan(self, server, mode, **options):
        """`fan` in one of its modes, with the paths of the server where none are given."""
        defaults = {"mode": mode, "pub": server.publish_path, "sub": server.subscribe_path}
        if mode == "lp":
            defaults["next"] = server.next_poll
        if mode == "ws" and isinstance(server, Belfry):
            defaults["sub"] += "?as=raw"
        return self.load("fan", server, **{**defaults, **options})

    def fill(self, server, topics, events, size, lines=1000):
        """Publishes so many marked events to each of the topics, in batches."""
        line = b"@T=0000000000000001@".rjust(size, b"x") + b"\n"
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        for topic in topics:
            for begin in range(0, events, lines):
                body = line * min(lines, events - begin)
                connection.request("POST", f"/topics/{topic}?split=lines", body)
                answer = connection.getresponse()
                said = answer.read()
                if answer.status != 201:
                    raise Broken(f"{server.name}: {said[:300]!r}")
        connection.close()
