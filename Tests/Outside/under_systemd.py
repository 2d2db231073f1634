"""The installed service under a real systemd.

Usage: under_systemd.py --installed FOLDER --elsewhere FOLDER [--restarts N]
"""

import argparse
import contextlib
import re
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from acts import expect, expect_in, perform, wait_until
from doors import Answer, Door, doors
from machine import Machine, machine_like_this_one
from network import enter
from pages import PROJECT, commands
from pub_unit import STAMP as PUB_STAMP
from pub_unit import TIMER as PUB_TIMER
from pub_unit import PubUnit
from push_unit import UNIT as PUSH_UNIT
from push_unit import PushUnit
from sources import Sources
from traffic import Traffic
from work_units import WorkUnits

SERVICE = "belfryd.service"
SOCKETS = "belfryd.socket"
PORT = 7464
CONFIGURATION = "etc/belfry/belfryd.conf"
ELSEWHERE = {
    "DESTDIR": "", "PREFIX": "/opt/belfry", "SYSCONFDIR": "/etc", "UNITDIR": "/etc/systemd/system",
    "DOCDIR": "/opt/belfry/share/doc/belfry",
}
"""Where the second installation is, in the words of the Makefile."""
EXPOSURE_MAX = 1.5
WAITING = 100
TURN_SECONDS = 30
EVENTS_BETWEEN = 20
"""Answered between two restarts, by the publishers of all doors together."""


