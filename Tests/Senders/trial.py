"""One daemon, and all programs at once that publish to it."""

import asyncio
import json
import subprocess
import time
from pathlib import Path
from typing import Any

from bus import Bus
from page import Page, is_as_shown
from sender import Absence, Sender
from topic import PORT, Topic, ask

ARRIVAL_SECONDS = 60
LOG_CHARACTERS = 2_000

RULES, LOG = "With access rules", "If nothing arrives"
"""Sections about the daemon's own configuration."""

KNOWN_WITHOUT_TOKEN = {"deploys"}
"""Where the publisher is a process of a user with a rule: the curl of webhook."""


class Case:
    """One program, and what is to be on its topic."""

    def __init__(self, sender: Sender) -> None:
        self.sender = sender
        self.topic = Topic(sender.topic)
        self.complaints: list[str] = []
        self._shown: list[Any] = []

    async def publish(self, word: str) -> None:
        """Has it publish, and waits until that is on the topic."""
        if not await self.sender.send(word):
            self.complaints.append(f"it says that {word} could not be published")
        await self.arrival(word)

    async def publish_to_nobody(self, word: str) -> None:
        """Has it publish while the bus is away."""
        is_well = await self.sender.send(word)
        if is_well == (self.sender.absence is Absence.TOLD):
            self.complaints.append(f"without a bus it says {'that' if is_well else 'not that'} "
                                   f"all went well with {word}")

    async def arrival(self, word: str) -> None:
        """Waits for the events of a word."""
        self._shown += self.sender.events(word)
        end = time.monotonic() + ARRIVAL_SECONDS
        while len(self.topic.events) < len(self._shown) and time.monotonic() < end:
            await asyncio.to_thread(self.topic.read)

    def judge(self) -> None:
        """To be called when the program has ended, and so has nothing left to publish."""
        while self.topic.read(wait=0):
            pass
        self.complaints += self.topic.objections(self._shown)
        if self.complaints and self.sender.log.exists():
            self.complaints.append(self.sender.log.read_text(errors="replace")[-LOG_CHARACTERS:])


class Trial:
    """What all of them are made to publish."""

    def __init__(self, daemon: Path, page: Page, folder: Path, has_rules: bool) -> None:
        self._folder = folder
        self._page = page
        self._token: str | None = None
        settings: dict[str, str] = {}
        if has_rules:
            made = subprocess.run(
                [daemon, "--make-token", "senders"], capture_output=True, text=True, check=True)
            self._token, line = made.stdout.splitlines()
            tokens = folder / "tokens"
            tokens.touch(mode=0o600)
            tokens.write_text(line + "\n")
            settings["BELFRY_ACCESS_TOKENS"] = str(tokens)
            blocks = [page.section(title).block("ini") for title in (RULES, LOG)]
            (folder / "belfryd.conf").write_text("\n".join(blocks))
        self._bus = Bus(daemon, "sqlite:PATH", folder, settings)
        self._bus.port = PORT

    async def run(self, kinds: list[type[Sender]]) -> list[Case]:
        """Runs it; each case has its complaints afterwards."""
        cases = [
            Case(kind(self._page.section(kind.title), self._folder / kind.topic, self._token))
            for kind in kinds
        ]
        try:
            await self._bus.start()
            if self._token is not None:
                self._check_rules(cases)
                ask("POST", self._page.section(LOG).event()["path"], b"from nobody")
            try:
                await asyncio.gather(*(case.sender.start() for case in cases))
                await self._publish(cases)
            finally:
                await asyncio.gather(*(case.sender.stop() for case in cases))
            for case in cases:
                case.judge()
            await self._bus.stop()
            if self._token is not None:
                self._check_log()
        finally:
            await self._bus.kill()
        return cases

    async def _publish(self, cases: list[Case]) -> None:
        for word in ("web1", "web2"):
            await asyncio.gather(*(case.publish(word) for case in cases))
        if self._token is not None:
            return
        await self._bus.stop()
        await asyncio.gather(*(case.publish_to_nobody("web3") for case in cases))
        await self._bus.start()
        await asyncio.gather(*(
            case.arrival("web3") for case in cases
            if case.sender.absence is Absence.REPEATED))
        await asyncio.gather(*(case.publish("web4") for case in cases))

    def _check_log(self) -> None:
        shown = self._page.section(LOG).event()
        lines = [line for line in self._bus.log().splitlines() if "{" in line]
        if not any(is_as_shown(json.loads(line[line.index("{"):]), shown) for line in lines):
            raise RuntimeError(f"no line of the log is as the page shows it:\n{self._bus.log()}")

    @staticmethod
    def _check_rules(cases: list[Case]) -> None:
        for case in cases:
            if case.sender.topic not in KNOWN_WITHOUT_TOKEN:
                status, _ = ask("POST", f"/topics/{case.sender.topic}", b"from nobody")
                if status != 401:
                    case.complaints.append(f"without a token a publish is answered {status}")
