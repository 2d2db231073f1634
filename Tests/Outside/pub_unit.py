"""The timer that publishes an event by the calendar, on a machine where the service runs."""

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from acts import expect, expect_in, wait_until
from doors import Door
from machine import Machine
from pages import commands

TURN_SECONDS = 30
TOPIC = "standup"
TIMER = "belfry-pub@standup.timer"
UNIT = "belfry-pub@standup.service"
STAMP = "var/lib/systemd/timers/stamp-belfry-pub@standup.timer"
"""Of the timer's last time."""
WEEK = timedelta(days=7)
AWAY = "OPTIONS=--url http://127.0.0.1:9 --patience 100ms"
"""Nobody listens there."""


class PubUnit:
    """Its acts, in this order. The last one leaves the timer enabled and running."""

    def __init__(self, machine: Machine, door: Door) -> None:
        self._machine = machine
        self._door = door
        self._file = machine.root / "etc/belfry/pub.d/standup"
        self._stamp = machine.root / STAMP
        self._published: list[str] = []

    def acts(self) -> list[Callable[[], str]]:
        """All of them."""
        return [
            self.a_timer_without_a_time_or_a_file_does_not_start, self.the_recipe_makes_a_timer,
            self.missed_times_make_one_event, self.a_bus_that_is_away_is_waited_for,
            self.a_run_that_may_have_published_is_not_repeated, self.a_text_is_published_as_the_file_has_it,
        ]

    def a_timer_without_a_time_or_a_file_does_not_start(self) -> str:
        """systemctl says why."""
        done = self._machine.run("systemctl", "start", TIMER, is_checked=False)
        expect_in("bad unit file setting", done.stderr)
        expect_in("Assertion failed", self._machine.refusal(UNIT))
        folder = self._machine.root / "etc/systemd/system" / f"{TIMER}.d"
        folder.mkdir(parents=True)
        (folder / "times.conf").write_text("[Timer]\nOnCalendar=hourly\n")
        self._machine.run("systemctl", "daemon-reload")
        expect_in("Assertion failed", self._machine.refusal(TIMER))
        return "neither"

    def the_recipe_makes_a_timer(self) -> str:
        """Typed line by line. It has a next time, and publishes once for each start of the service."""
        for line in commands("docs/recipes.md", "## Weekdays at eight", "sh not-run").splitlines():
            self._machine.run("sh", "-c", line.removeprefix("sudo "))
        self._expect_published("stand up")
        expect(["active", "enabled"], [self._machine.show(TIMER, key) for key in ("ActiveState", "UnitFileState")])
        due = self._due()
        if due.weekday() > 4 or (due.hour, due.minute, due.second) != (8, 0, 0):
            raise AssertionError(f"{due} is not eight on a weekday")
        return f"{due}"

    def missed_times_make_one_event(self) -> str:
        """Those of a week, in which the timer did not run."""
        self._machine.run("systemctl", "stop", TIMER)
        before = (datetime.now(UTC) - WEEK).timestamp()
        os.utime(self._stamp, (before, before))
        self._machine.run("systemctl", "start", TIMER)
        self._expect_published("stand up")
        self._machine.run("systemctl", "restart", TIMER)
        if self._due() < datetime.now(UTC):
            raise AssertionError(f"it is due again since {self._due()}")
        expect(self._published, self._texts())
        return f"{len(self._published)} events so far"

    def a_bus_that_is_away_is_waited_for(self) -> str:
        """Times that pass meanwhile make no further event."""
        self._write("away", AWAY)
        done = self._machine.run("systemctl", "start", UNIT, is_checked=False)
        expect(1, done.returncode)
        for _ in range(2):
            self._machine.run("systemctl", "start", "--no-block", UNIT)
        self._wait_until(lambda: int(self._show("NRestarts")) > 1, "the unit tries again")
        self._write("away no longer")
        self._wait_until(lambda: self._show("ActiveState") == "inactive", "the unit ends")
        expect("success", self._show("Result"))
        self._expect_published("away no longer")
        return self._show("NRestarts")

    def a_run_that_may_have_published_is_not_repeated(self) -> str:
        """One that a signal ended; nor one that would be refused again."""
        self._write("killed", AWAY.replace("100ms", "1h"))
        self._machine.run("systemctl", "start", "--no-block", UNIT)
        self._wait_until(lambda: self._show("MainPID") != "0", "the unit runs")
        self._machine.run("kill", "-KILL", self._show("MainPID"))
        self._wait_until(lambda: self._show("ActiveState") == "failed", "the unit stays down")
        expect("0", self._show("NRestarts"))
        self._write("no option", "OPTIONS=--nothing")
        expect(1, self._machine.run("systemctl", "start", UNIT, is_checked=False).returncode)
        expect(["failed", "0"], [self._show("ActiveState"), self._show("NRestarts")])
        expect_in("has no option '--nothing'", self._journal())
        return "neither"

    def a_text_is_published_as_the_file_has_it(self) -> str:
        """With spaces, quotes, dollars and percents; an empty one without TEXT."""
        texts = {'{"job": 17}': '{"job": 17}', "'a\\nb  $HOME %i'": "a\\nb  $HOME %i", "": ""}
        for written, text in texts.items():
            self._write(written)
            self._machine.run("systemctl", "start", UNIT)
            self._expect_published(text)
        return f"{len(texts)} texts"

    def _due(self) -> datetime:
        """The next time of the timer, on a machine without a time zone of its own."""
        text = self._machine.show(TIMER, "NextElapseUSecRealtime")
        return datetime.strptime(text, "%a %Y-%m-%d %H:%M:%S UTC").replace(tzinfo=UTC)

    def _write(self, text: str, *lines: str) -> None:
        self._file.write_text("\n".join([f"TOPIC={TOPIC}", f"TEXT={text}", *lines]) + "\n")

    def _expect_published(self, text: str) -> None:
        """Waits for this event; it is the only one since the one before."""
        self._published.append(text)
        self._wait_until(lambda: len(self._texts()) >= len(self._published), f"{text!r} is published")
        expect(self._published, self._texts())

    def _texts(self) -> list[str]:
        answer = self._door.ask("GET", f"/topics/{TOPIC}?as=json&since=earliest&wait=0")
        return [event["data"] for event in answer.json()["events"]]

    def _wait_until(self, condition: Callable[[], bool], what: str) -> None:
        wait_until(condition, TURN_SECONDS, what, lambda: f"{self._texts()}\n{self._journal()[-4_000:]}")

    def _show(self, key: str) -> str:
        return self._machine.show(UNIT, key)

    def _journal(self) -> str:
        return self._machine.journal(UNIT)
