"""The unit that posts events to receivers of webhooks, on a machine where the service runs."""

import re
from collections.abc import Callable

from acts import expect, expect_in, wait_until
from doors import Door
from machine import Machine
from receiver import Receiver

TURN_SECONDS = 30
TOPIC = "pushed"
UNIT = "belfry-push@hook.service"
WRONG_FILES = {
    "#" * 2_000_000: "CREDENTIALS",
    f"{TOPIC} hooks.example whsec_AAAA\n": "line 1: the second word is no address",
    f"{TOPIC} http://127.0.0.1:1/ secret\n": "line 1: a secret is whsec_",
}
"""What the journal says of each."""


class PushUnit:
    """Its acts, in this order. The last one leaves it enabled and running."""

    def __init__(self, machine: Machine, door: Door) -> None:
        self._machine = machine
        self._door = door
        self._file = machine.root / "etc/belfry/push.d/hook"
        self._receiver = Receiver()
        self._arrived: list[str] = []

    def acts(self) -> list[Callable[[], str]]:
        """All of them."""
        return [
            self.a_wrong_file_of_webhooks_is_not_tried_again, self.each_event_is_pushed_once,
            self.a_push_unit_goes_on_with_its_cursor, self.a_receiver_that_is_gone_ends_it,
        ]

    def a_wrong_file_of_webhooks_is_not_tried_again(self) -> str:
        """The unit stays down, with a sentence in the journal. Without a file it does not start."""
        expect_in("Assertion failed", self._machine.refusal(UNIT))
        for text, sentence in WRONG_FILES.items():
            self._write(text)
            # Whether systemd tells whoever starts it, too, depends on its version.
            self._machine.run("systemctl", "start", UNIT, is_checked=sentence != "CREDENTIALS")
            self._wait_until(lambda: self._show("ActiveState") == "failed", "the unit stays down")
            expect("0", self._show("NRestarts"))
            self._wait_for_journal(sentence)
        return f"none, and {len(WRONG_FILES)} that are wrong"

    def each_event_is_pushed_once(self) -> str:
        """Signed, to a receiver that has a name, by a user without privileges."""
        hosts = self._machine.root / "etc/hosts"
        hosts.write_text("127.0.0.1 hooks.example\n")
        self._write(f"# all of it\n{TOPIC} http://hooks.example:{self._receiver.port}/of?it "
                    f"{self._receiver.secret}\n")
        expect(201, self._door.ask("PUT", f"/topics/{TOPIC}").status)
        self._machine.run("systemctl", "enable", "--now", UNIT)
        self._wait_for_reader()
        self._publish("first", "second")
        self._wait_for_all()
        pid = self._show("MainPID")
        status = self._machine.path(f"/proc/{pid}/status").read_text()
        uid = int(re.search(r"^Uid:\s+(\d+)", status, re.M)[1])
        if not 61184 <= uid <= 65519:
            raise AssertionError(f"uid {uid} is none of a dynamic user")
        return f"{len(self._arrived)} events by uid {uid}"

    def a_push_unit_goes_on_with_its_cursor(self) -> str:
        """Over a restart of the bus, one of its own, and what came while it was stopped."""
        self._machine.run("systemctl", "restart", "belfryd.service")
        self._publish("behind a restart of the bus")
        self._wait_for_all()
        self._machine.run("systemctl", "stop", UNIT)
        expect("success", self._show("Result"))
        self._publish("while it is stopped", "and once more")
        self._machine.run("systemctl", "start", UNIT)
        self._wait_for_all()
        self._machine.run("systemctl", "restart", UNIT)
        self._publish("behind its own restart")
        self._wait_for_all()
        return f"{len(self._arrived)} events, each once"

    def a_receiver_that_is_gone_ends_it(self) -> str:
        """With 410: until somebody does what the journal says. That event is not lost then."""
        self._receiver.status = 410
        self._door.ask("POST", f"/topics/{TOPIC}", b"not wanted")
        self._wait_for_journal("answers 410 and gets nothing more")
        self._wait_until(lambda: self._show("ActiveState") == "inactive", "the unit ends")
        expect((410, "not wanted"), self._receiver.seen.pop())
        self._receiver.status = 204
        self._machine.run("systemctl", "start", UNIT)
        self._wait_for_journal(told := "it ended with 410: remove the line 'over' from ")
        self._wait_until(lambda: self._show("ActiveState") == "inactive", "the unit ends again")
        expect(["success", "0"], [self._show("Result"), self._show("NRestarts")])
        path = self._journal().split(told)[1].split(" to go on")[0]
        self._machine.run("sed", "-i", "/^over$/d", path)
        self._machine.run("systemctl", "start", UNIT)
        self._arrived.append("not wanted")
        self._wait_for_all()
        return path

    def _publish(self, *texts: str) -> None:
        for text in texts:
            expect(201, self._door.ask("POST", f"/topics/{TOPIC}", text.encode()).status)
            self._arrived.append(text)

    def _wait_for_all(self) -> None:
        wanted = [(204, text) for text in self._arrived]
        self._wait_until(lambda: self._receiver.seen == wanted, f"{wanted} arrive")

    def _wait_for_reader(self) -> None:
        def count() -> int:
            topics = self._door.ask("GET", f"/topics?match={TOPIC}").json()["topics"]
            return sum(each["subscribers"] for each in topics)

        self._wait_until(lambda: count() == 1, "the unit follows the topic")

    def _wait_for_journal(self, sentence: str) -> None:
        self._wait_until(lambda: sentence in self._journal(), f"the journal says {sentence!r}")

    def _wait_until(self, condition: Callable[[], bool], what: str) -> None:
        wait_until(condition, TURN_SECONDS, what,
                   lambda: f"{self._receiver.seen}\n{self._journal()[-4_000:]}")

    def _write(self, text: str) -> None:
        self._file.write_text(text)
        self._file.chmod(0o600)

    def _show(self, key: str) -> str:
        return self._machine.show(UNIT, key)

    def _journal(self) -> str:
        return self._machine.journal(UNIT)
