"""One attack on one store, with the ordinary client before it and beside it."""

import multiprocessing
import os
import time

from Conductor.servers import Broken

from .attack import Measurement
from .client import Client
from .daemon import Daemon
from .load import run_waves

CALM_SECONDS = 1
AFTER_SECONDS = 5
GIVEN_WAY = 10  # added to the attack's niceness: its client is not to be what others wait for
END_SECONDS = 60


class AttackProcess:
    """The process that attacks."""

    def __init__(self, attack, port):
        self._pipe, self._theirs = multiprocessing.Pipe()
        self._process = multiprocessing.Process(target=self._work, args=(attack, port, self._theirs), daemon=True)
        self.waves = 0
        self.outcome = None

    def __enter__(self):
        self._process.start()
        self._theirs.close()
        return self

    @staticmethod
    def _work(attack, port, pipe):
        os.nice(GIVEN_WAY)
        run_waves(attack.waves(), port, pipe)

    def listen(self, seconds):
        """Waits so long for news: a wave that has settled, or the end."""
        end = time.monotonic() + seconds
        while self.outcome is None and self._pipe.poll(max(0, end - time.monotonic())):
            try:
                news = self._pipe.recv()
            except EOFError:
                raise Broken("the attack failed") from None
            if news is None:
                self.waves += 1
            else:
                self.outcome = news

    def stop(self):
        """Has it do nothing more. Its connections stay."""
        if self.outcome is None:
            self._pipe.send(None)
            self.listen(END_SECONDS)
        if self.outcome is None:
            raise Broken("the attack does not end")

    def __exit__(self, *_):
        """Its connections end with it."""
        self._process.kill()
        self._process.join()


def go_on(attack, daemon, process, seconds, limit):
    """Lets the attack become complete, and then last for so long; not beyond the moment `limit`."""
    while process.waves < attack.waves_min and process.outcome is None and time.monotonic() < limit:
        attack.meanwhile(daemon, None)
        process.listen(0.1)
    complete = time.monotonic()
    while process.outcome is None and time.monotonic() < min(limit, complete + seconds):
        attack.meanwhile(daemon, time.monotonic() - complete)
        process.listen(0.1)


def run(attack, daemon, options):
    """The attack on a daemon that runs."""
    attack.prepare(daemon)
    time.sleep(CALM_SECONDS)
    with Client(daemon.port, attack.kinds) as client:
        time.sleep(options.baseline_seconds)
        baseline = client.stop()
    if baseline[1]:
        raise Broken(f"without the attack: {baseline[1][0]}")
    before = daemon.scrape()
    daemon.forget_peak()
    start_bytes = daemon.resident_bytes()
    cpu, waited, began = daemon.cpu_seconds(), daemon.kept_waiting_seconds(), time.monotonic()
    with Client(daemon.port, attack.kinds, serial=1_000_000) as client, AttackProcess(attack, daemon.port) as process:
        go_on(attack, daemon, process, options.seconds, began + options.limit)
        seconds = time.monotonic() - began
        cpu = (daemon.cpu_seconds() - cpu) / seconds
        waited = (daemon.kept_waiting_seconds() - waited) / seconds
        beside = client.stop()
        process.stop()
        seen = Measurement(
            baseline, beside, before, daemon.scrape(), process.outcome, seconds, cpu, waited,
            daemon.peak_bytes(), daemon.bound_bytes, start_bytes, reloads=daemon.reloads)
    time.sleep(AFTER_SECONDS)
    seen.end_bytes = daemon.resident_bytes()
    attack.check(seen)
    return seen


def measure(attack, store, folder, options):
    with Daemon(folder, options.daemon, store, attack.settings) as daemon:
        return run(attack, daemon, options)
