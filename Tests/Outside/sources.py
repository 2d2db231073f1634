"""Programs that never end as sources of events: the lines of docs/command.md, as people type them."""

import json
import re
import shlex
from collections.abc import Callable

from acts import wait_until
from doors import Door
from machine import Machine
from pages import commands

TURN_SECONDS = 30


class Sources:
    """Its act, on a machine where the service runs."""

    def __init__(self, machine: Machine, door: Door) -> None:
        self._machine = machine
        self._door = door
        # What happens there for each program to tell of, and what an event tells then.
        self._deeds: dict[str, tuple[Callable[[], object], Callable[[str], bool]]] = {
            "journalctl": (self._log, lambda data: data == "Accepted publickey for ci"),
            "inotifywait": (self._arrive, lambda data: data == "CLOSE_WRITE,CLOSE /srv/incoming/a b.csv"),
            "busctl": (self._call, lambda data: json.loads(data).get("member") == "ListNames"),
        }

    def programs_that_never_end_are_sources(self) -> str:
        """Each line of the page publishes what happens, when it happens."""
        (self._machine.root / "srv/incoming").mkdir(parents=True)
        lines = commands("docs/command.md", "### Programs that never end", "sh not-run").splitlines()
        programs = [shlex.split(line.removeprefix("sudo "))[0] for line in lines]
        if programs != list(self._deeds):
            raise AssertionError(f"{programs} instead of {list(self._deeds)}")
        return ", ".join(
            self._try(program, line) for program, line in zip(programs, lines, strict=True))

    def _try(self, program: str, line: str) -> str:
        topic = re.search(r"belfry pub (\S+)", line)[1]
        deed, is_told = self._deeds[program]
        log = self._machine.log.with_name(f"{program}.log")

        def is_there() -> bool:
            # Again and again: nobody knows when the program begins to look.
            deed()
            return any(is_told(data) for data in self._events(topic))

        # An end as a unit would wait for control groups that the machine does not have.
        with self._machine.typed(line.removeprefix("sudo "), log):
            wait_until(is_there, TURN_SECONDS, line,
                       lambda: f"{self._events(topic)}\n{log.read_text(errors='replace')}")
        return topic

    def _events(self, topic: str) -> list[str]:
        target = f"/topics/{topic}?as=json&since=earliest&wait=0"
        events = self._door.ask("GET", target).json()["events"]
        return [each["data"] if isinstance(each["data"], str) else json.dumps(each["data"])
                for each in events]

    def _log(self) -> None:
        self._machine.run("systemd-run", "--quiet", "--collect", "--wait", "--unit=ssh",
                          "echo", "Accepted publickey for ci")

    def _arrive(self) -> None:
        (self._machine.root / "srv/incoming/a b.csv").write_text("1,2\n")

    def _call(self) -> None:
        self._machine.run("busctl", "list")
