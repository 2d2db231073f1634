"""The daemon under attack: as a user has it by default, but for what an attack needs."""

import collections
import os
import pathlib
import re
import signal
import socket
import time
import urllib.request

from Conductor.servers import Belfry, Broken

PORTS = range(20_000, 29_000)  # outside of those that the kernel gives to the attack's connections
SCRAPE_SECONDS = 120  # a bus that does not even tell its figures in this time is not measured
SIZES = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}
DEFAULTS = {"bus_memory_bytes": "256M", "http_connections": "16384", "http_header_bytes": "16K"}
CONNECTION_BYTES = SIZES["K"] * 8
ITSELF_BYTES = SIZES["M"] * 20
STORE_BYTES = SIZES["M"] * 8

Scrape = collections.namedtuple("Scrape", "figures at")


def free_port():
    for port in PORTS:
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
    raise Broken(f"no port of {PORTS} is free")


def size(text):
    return int(text.rstrip("KMG")) * SIZES[text.lstrip("0123456789")]


class Daemon(Belfry):
    """One life of it, with an empty configuration file that a reload may change."""

    limits = {}

    def __init__(self, folder, binary, store, settings):
        super().__init__(folder, binary, store, settings)
        self.port = free_port()
        self.store = store
        self.settings = {**DEFAULTS, **settings}
        self.configuration = pathlib.Path(folder) / "belfryd.conf"
        self.command = [
            str(binary), "--config", str(self.configuration), "--listen", "127.0.0.1:@PORT@", "--store", store]

    def prepare(self):
        self.configuration.touch()

    def reload(self, text):
        self.configuration.write_text(text)
        self.process.send_signal(signal.SIGHUP)

    @property
    def reloads(self):
        """How many it has logged."""
        return (self.folder / "log").read_text(errors="replace").count("configuration reloaded")

    def scrape(self):
        """Its figures of this moment."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=SCRAPE_SECONDS) as page:
                lines = page.read().decode().splitlines()
        except OSError as error:
            raise Broken(f"no figures from the bus: {error}") from None
        pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
        return Scrape({name: float(value) for name, value in pairs}, time.monotonic())

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def kept_waiting_seconds(self):
        """How long its threads were ready and had no processor."""
        return self.scheduled_ns(1) / 1e9

    def peak_bytes(self):
        """The most that was resident since `forget_peak`."""
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) * 1024

    def forget_peak(self):
        pathlib.Path(f"/proc/{self.pid}/clear_refs").write_text("5")

    @property
    def bound_bytes(self):
        """What docs/operations.md promises under "Memory beside the bound"."""
        connection = size(self.settings["http_header_bytes"]) + CONNECTION_BYTES
        connections = int(self.settings["http_connections"]) * connection
        stored = 0 if self.store == "memory" else STORE_BYTES
        return size(self.settings["bus_memory_bytes"]) + connections + ITSELF_BYTES + stored


def longest_turn(before, after):
    """The bounds, in milliseconds, of the longest turn of a loop between two looks."""
    def cumulative(look):
        pattern = r'belfry_http_loop_turn_seconds_bucket\{le="(.*)"\}'
        return {float(found[1]): value for name, value in look.figures.items() if (found := re.fullmatch(pattern, name))}

    old, new = cumulative(before), cumulative(after)
    grown = {bound: new[bound] - old[bound] for bound in sorted(new)}
    all_turns = max(grown.values())
    upper = next(bound for bound, turns in grown.items() if turns == all_turns)
    lower = max((bound for bound in grown if bound < upper), default=0.0)
    return lower * 1_000, upper * 1_000
