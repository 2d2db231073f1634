"""The units that run a program for each job of a group and for each request, where the service runs."""

from collections.abc import Callable

from acts import expect, expect_in, wait_until
from doors import Door
from machine import Machine

TURN_SECONDS = 30
WORKER = "belfry-work@mail.service"
ANSWERER = "belfry-answer@adder.service"


class WorkUnits:
    """Their acts, in this order."""

    def __init__(self, machine: Machine, door: Door) -> None:
        self._machine = machine
        self._door = door

    def acts(self) -> list[Callable[[], str]]:
        """All of them."""
        return [self.a_unit_runs_a_program_for_each_job, self.a_unit_replies_to_each_request,
                self.programs_of_units_can_change_nothing]

    def a_unit_runs_a_program_for_each_job(self) -> str:
        """A job whose program fails comes again, and a unit that was killed goes on."""
        expect_in("Assertion failed", self._machine.refusal(WORKER))
        self._program("work.d/mail", "GROUP=mail", "SELECTOR=jobs.mail", "OPTIONS=--lease 1h",
                      "read -r job; test $BELFRY_ATTEMPT != 1 || test $job != weak || exit 1\n"
                      "echo $job >>$STATE_DIRECTORY/done")
        self._control("enable", WORKER)
        self._control("start", WORKER)
        self._wait_until(lambda: self._door.ask("GET", "/groups/mail").status == 200, WORKER, "the group is there")
        for done in (["weak"], ["weak", "strong"]):
            expect(201, self._door.ask("POST", "/topics/jobs.mail", done[-1].encode()).status)
            self._wait_until(lambda done=done: self._done() == done and self._count() == len(done), WORKER,
                             f"{done} are done")
            self._machine.run("kill", "-KILL", self._machine.show(WORKER, "MainPID"))
        self._control("stop", WORKER)
        return ", ".join(self._done())

    def a_unit_replies_to_each_request(self) -> str:
        """Over a restart of the bus, too."""
        self._program("answer.d/adder", "GROUP=adder", "SELECTOR=math.add", "OPTIONS=", "echo $(($(cat)))")
        self._control("enable", ANSWERER)
        self._control("start", ANSWERER)
        self._wait_until(lambda: self._sum("2+3") == "5", ANSWERER, "a request has its reply")
        self._machine.run("systemctl", "restart", "belfryd.service")
        self._wait_until(lambda: self._sum("20+3") == "23", ANSWERER, "a request behind a restart has its reply")
        return "5 and 23"

    def programs_of_units_can_change_nothing(self) -> str:
        """They have no right, and cannot write to the disk but to a folder of their own."""
        figures = []
        for unit in (WORKER, ANSWERER, "belfry-run@note.service"):
            report = self._machine.run("systemd-analyze", "security", "--no-pager", unit).stdout
            figures.append(float(report.split(f"Overall exposure level for {unit}: ")[1].split()[0]))
        if max(figures) > 2.5:
            raise AssertionError(f"the units are exposed: {figures}")
        self._program("answer.d/adder", "GROUP=adder", "SELECTOR=math.add", "OPTIONS=",
                      "cat >/dev/null; touch /etc/belfry/mine /tmp/mine 2>/dev/null; grep CapBnd /proc/self/status")
        self._control("restart", ANSWERER)
        self._wait_until(lambda: "0" * 16 in self._sum("x"), ANSWERER, "the program says that it has no rights")
        for path in ("etc/belfry/mine", "tmp/mine"):
            if (self._machine.root / path).exists():
                raise AssertionError(f"{path} is there")
        for unit in (WORKER, ANSWERER):
            self._control("disable", unit)
            self._control("stop", unit)
        return f"exposure {max(figures)}"

    def _sum(self, text: str) -> str:
        answer = self._door.ask("POST", "/topics/math.add?reply=5s", text.encode())
        return answer.body.decode().strip() if answer.status == 200 else str(answer.status)

    def _program(self, file: str, group: str, selector: str, options: str, script: str) -> None:
        path = f"/etc/belfry/{file.replace('/', '-')}"
        program = self._machine.root / path[1:]
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        (self._machine.root / "etc/belfry" / file).write_text(f"{group}\n{selector}\n{options}\nPROGRAM={path}\n")

    def _done(self) -> list[str]:
        file = self._machine.root / "var/lib/private/belfry-work/mail/done"
        return file.read_text().splitlines() if file.exists() else []

    def _count(self) -> int:
        return self._door.ask("GET", "/groups/mail").json()["done"]

    def _control(self, verb: str, unit: str) -> None:
        self._machine.run("systemctl", verb, unit)

    def _wait_until(self, condition: Callable[[], bool], unit: str, what: str) -> None:
        wait_until(condition, TURN_SECONDS, what,
                   lambda: f"{self._done()}\n{self._machine.journal(unit)[-4_000:]}")
