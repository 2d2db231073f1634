"""A machine with systemd as its first process, in a container: with the programs of this one under
/usr, what `make install` puts there laid over them, and nothing else of it; or a Debian of its own."""

import contextlib
import os
import shutil
import signal
import subprocess
import uuid
from pathlib import Path

from acts import wait_until

BOOT_SECONDS = 60
COMMAND_SECONDS = 90
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin", "LC_ALL": "C.UTF-8"}
"""Of each command on it."""

ACCOUNTS = {
    "passwd": "root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/nonexistent:/usr/sbin/nologin\n",
    "group": "root:x:0:\nnogroup:x:65534:\n",
    "nsswitch.conf": "passwd: files systemd\ngroup: files systemd\n",
    "hostname": "belfry-test\n",
}


class Machine:
    """One boot of it. Its disk is a folder, so that everything can be looked at from here."""

    def __init__(self, folder: Path, overlay: str | None = None) -> None:
        self.root = folder / "root"
        self.log = folder / "boot.log"
        self._overlay = [] if overlay is None else [f"--overlay-ro={overlay}"]
        self._nspawn: subprocess.Popen[bytes] | None = None
        self.leader = 0

    def boot(self) -> None:
        """Boots, and waits until every unit is up."""
        with self.log.open("wb") as log:
            self._nspawn = subprocess.Popen(
                ["systemd-nspawn", "--quiet", f"--directory={self.root}", "--boot",
                 f"--machine=belfry-{os.getpid()}",
                 "--register=no", "--keep-unit", "--console=pipe", "--private-network",
                 *self._overlay],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_until(self._is_up, BOOT_SECONDS, "the machine boots", self._console)

    @contextlib.contextmanager
    def typed(self, line: str, log: Path):
        """Has a line of the shell run meanwhile, its standard error going to a file of this machine."""
        with log.open("wb") as errors:
            running = subprocess.Popen(
                [*self._entering(), "sh", "-c", line], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=errors, env=ENVIRONMENT, start_new_session=True)
        try:
            yield
        finally:
            os.killpg(running.pid, signal.SIGKILL)
            running.wait()

    def run(
        self, *command: str, is_checked: bool = True, seconds: float = COMMAND_SECONDS,
    ) -> subprocess.CompletedProcess[str]:
        """Runs a command on it."""
        done = subprocess.run(
            [*self._entering(), *command],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
            timeout=seconds, env=ENVIRONMENT)
        if is_checked and done.returncode != 0:
            raise RuntimeError(
                f"{' '.join(command)}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def show(self, unit: str, key: str) -> str:
        """A property of a unit."""
        return self.run("systemctl", "show", "--value", "-p", key, unit).stdout.strip()

    def refusal(self, unit: str) -> str:
        """What systemctl says of a start that one of the unit's Assert… refuses."""
        done = self.run("systemctl", "start", unit, is_checked=False)
        if done.returncode == 0 or self.show(unit, "ActiveState") != "inactive":
            raise AssertionError(f"{unit} starts")
        return done.stderr

    def journal(self, unit: str) -> str:
        """What a unit said, and what systemd said of it."""
        return self.run("journalctl", "--no-pager", "-o", "short-precise", "-u", unit).stdout

    def path(self, inside: str) -> Path:
        """The place here of a path there that does not lie on its disk, such as /run."""
        return Path(f"/proc/{self.leader}/root{inside}")

    def close(self) -> None:
        """Switches it off."""
        if self._nspawn is None:
            return
        self._nspawn.terminate()
        try:
            self._nspawn.wait(20)
        except subprocess.TimeoutExpired:
            self._nspawn.kill()
            self._nspawn.wait()

    def _entering(self) -> list[str]:
        assert self.leader > 1
        return ["nsenter", f"--target={self.leader}", "--all", "--"]

    def _is_up(self) -> bool:
        assert self._nspawn is not None
        if self._nspawn.poll() is not None:
            raise RuntimeError(f"the machine does not boot:\n{self._console()}")
        # The first process below nspawn in a PID namespace of its own.
        children = Path(f"/proc/{self._nspawn.pid}/task/{self._nspawn.pid}/children").read_text()
        for child in children.split():
            if name_of(child) == "systemd":
                self.leader = int(child)
        if self.leader == 0 or not self.path("/run/systemd/private").exists():
            return False
        state = self.run("systemctl", "is-system-running", is_checked=False).stdout.strip()
        return state in ("running", "degraded")

    def _console(self) -> str:
        return self.log.read_text(errors="replace")


def name_of(process: str) -> str:
    """The name of a process; empty if it has ended, as those have that make the machine ready."""
    try:
        return Path(f"/proc/{process}/comm").read_text().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def machine_like_this_one(folder: Path, installed: Path) -> Machine:
    """With the programs of this one, and an /etc of four files."""
    machine = Machine(folder, f"/usr:{installed / 'usr'}:/usr")
    for name in ("etc", "var", "run", "tmp", "proc", "sys", "dev", "root", "usr"):
        (machine.root / name).mkdir(parents=True)
    for name in ("bin", "sbin", "lib", "lib64"):
        (machine.root / name).symlink_to(f"usr/{name}")
    for name, text in ACCOUNTS.items():
        (machine.root / "etc" / name).write_text(text)
    # With an identity it is no first boot, at which systemd would enable all services there are.
    (machine.root / "etc/machine-id").write_text(uuid.uuid4().hex + "\n")
    for name in ("os-release", "ld.so.cache"):
        shutil.copy(Path("/etc", name), machine.root / "etc" / name)
    shutil.copytree(installed / "etc", machine.root / "etc", dirs_exist_ok=True)
    return machine


def machine_of_tree(folder: Path, tree: Path) -> Machine:
    """A Debian of its own, of which a copy is used."""
    machine = Machine(folder)
    subprocess.run(["cp", "-a", "--reflink=auto", tree, machine.root], check=True)
    (machine.root / "etc/machine-id").write_text(uuid.uuid4().hex + "\n")
    (machine.root / "etc/hostname").write_text("belfry-test\n")
    return machine