class Service:
    """The service on its machine, and the acts that it has to pass, in this order."""

    def __init__(self, machine: Machine, elsewhere: Path, restarts: int) -> None:
        self._machine = machine
        self._elsewhere = elsewhere
        self._restarts = restarts
        self._doors: list[Door] = []
        self._backup = ("", 0)

    def acts(self) -> list[Callable[[], str]]:
        """All of them."""
        return [
            self.every_socket_starts_it, self.it_says_how_it_stands, self.it_is_nobody,
            self.it_is_hardened, self.a_reload_changes_what_can_change_live,
            self.a_broken_file_fails_the_reload_and_nothing_else, self.a_stop_answers_those_who_wait,
            self.a_client_that_dawdles_does_not_hold_up_a_stop, self.its_state_stays,
            self.the_documented_backup_copies_its_store, self.the_documented_restore_puts_it_back,
            self.addresses_of_the_file_are_said_to_be_unused,
            self.a_credential_lets_its_bearer_in,
            self.restarts_refuse_nobody_and_lose_nothing, self.a_crash_refuses_nobody_who_comes_after,
            self.a_hung_daemon_is_replaced, self.a_unit_runs_a_program_for_each_event,
            *WorkUnits(self._machine, self._doors[0]).acts(),
            *PushUnit(self._machine, self._doors[0]).acts(),
            *PubUnit(self._machine, self._doors[0]).acts(),
            Sources(self._machine, self._doors[0]).programs_that_never_end_are_sources,
            self.another_prefix_serves_the_same_state,
            self.an_uninstall_stops_it_and_says_what_stays,
        ]

    def start(self) -> None:
        """Puts the sockets there, as `systemctl enable --now` does."""
        self._machine.run("systemctl", "enable", "--now", SOCKETS)
        self._doors = doors(PORT, self._machine.path("/run/belfry/belfry.sock"))
        enter(self._machine.leader)

    def every_socket_starts_it(self) -> str:
        """A request through any door starts a service that is not there, and waits for it."""
        for door in self._doors:
            self._control("stop", SERVICE)
            expect("inactive", self._machine.show(SERVICE, "ActiveState"))
            expect_status(200, door.ask("GET", "/readyz"))
            expect("active", self._machine.show(SERVICE, "ActiveState"))
        return ", ".join(door.name for door in self._doors)

    def it_says_how_it_stands(self) -> str:
        """systemd knows that it is ready because it said so, and where it serves."""
        expect("notify", self._machine.show(SERVICE, "Type"))
        status = self._machine.show(SERVICE, "StatusText")
        for address in (f"127.0.0.1:{PORT}", f"[::1]:{PORT}", "/run/belfry/belfry.sock"):
            if address not in status:
                raise AssertionError(f"{address} is not in {status}")
        return status

    def it_is_nobody(self) -> str:
        """It runs as a user that exists for it alone, and without any capability."""
        status = self._machine.path(f"/proc/{self._pid()}/status").read_text()
        found = dict(re.findall(r"^(Uid|CapEff|CapBnd|NoNewPrivs|Seccomp):\s+(\S+)", status, re.M))
        if not 61184 <= int(found["Uid"]) <= 65519:
            raise AssertionError(f"uid {found['Uid']} is none of a dynamic user")
        expect(["0" * 16] * 2, [found["CapEff"], found["CapBnd"]])
        expect(["1", "2"], [found["NoNewPrivs"], found["Seccomp"]])
        state = self._machine.root / "var/lib/private/belfry"
        expect(0o700, state.stat().st_mode & 0o777)
        return f"uid {found['Uid']}, no capabilities, state in {len(list(state.iterdir()))} files"

    def it_is_hardened(self) -> str:
        """systemd's own measure of what a service could do to the machine."""
        report = self._machine.run("systemd-analyze", "security", "--no-pager", SERVICE).stdout
        match = re.search(r"Overall exposure level for \S+: ([0-9.]+)", report)
        if match is None or float(match[1]) > EXPOSURE_MAX:
            raise AssertionError(f"more than {EXPOSURE_MAX}:\n{report}")
        return f"exposure {match[1]}"

    def a_reload_changes_what_can_change_live(self) -> str:
        """The same process takes over the new file."""
        pid = self._pid()
        with self._configured("[poll]\nwait_max = 1s\nwait_default = 1s\n"):
            self._control("reload", SERVICE)
            # systemd waits for the signal to be sent, not for what comes of it.
            wait_until(lambda: self._doors[0].ask("GET", "/topics/none?wait=2").status == 400,
                       TURN_SECONDS, "a longer wait is refused")
            expect(pid, self._pid())
        self._control("reload", SERVICE)
        wait_until(lambda: self._doors[0].ask("GET", "/topics/none?wait=2").status == 204,
                   TURN_SECONDS, "a longer wait is allowed again")
        return f"process {pid} stays"

    def a_broken_file_fails_the_reload_and_nothing_else(self) -> str:
        """What runs goes on as it was, and the journal has the line of the mistake."""
        pid = self._pid()
        with self._configured("[poll]\nwait_defualt = 0s\n"):
            done = self._machine.run("systemctl", "reload", SERVICE, is_checked=False)
            if done.returncode == 0:
                raise AssertionError("the reload says that all is well")
        expect(pid, self._pid())
        expect_status(200, self._doors[0].ask("GET", "/readyz"))
        if not re.search(r"belfryd\.conf:2.*wait_defualt", self._machine.journal(SERVICE)):
            raise AssertionError(f"no word of it:\n{self._machine.journal(SERVICE)}")
        return "told with its line"

    def a_stop_answers_those_who_wait(self) -> str:
        """Every poll gets its cursor, at once."""
        expect_status(201, self._doors[0].ask("PUT", "/topics/quiet"))
        with ThreadPoolExecutor(WAITING) as threads:
            waiting = [
                threads.submit(self._doors[number % len(self._doors)].ask,
                               "GET", "/topics/quiet?wait=60")
                for number in range(WAITING)
            ]
            wait_until(lambda: self._subscribers("quiet") == WAITING, TURN_SECONDS, "all wait")
            seconds = self._stop()
            answers = [each.result(TURN_SECONDS) for each in waiting]
        expect([204] * WAITING, [answer.status for answer in answers])
        if not all(answer.headers["Event-Cursor"] for answer in answers):
            raise AssertionError("an answer without a cursor")
        return f"{len(answers)} answered, stopped in {seconds:.1f} s"

    def a_client_that_dawdles_does_not_hold_up_a_stop(self) -> str:
        """It is cut off at the end of drain_seconds, before systemd would kill the service."""
        with self._configured("[daemon]\ndrain_seconds = 2s\n"):
            with self._doors[0].knock() as link:
                link.sendall(b"POST /topics/slow HTTP/1.1\r\nHost: localhost\r\n"
                             b"Content-Length: 100\r\nExpect: 100-continue\r\n\r\n")
                link.recv(1000)
                seconds = self._stop()
        if not 1.5 < seconds < 10:
            raise AssertionError(f"it took {seconds:.1f} s")
        return f"stopped in {seconds:.1f} s"

    def its_state_stays(self) -> str:
        """What was answered is there after a restart, under the same cursor."""
        door = self._doors[0]
        first = door.ask("POST", "/topics/kept", b"before").json()["id"]
        self._control("restart", SERVICE)
        second = door.ask("POST", "/topics/kept", b"after").json()["id"]
        expect([first, second], self._kept(first))
        return f"{first} and {second}"

    def the_documented_backup_copies_its_store(self) -> str:
        """The first command of docs/storage.md about it, while the service runs."""
        command = commands("docs/storage.md", "## Backup").removeprefix("sudo ")
        kept = self._doors[0].ask("POST", "/topics/kept", b"before the backup").json()["id"]
        self._machine.path("/var/backups").mkdir(exist_ok=True)
        copy = self._machine.run("sh", "-c", command).stdout.strip()
        if not copy.startswith("/var/backups/belfry-"):
            raise AssertionError(f"{copy!r} is no name of a copy")
        whole = self._machine.run("belfryd", "--store", f"sqlite:{copy}", "--check-store").stdout
        expect("OK\n", whole)
        with contextlib.closing(sqlite3.connect(self._machine.root / copy[1:])) as file:
            expect([(int(kept),)], file.execute("SELECT id FROM log WHERE id = ?", [kept]).fetchall())
        expect_status(200, self._doors[0].ask("GET", "/readyz"))
        self._backup = (copy, int(kept))
        return command

    def the_documented_restore_puts_it_back(self) -> str:
        """The commands of docs/storage.md about it: what came behind the backup is gone, and ids rise on."""
        copy, kept = self._backup
        lost = int(self._doors[0].ask("POST", "/topics/kept", b"behind the backup").json()["id"])
        script = commands("docs/storage.md", "### Restore").replace("sudo ", "")
        script = script.replace("/var/backups/belfry-2026-11-21.db", copy)
        refused = self._machine.run("belfryd", "--restore", copy, is_checked=False)
        if refused.returncode == 0:
            raise AssertionError("a store was restored under its daemon")
        self._machine.run("sh", "-ec", script)
        expect_status(200, self._doors[0].ask("GET", f"/topics/kept/events/{kept}"))
        if self._doors[0].ask("GET", f"/topics/kept/events/{lost}").status == 200:
            raise AssertionError(f"{lost} came behind the backup, and is there")
        new = int(self._doors[0].ask("POST", "/topics/kept", b"behind the restore").json()["id"])
        if new <= lost:
            raise AssertionError(f"{new} was given behind {lost}")
        owners = self._machine.run("sh", "-c", "stat -c '%u:%g %a' /var/lib/belfry/belfry.db*").stdout.split("\n")
        if len(set(owners) - {""}) != 1 or owners[0].startswith("0:"):
            raise AssertionError(f"the files of the store belong to {owners}")
        return f"{copy}, and {new} behind {lost}"

    def addresses_of_the_file_are_said_to_be_unused(self) -> str:
        """They are those of the socket unit, and a restart changes nothing."""
        told = "listen.* is not used: systemd passed the sockets"
        with self._configured("[listen]\ntcp = 127.0.0.1:1\n"):
            for verb in ("reload", "restart"):
                before = self._machine.journal(SERVICE).count(told)
                self._control(verb, SERVICE)
                wait_until(lambda before=before: self._machine.journal(SERVICE).count(told) > before,
                           TURN_SECONDS, f"the journal says it after a {verb}")
                if "listen.tcp changes with a restart" in self._machine.journal(SERVICE):
                    raise AssertionError("the journal promises that a restart changes it")
                expect_status(200, self._doors[0].ask("GET", "/readyz"))
        self._control("restart", SERVICE)
        return "at a reload and at a start"

    def a_credential_lets_its_bearer_in(self) -> str:
        """The file of tokens lies where services get their credentials from, for root alone."""
        token, line = self._machine.run("belfryd", "--make-token", "deployer").stdout.split("\n")[:2]
        store = self._machine.root / "etc/credstore"
        # systemd 257 has made it already.
        store.mkdir(mode=0o700, exist_ok=True)
        (store / "belfry.tokens").write_text(line + "\n")
        (store / "belfry.tokens").chmod(0o600)
        with self._configured("[access]\nrule = guarded publish token:deployer\n"):
            self._control("restart", SERVICE)
            statuses = [
                self._doors[0].ask("POST", "/topics/guarded", b"x", headers).status
                for headers in ({}, {"Authorization": f"Bearer {token}"},
                                {"Authorization": f"Bearer {token[::-1]}"})]
            expect([401, 201, 401], statuses)
            self._control("reload", SERVICE)
            expect(201, self._doors[0].ask("POST", "/topics/guarded", b"x", {
                "Authorization": f"Bearer {token}"}).status)
        self._control("restart", SERVICE)
        return "with it 201, without 401, and after a reload too"

    def restarts_refuse_nobody_and_lose_nothing(self) -> str:
        """Under traffic through every door that never stops."""
        traffic = Traffic(self._doors)
        start = time.monotonic()
        traffic.start()
        try:
            for _ in range(self._restarts):
                self._control("restart", SERVICE)
                goal = traffic.published + EVENTS_BETWEEN
                wait_until(lambda goal=goal: traffic.check() or traffic.published >= goal,
                           TURN_SECONDS, "publishing goes on")
        finally:
            summary = traffic.finish()
        expect("0", self._machine.show(SERVICE, "NRestarts"))
        return f"{self._restarts} restarts in {time.monotonic() - start:.0f} s, {summary}"

    def a_crash_refuses_nobody_who_comes_after(self) -> str:
        """The sockets wait until systemd has started the next."""
        door, pid = self._doors[0], self._pid()
        first = door.ask("POST", "/topics/kept", b"before the crash").json()["id"]
        self._send("KILL", pid)
        second = door.ask("POST", "/topics/kept", b"after the crash").json()["id"]
        expect([first, second], self._kept(first))
        expect("1", self._machine.show(SERVICE, "NRestarts"))
        return f"process {pid} killed, {self._pid()} serves"

    def a_hung_daemon_is_replaced(self) -> str:
        """One that is stopped says nothing to the watchdog; its clients wait for the next."""
        door = self._doors[0]
        with self._dropped_in("[Service]\nWatchdogSec=2s\n"):
            pid = self._pid()
            first = door.ask("POST", "/topics/kept", b"before it hangs").json()["id"]
            self._send("STOP", pid)
            second = door.ask("POST", "/topics/kept", b"while it hangs").json()["id"]
            expect([first, second], self._kept(first))
        if f"Killing process {pid}" not in self._machine.journal(SERVICE):
            raise AssertionError("systemd did not kill it")
        return f"process {pid} hung, {self._pid()} serves"

    def a_unit_runs_a_program_for_each_event(self) -> str:
        """The program fails, the unit is stopped and killed: no event is left out, in order."""
        door, unit = self._doors[0], "belfry-run@note.service"
        expect_in("Assertion failed", self._machine.refusal(unit))
        (self._machine.root / "etc/belfry/note").write_text(
            "#!/bin/sh\nset -e\ntest ! -e /etc/belfry/failing\n"
            'read -r text; echo "$text $1" >>"$STATE_DIRECTORY/seen"\n')
        (self._machine.root / "etc/belfry/note").chmod(0o755)
        (self._machine.root / "etc/belfry/run.d/note").write_text(
            "SELECTOR=noted\nOPTIONS=--since earliest\nPROGRAM=/etc/belfry/note 'two words'\n")
        seen = self._machine.root / "var/lib/private/belfry-run/note/seen"
        failing = self._machine.root / "etc/belfry/failing"

        def noted() -> list[str]:
            lines = seen.read_text().splitlines() if seen.exists() else []
            # Around a kill the last one may be there twice.
            return [line for number, line in enumerate(lines) if line not in lines[:number]]

        wanted: list[str] = []

        def publish() -> None:
            for number in range(len(wanted), len(wanted) + 3):
                expect_status(201, door.ask("POST", "/topics/noted", str(number).encode()))
                wanted.append(f"{number} two words")

        def wait_for_all() -> None:
            wait_until(lambda: noted() == wanted, TURN_SECONDS, f"the program has run for {wanted}",
                       lambda: self._machine.journal(unit))

        self._control("enable", unit)
        self._control("start", unit)
        publish()
        wait_for_all()
        self._machine.run("kill", "-KILL", self._machine.show(unit, "MainPID"))
        publish()
        wait_for_all()
        self._control("stop", unit)
        self._control("restart", SERVICE)
        failing.write_text("")
        self._control("start", unit)
        publish()
        wait_until(lambda: "ended with 1" in self._machine.journal(unit), TURN_SECONDS,
                   "the program fails", lambda: self._machine.journal(unit))
        failing.unlink()
        wait_for_all()
        self._control("disable", unit)
        self._control("stop", unit)
        return f"{len(noted())} events"

    def another_prefix_serves_the_same_state(self) -> str:
        """`make install PREFIX=/opt/belfry` over the other: its paths are right in every place."""
        door = self._doors[0]
        kept = door.ask("POST", "/topics/kept", b"before the move").json()["id"]
        shutil.copytree(self._elsewhere, self._machine.root, dirs_exist_ok=True)
        self._machine.run("systemctl", "daemon-reload")
        self._control("restart", SERVICE)
        expect([kept], self._kept(kept))
        expect("/opt/belfry/bin/belfryd", str(
            self._machine.path(f"/proc/{self._pid()}/exe").readlink()))
        page = self._machine.show(SERVICE, "Documentation").partition("file://")[2]
        if not page.startswith("/opt/belfry/") or not self._machine.path(page).exists():
            raise AssertionError(f"{page} is not there")
        return f"{page}, event {kept}"

    def an_uninstall_stops_it_and_says_what_stays(self) -> str:
        """Of the second installation: the first is on a disk that nobody can write to."""
        root = self._machine.root
        (root / "etc/belfry/belfryd.conf.new").write_text("")
        self._control("enable", SERVICE)
        shutil.copy(PROJECT / "scripts/uninstall", root / "root/uninstall")
        variables = [f"{name}={value}" for name, value in ELSEWHERE.items()]
        said = self._machine.run("env", *variables, "/root/uninstall").stdout
        expect(["/etc/belfry", "/var/lib/belfry", "/var/lib/belfry-run", "/var/lib/belfry-work",
                "/var/lib/belfry-answer", "/var/lib/belfry-push", f"/{PUB_STAMP}", "/etc/credstore/belfry.tokens"],
               re.findall(r"^kept: (\S+)", said, re.M))
        for left in ("opt/belfry/bin/belfryd", "opt/belfry/share/doc/belfry",
                     f"etc/systemd/system/{SERVICE}", f"etc/systemd/system/{SOCKETS}",
                     f"etc/systemd/system/sockets.target.wants/{SOCKETS}",
                     f"etc/systemd/system/multi-user.target.wants/{SERVICE}",
                     f"etc/systemd/system/multi-user.target.wants/{PUSH_UNIT}",
                     f"etc/systemd/system/timers.target.wants/{PUB_TIMER}",
                     "etc/belfry/belfryd.conf.new"):
            if (root / left).exists() or (root / left).is_symlink():
                raise AssertionError(f"{left} is still there")
        for kept in (CONFIGURATION, "var/lib/private/belfry/belfry.db"):
            if not (root / kept).exists():
                raise AssertionError(f"{kept} is gone")
        for unit in (SERVICE, SOCKETS, PUSH_UNIT, PUB_TIMER):
            expect("inactive", self._machine.show(unit, "ActiveState"))
        for door in self._doors:
            try:
                answer = door.ask("GET", "/healthz")
            except OSError:
                continue
            raise AssertionError(f"{door.name} still answers {answer.status}")
        return ", ".join(said.splitlines())

    def _control(self, verb: str, unit: str) -> None:
        self._machine.run("systemctl", verb, unit)

    def _stop(self) -> float:
        start = time.monotonic()
        self._control("stop", SERVICE)
        seconds = time.monotonic() - start
        expect("success", self._machine.show(SERVICE, "Result"))
        expect("0", self._machine.show(SERVICE, "ExecMainStatus"))
        return seconds

    def _pid(self) -> str:
        return self._machine.show(SERVICE, "MainPID")

    def _send(self, signal: str, pid: str) -> None:
        """Sends a signal that stops or ends a process, and waits until all of its threads have heard of it.

        Until then one of them may still accept a connection.
        """
        self._machine.run("kill", f"-{signal}", pid)
        wait_until(lambda: self._states(pid) <= {"T", "Z", "X"}, TURN_SECONDS, f"{signal} takes effect")

    def _states(self, pid: str) -> set[str]:
        """The states of a process's threads, as proc(5) has them; none where it is gone."""
        states = set()
        for thread in self._machine.path("/proc").glob(f"{pid}/task/*/stat"):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                states.add(thread.read_text().rsplit(")", 1)[1].split()[0])
        return states

    def _kept(self, first: str) -> list[str]:
        """The ids of what is kept from this one on, as a reader gets them that follows its cursor."""
        found: list[str] = []
        cursor = str(int(first) - 1)
        while True:
            target = f"/topics/kept?as=json&wait=0&since={cursor}"
            told = self._doors[0].ask("GET", target).json()
            expect(None, told["gap"])
            if not told["events"]:
                return found
            found += [event["id"] for event in told["events"]]
            cursor = told["cursor"]

    def _subscribers(self, topic: str) -> int:
        topics = self._doors[0].ask("GET", f"/topics?match={topic}").json()["topics"]
        return sum(each["subscribers"] for each in topics)

    @contextlib.contextmanager
    def _dropped_in(self, text: str):
        folder = self._machine.root / "etc/systemd/system" / f"{SERVICE}.d"
        folder.mkdir(parents=True)
        file = folder / "test.conf"
        file.write_text(text)
        try:
            self._machine.run("systemctl", "daemon-reload")
            self._control("restart", SERVICE)
            yield
        finally:
            file.unlink()
            self._machine.run("systemctl", "daemon-reload")
            self._control("restart", SERVICE)

    @contextlib.contextmanager
    def _configured(self, text: str):
        file = self._machine.root / CONFIGURATION
        before = file.read_text()
        file.write_text(text)
        try:
            if self._machine.show(SERVICE, "ActiveState") != "active":
                self._control("start", SERVICE)
            yield
        finally:
            file.write_text(before)


def expect_status(status: int, answer: Answer) -> None:
    """Raises if the answer has another."""
    if answer.status != status:
        raise AssertionError(f"{answer.status} {answer.body!r} instead of {status}")


def main() -> int:
    """Boots, and goes through the acts until one fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--installed", type=Path, required=True, metavar="FOLDER",
                        help="where `make install DESTDIR=FOLDER` put everything")
    parser.add_argument("--elsewhere", type=Path, required=True, metavar="FOLDER",
                        help="where `make install` put it with another PREFIX=")
    parser.add_argument("--restarts", type=int, default=100)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="belfry-systemd-") as folder:
        machine = machine_like_this_one(Path(folder), options.installed.resolve())
        try:
            machine.boot()
            service = Service(machine, options.elsewhere.resolve(), options.restarts)
            service.start()
            return perform(service.acts(), lambda: machine.journal(SERVICE)[-4_000:])
        finally:
            machine.close()


if __name__ == "__main__":
    sys.exit(main())
