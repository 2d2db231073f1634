"""The image of the Dockerfile, running as docs/container.md says, and used by curl.

Usage: in_container.py --store FOLDER --image NAME
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from acts import expect, perform, wait_until
from network import enter

PORT = 7464
HOST = f"localhost:{PORT}"
OUTER_ADDRESS = "192.0.2.1"
"""An address of the container that is not its loopback, as a published port ends at one."""
READY_SECONDS = 30
STOP_SECONDS = 20


class Podman:
    """podman with a store of its own, on machines with two versions of control groups too."""

    def __init__(self, store: Path) -> None:
        # The second one is hidden from it, in a mount namespace that nobody else sees.
        self._command = [
            "unshare", "--mount", "sh", "-c",
            'umount /sys/fs/cgroup/unified 2>/dev/null; exec podman "$@"', "podman",
            "--root", str(store / "graph"), "--runroot", str(store / "run"),
            "--storage-driver", "overlay", "--cgroup-manager", "cgroupfs",
            "--events-backend", "file"]

    def __call__(self, *arguments: str, is_checked: bool = True) -> str:
        done = subprocess.run([*self._command, *arguments], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False, timeout=120)
        if is_checked and done.returncode != 0:
            raise RuntimeError(f"podman {' '.join(arguments)}: {done.returncode}\n"
                               f"{done.stdout}{done.stderr}")
        return done.stdout.strip()


class Container:
    """One container of the image, in a network where there is nothing else."""

    def __init__(self, podman: Podman, image: str, volume: str) -> None:
        self._podman = podman
        limit = "4096:4096"  # no more than this process may have
        self.name = podman(
            "run", "--detach", "--network", "none", "--cgroups", "disabled",
            "--ulimit", f"nofile={limit}", "--ulimit", f"nproc={limit}",
            "--read-only", "--read-only-tmpfs=false", "--cap-drop", "all",
            "--security-opt", "no-new-privileges", "--volume", f"{volume}:/var/lib/belfry", image)
        self.pid = int(self.inspect("{{.State.Pid}}"))

    def inspect(self, form: str) -> str:
        """What podman knows of it."""
        return self._podman("inspect", "--format", form, self.name)

    def execute(self, *command: str, is_checked: bool = True) -> str:
        """Runs a command in it."""
        return self._podman("exec", self.name, *command, is_checked=is_checked)

    def check_health(self) -> None:
        """Runs the health check of its image."""
        self._podman("healthcheck", "run", self.name)

    def logs(self) -> str:
        """What the daemon said."""
        return self._podman("logs", self.name, is_checked=False)

    def stop(self) -> int:
        """Ends it as `docker stop` does, and returns the daemon's exit status."""
        self._podman("stop", "--time", str(STOP_SECONDS), self.name)
        return int(self.inspect("{{.State.ExitCode}}"))

    def remove(self) -> None:
        """Leaves nothing of it but the volume."""
        self._podman("rm", "--force", "--time", "0", self.name, is_checked=False)


def curl(*arguments: str) -> str:
    """What curl prints."""
    return subprocess.run(["curl", "-sS", "--max-time", "30", *arguments], check=True,
                          capture_output=True, text=True).stdout


