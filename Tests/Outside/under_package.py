"""The Debian package on a clean Debian under a real systemd.

Usage: under_package.py --tree FOLDER --package OLD NEW --installed FOLDER
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from acts import expect, perform, wait_until
from doors import Door, doors
from machine import Machine, machine_of_tree
from network import enter
from pages import PROJECT
from receiver import Receiver
from traffic import Traffic

SERVICE = "belfryd.service"
SOCKETS = "belfryd.socket"
PORT = 7464
TURN_SECONDS = 60
APT_SECONDS = 600
EVENTS_BETWEEN = 200
"""Answered before and after an upgrade, by the publishers of all doors together."""
TYPED_SECONDS = 300
TYPED = """
cd /srv/readme
work=$(mktemp -d) port=7464 bus= programs=/usr/bin stage=README
echo no-progress-meter >"$work/.curlrc"
say() { printf '%s\\n' "$*"; }
. ./checks.sh
. ./readme.sh
readme
rm -r "$work"
say "$passed checks"
"""
FOLLOWER = "belfry-run@note.service"
PUSHER = "belfry-push@hook.service"
WORKER = "belfry-work@mail.service"
TIMER = "belfry-pub@standup.timer"
TIMES = f"etc/systemd/system/{TIMER}.d"
PROGRAMS = (SERVICE, FOLLOWER, PUSHER, WORKER)
UNITS = (SOCKETS, TIMER, *PROGRAMS)


class Package:
    """The package, and the acts that it has to pass, in this order."""

    def __init__(self, machine: Machine, old: Path, new: Path, installed: Path) -> None:
        self._machine = machine
        self._old = self._bring(old)
        self._new = self._bring(new)
        self._installed = installed
        self._doors: list[Door] = []
        self._receiver: Receiver | None = None
        self._kept = ""

    def acts(self) -> list[Callable[[], str]]:
        """All of them."""
        return [
            self.there_is_no_compiler, self.it_installs_and_listens, self.the_readme_does_as_it_says,
            self.the_manual_and_completions_are_there, self.an_upgrade_refuses_nobody_and_loses_nothing,
            self.programs_and_webhooks_outlive_the_upgrade, self.a_remove_keeps_what_is_not_its_own,
            self.it_comes_back_with_its_events, self.a_purge_leaves_nothing,
            self.it_takes_the_place_of_an_installation, self.another_purge_leaves_nothing,
        ]

    def download(self) -> None:
        """Has apt fetch what the package depends on, while there is a network."""
        for command in (["update", "-qq"],
                        ["install", "-y", "-qq", "--download-only", "--no-install-recommends", self._old]):
            subprocess.run(
                ["systemd-nspawn", "--quiet", f"--directory={self._machine.root}", "--register=no",
                 "--keep-unit", "--console=pipe", "apt-get", *command],
                stdin=subprocess.DEVNULL, check=True)

    def there_is_no_compiler(self) -> str:
        """Nor anything of Belfry."""
        for program in ("swift", "gcc", "cc", "belfry", "belfryd"):
            if self._machine.run("which", program, is_checked=False).returncode == 0:
                raise AssertionError(f"there is {program}")
        expect([], self._traces())
        return (self._machine.root / "etc/debian_version").read_text().strip()

    def it_installs_and_listens(self) -> str:
        """apt finds all that it needs; the sockets are there, and the service waits for a request."""
        self._apt("install", self._old)
        expect("active", self._machine.show(SOCKETS, "ActiveState"))
        expect("enabled", self._machine.show(SOCKETS, "UnitFileState"))
        expect("inactive", self._machine.show(SERVICE, "ActiveState"))
        self._doors = doors(PORT, self._machine.path("/run/belfry/belfry.sock"))
        enter(self._machine.leader)
        return self._version()

    def the_readme_does_as_it_says(self) -> str:
        """All of it, typed by a user without rights to whom nobody told more; and one line by the command."""
        folder = self._machine.root / "srv/readme"
        folder.mkdir()
        for file in ("README.md", "Tests/Smoke/checks.sh", "Tests/Smoke/readme.sh"):
            shutil.copy(PROJECT / file, folder)
        typed = self._machine.run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                                  "dash", "-euc", TYPED, seconds=TYPED_SECONDS, is_checked=False)
        shutil.rmtree(folder)
        if typed.returncode != 0:
            raise AssertionError(typed.stdout + typed.stderr)
        expect("v1.2 is live\nv1.3 is live\n", self._events())
        self._kept = self._shell("belfry pub notes kept --id").strip()
        expect("active", self._machine.show(SERVICE, "ActiveState"))
        return typed.stdout.splitlines()[-1]

    def the_manual_and_completions_are_there(self) -> str:
        """With the program's own version on the pages."""
        share = self._machine.root / "usr/share"
        pages = sorted(path.name for path in share.glob("man/man?/belfry*"))
        for page in ("belfry.1.gz", "belfry-sub.1.gz", "belfry-units.7.gz", "belfryd.8.gz", "belfryd.conf.5.gz"):
            if page not in pages:
                raise AssertionError(f"{page} is none of {pages}")
        for program in ("belfry", "belfryd"):
            for file in (f"bash-completion/completions/{program}", f"zsh/vendor-completions/_{program}",
                         f"fish/vendor_completions.d/{program}.fish"):
                if f"completion of {program}," not in (share / file).read_text():
                    raise AssertionError(f"{file} is not that of {program}")
        return f"{len(pages)} pages"

    def an_upgrade_refuses_nobody_and_loses_nothing(self) -> str:
        """Under traffic through every door that never stops, and over a changed configuration."""
        configuration = self._machine.root / "etc/belfry/belfryd.conf"
        changed = configuration.read_text() + "[poll]\nwait_max = 59m\n"
        configuration.write_text(changed)
        (self._machine.root / "etc/belfry/run.d/note").write_text(
            "SELECTOR=deploys\nOPTIONS=--since earliest\n"
            "PROGRAM=/bin/sh -c 'cat >>$STATE_DIRECTORY/seen'\n")
        self._receiver = Receiver()
        hooks = self._machine.root / "etc/belfry/push.d/hook"
        hooks.write_text(f"deploys http://127.0.0.1:{self._receiver.port}/ {self._receiver.secret}\n")
        hooks.chmod(0o600)
        (self._machine.root / "etc/belfry/work.d/mail").write_text(
            "GROUP=mail\nSELECTOR=jobs.mail\nPROGRAM=/bin/true\n")
        (self._machine.root / "etc/belfry/pub.d/standup").write_text("TOPIC=standup\n")
        (self._machine.root / TIMES).mkdir(parents=True)
        (self._machine.root / TIMES / "times.conf").write_text("[Timer]\nOnCalendar=Mon..Fri 08:00\n")
        self._machine.run("systemctl", "enable", "--now", FOLLOWER, PUSHER, WORKER, TIMER)
        wait_until(lambda: len(self._seen()) == 2, TURN_SECONDS, "the program has run",
                   lambda: self._machine.journal(FOLLOWER))
        wait_until(self._has_cursor_of_webhooks, TURN_SECONDS, "a webhook has begun",
                   lambda: self._machine.journal(PUSHER))
        since = self._machine.show(SOCKETS, "ActiveEnterTimestampMonotonic")
        pids = [self._machine.show(unit, "MainPID") for unit in PROGRAMS]
        summary = self._under_traffic(lambda: self._apt("install", self._new))
        expect(since, self._machine.show(SOCKETS, "ActiveEnterTimestampMonotonic"))
        for unit, pid in zip(PROGRAMS, pids, strict=True):
            expect("active", self._machine.show(unit, "ActiveState"))
            if self._machine.show(unit, "MainPID") == pid:
                raise AssertionError(f"{unit} is still the old one")
        expect("active", self._machine.show(TIMER, "ActiveState"))
        expect(changed, configuration.read_text())
        expect("v1.2 is live\nv1.3 is live\n", self._events())
        return f"{self._version()}; {summary}"

    def programs_and_webhooks_outlive_the_upgrade(self) -> str:
        """They go on behind the last event that they had."""
        self._shell("belfry pub deploys 'v1.4 is live'")
        wanted = ["v1.2 is live", "v1.3 is live", "v1.4 is live"]
        wait_until(lambda: self._seen() == wanted, TURN_SECONDS, f"the program has run for {wanted}",
                   lambda: f"{self._seen()}\n{self._machine.journal(FOLLOWER)}")
        # It began behind the first two.
        wait_until(lambda: self._receiver.seen == [(204, "v1.4 is live")], TURN_SECONDS,
                   "the receiver has one event",
                   lambda: f"{self._receiver.seen}\n{self._machine.journal(PUSHER)}")
        return ", ".join(wanted)

    def a_remove_keeps_what_is_not_its_own(self) -> str:
        """The sockets are closed; configuration and events stay."""
        self._apt("remove", "belfry")
        for unit in UNITS:
            expect("inactive", self._machine.show(unit, "ActiveState"))
        for door in self._doors:
            try:
                answer = door.ask("GET", "/healthz")
            except OSError:
                continue
            raise AssertionError(f"{door.name} still answers {answer.status}")
        stays = ["etc/belfry/belfryd.conf", "etc/belfry/run.d/note", "etc/belfry/push.d/hook",
                 "etc/belfry/work.d/mail", "etc/belfry/pub.d/standup", f"{TIMES}/times.conf",
                 f"var/lib/systemd/timers/stamp-{TIMER}",
                 "var/lib/private/belfry/belfry.db", "var/lib/private/belfry-run/note/seen"]
        for kept in stays:
            if not (self._machine.root / kept).exists():
                raise AssertionError(f"{kept} is gone")
        if not self._has_cursor_of_webhooks():
            raise AssertionError("the cursor of the webhooks is gone")
        if (self._machine.root / "usr/bin/belfryd").exists():
            raise AssertionError("the daemon is still there")
        return ", ".join(stays)

    def it_comes_back_with_its_events(self) -> str:
        """And with the configuration that was changed."""
        self._apt("install", self._new)
        expect("v1.2 is live\nv1.3 is live\nv1.4 is live\n", self._events())
        if "wait_max = 59m" not in (self._machine.root / "etc/belfry/belfryd.conf").read_text():
            raise AssertionError("the changed configuration is gone")
        expect("kept", self._shell(f"belfry get notes {self._kept}"))
        return f"event {self._kept} is there"

    def a_purge_leaves_nothing(self) -> str:
        """No file, folder, link or state of systemd with the name."""
        self._apt("purge", "belfry")
        # A drop-in of the administrator's own stays.
        shutil.rmtree(self._machine.root / TIMES, ignore_errors=True)
        expect([], self._traces())
        for unit in UNITS:
            expect("inactive", self._machine.show(unit, "ActiveState"))
        return "no trace"

    def it_takes_the_place_of_an_installation(self) -> str:
        """What `make install` put there, in use: nobody is refused, and all events stay."""
        shutil.copytree(self._installed, self._machine.root, dirs_exist_ok=True, symlinks=True)
        self._machine.run("systemctl", "daemon-reload")
        self._machine.run("systemctl", "enable", "--now", SOCKETS)
        self._kept = self._shell("belfry pub deploys 'before the package' --id").strip()
        pid = self._machine.show(SERVICE, "MainPID")
        summary = self._under_traffic(lambda: self._apt("install", self._new))
        if self._machine.show(SERVICE, "MainPID") == pid:
            raise AssertionError("the daemon is still the old one")
        expect("before the package\n", self._events())
        return summary

    def another_purge_leaves_nothing(self) -> str:
        """Of that installation neither."""
        return self.a_purge_leaves_nothing()

    def _bring(self, package: Path) -> str:
        shutil.copy(package, self._machine.root / "root" / package.name)
        return f"/root/{package.name}"

    def _apt(self, verb: str, package: str) -> None:
        self._machine.run(
            "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", verb, "-y", "-q",
            "--no-install-recommends", package, seconds=APT_SECONDS)

    def _under_traffic(self, act: Callable[[], None]) -> str:
        traffic = Traffic(self._doors)
        traffic.start()
        try:
            for step in (lambda: None, act):
                step()
                goal = traffic.published + EVENTS_BETWEEN
                wait_until(lambda goal=goal: traffic.check() or traffic.published >= goal,
                           TURN_SECONDS, "publishing goes on")
        finally:
            summary = traffic.finish()
        return summary

    def _shell(self, line: str) -> str:
        return self._machine.run("sh", "-c", line).stdout

    def _events(self) -> str:
        return self._shell("belfry sub deploys --since earliest --until-now --data")

    def _seen(self) -> list[str]:
        file = self._machine.root / "var/lib/private/belfry-run/note/seen"
        return file.read_text().splitlines() if file.exists() else []

    def _has_cursor_of_webhooks(self) -> bool:
        folder = self._machine.root / "var/lib/private/belfry-push/hook"
        return any(folder.glob("push-*.cursor"))

    def _version(self) -> str:
        return self._machine.run("dpkg-query", "-W", "belfry").stdout.strip()

    def _traces(self) -> list[str]:
        """All that has the name, but the packages that the test brought and the logs."""
        found = self._machine.run(
            "find", "/etc", "/usr", "/var", "/run", "-xdev", "-name", "*belfry*").stdout.splitlines()
        return [path for path in found if not path.startswith(("/var/log/", "/var/tmp/", "/run/host"))]


def main() -> int:
    """Boots, and goes through the acts until one fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tree", type=Path, required=True, metavar="FOLDER", help="a clean Debian")
    parser.add_argument("--package", type=Path, required=True, nargs=2, metavar=("OLD", "NEW"))
    parser.add_argument("--installed", type=Path, required=True, metavar="FOLDER",
                        help="where `make install DESTDIR=FOLDER` put everything")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="belfry-package-") as folder:
        machine = machine_of_tree(Path(folder), options.tree.resolve())
        try:
            package = Package(machine, *options.package, options.installed.resolve())
            package.download()
            machine.boot()
            return perform(package.acts(), lambda: machine.journal(SERVICE)[-4_000:])
        finally:
            machine.close()


if __name__ == "__main__":
    sys.exit(main())