class Acts:
    """What has to be true of a running container, and then of the next on its volume."""

    def __init__(self, start: Callable[[], Container]) -> None:
        self._start = start
        self.container = start()
        self._enter()

    def all(self) -> list[Callable[[], str]]:
        """In this order."""
        return [self.it_is_healthy, self.it_is_nobody, self.its_disk_is_read_only,
                self.it_publishes_and_delivers, self.a_published_port_reaches_it,
                self.other_hosts_do_not, self.a_stop_answers_those_who_wait,
                self.the_next_on_its_volume_has_the_events]

    def it_is_healthy(self) -> str:
        """The health check of the image says so."""
        self.container.check_health()
        return self.container.inspect("{{.Config.Healthcheck.Test}}")

    def it_is_nobody(self) -> str:
        """It runs as a user that is not root, and without any capability."""
        status = Path(f"/proc/{self.container.pid}/status").read_text()
        found = dict(re.findall(r"^(Uid|Gid|Cap\w+|NoNewPrivs):\s+(\S+)", status, re.M))
        capabilities = {name: value for name, value in found.items() if name.startswith("Cap")}
        expect({name: "0" * 16 for name in capabilities}, capabilities)
        expect(5, len(capabilities))
        expect(["7464", "7464", "1"], [found["Uid"], found["Gid"], found["NoNewPrivs"]])
        return "uid 7464, no capabilities, no new privileges"

    def its_disk_is_read_only(self) -> str:
        """Nothing but the volume can be written."""
        mounts = Path(f"/proc/{self.container.pid}/mountinfo").read_text().splitlines()
        options = next(line.split()[5] for line in mounts if line.split()[4] == "/")
        expect("ro", options.split(",")[0])
        writable = self.container.execute(
            "sh", "-c", "for f in / /etc /usr /run /tmp /var /var/lib/belfry; do "
                        "(: >$f/.try) 2>/dev/null && rm $f/.try && echo $f; done; :")
        expect("/var/lib/belfry", writable)
        return "the root, /run and /tmp too"

    def it_publishes_and_delivers(self) -> str:
        """To one who waits."""
        curl("-X", "PUT", f"{HOST}/topics/deploys")
        with ThreadPoolExecutor() as threads:
            waiting = self._wait(threads, "topics/deploys")
            told = json.loads(curl("-d", "v1.2 is live", f"{HOST}/topics/deploys"))
            expect("v1.2 is live", waiting.result())
        expect(1, told["subscribers"])
        return f"event {told['id']}"

    def a_published_port_reaches_it(self) -> str:
        """`-p 127.0.0.1:7464:7464` ends at an address of the container that is not its loopback,
        with the Host that the client used. Nobody vouches for that client."""
        way = ("--connect-to", f"{HOST}:{OUTER_ADDRESS}:{PORT}")
        expect("v1.2 is live", curl(*way, f"{HOST}/topics/deploys?since=earliest"))
        curl(*way, "-d", "from outside", f"{HOST}/topics/visitors")
        told = json.loads(curl(f"{HOST}/topics/visitors?since=earliest&as=json"))
        expect([False], ["sender" in event for event in told["events"]])
        status = ("-o", "/dev/null", "-w", "%{http_code}", "-X", "DELETE")
        expect("403", curl(*way, *status, f"{HOST}/topics/visitors"))
        expect("204", self.container.execute("curl", "-sS", *status, f"{HOST}/topics/visitors"))
        return f"{OUTER_ADDRESS}:{PORT} as {HOST}, without a sender"

    def other_hosts_do_not(self) -> str:
        """The Host is checked all the same, and so is the Origin."""
        statuses = [
            curl("-o", "/dev/null", "-w", "%{http_code}", "-H", header,
                 f"{OUTER_ADDRESS}:{PORT}/topics") for header in
            ("Host: evil.example", f"Host: {OUTER_ADDRESS}:{PORT}", "Host: localhost:80")]
        expect(["421"] * 3, statuses)
        expect("403", curl("-o", "/dev/null", "-w", "%{http_code}", "-H",
                           "Origin: http://evil.example", f"{HOST}/topics"))
        return "421 and 403"

    def a_stop_answers_those_who_wait(self) -> str:
        """SIGTERM drains."""
        with ThreadPoolExecutor() as threads:
            waiting = self._wait(threads, "topics/deploys", "-w", "%{http_code}")
            expect(0, self.container.stop())
            expect("204", waiting.result())
        return "204, and exit status 0"

    def the_next_on_its_volume_has_the_events(self) -> str:
        """Under the same ids, and the next are above them."""
        self.container.remove()
        self.container = self._start()
        self._enter()
        second = json.loads(curl("-d", "v1.3 is live", f"{HOST}/topics/deploys"))["id"]
        lines = curl(f"{HOST}/topics/deploys?since=earliest&as=ndjson&wait=0").splitlines()
        events = [json.loads(line) for line in lines if '"topic"' in line]
        expect(["v1.2 is live", "v1.3 is live"], [event["data"] for event in events])
        expect(second, events[-1]["id"])
        expect(0, self.container.stop())
        return f"{events[0]['id']} and {second}"

    def _enter(self) -> None:
        enter(self.container.pid)
        subprocess.run(["ip", "address", "add", f"{OUTER_ADDRESS}/32", "dev", "lo"], check=True)
        wait_until(self._is_ready, READY_SECONDS, "the daemon is ready", self.container.logs)

    @staticmethod
    def _is_ready() -> bool:
        return subprocess.run(["curl", "-fs", "-o", "/dev/null", f"{HOST}/readyz"],
                              check=False).returncode == 0

    @staticmethod
    def _wait(threads: ThreadPoolExecutor, path: str, *options: str) -> Future[str]:
        waiting = threads.submit(curl, *options, f"{HOST}/{path}")
        wait_until(lambda: '"subscribers":1' in curl(f"{HOST}/topics"), READY_SECONDS, "it waits")
        return waiting


def main() -> int:
    """Starts a container, and goes through the acts until one fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--image", required=True, metavar="NAME")
    options = parser.parse_args()
    podman = Podman(options.store)
    containers: list[Container] = []
    volume = f"belfry-test-{os.getpid()}"

    def start() -> Container:
        containers.append(Container(podman, options.image, volume))
        return containers[-1]

    try:
        acts = Acts(start)
        return perform(acts.all(), lambda: acts.container.logs())
    finally:
        for each in containers:
            each.remove()
        podman("volume", "rm", "--force", volume, is_checked=False)


if __name__ == "__main__":
    sys.exit(main())
