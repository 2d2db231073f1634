"""What all programs have in common that publish."""

import copy
import json
import socket
from enum import Enum
from pathlib import Path
from typing import Any

from page import Section


class Absence(Enum):
    """What becomes of an event that is to be published while nobody listens."""

    REPEATED = "repeats it"
    TOLD = "says that it failed"
    LOST = "loses it"


class Sender:
    """A program that publishes, set up as the page says. `web1` stands in each block that makes it
    publish and in the event that comes of it; other words take its place for other events."""

    title = ""
    """The section of the page."""

    topic = ""
    absence = Absence.TOLD
    shown = 0
    """Which of the section's blocks of JSON is the event."""

    def __init__(self, section: Section, folder: Path, token: str | None) -> None:
        self.section = section
        self.folder = folder
        self.token = token
        self.log = folder / "log.txt"
        folder.mkdir()

    async def start(self) -> None:
        """Starts what runs all the time."""

    async def send(self, word: str) -> bool:
        """Makes it publish; whether it says that this went well."""
        raise NotImplementedError

    async def stop(self) -> None:
        """Ends what runs all the time."""

    def events(self, word: str) -> list[Any]:
        """The events that have to come of it, as the page shows them."""
        return [with_word(self.section.event(self.shown), word)]

    def with_token(self, text: str) -> str:
        """The text of a block, with the token in the place that the page leaves for it."""
        assert self.token is not None
        return text.replace("TOKEN", self.token)


def with_word(event: Any, word: str) -> Any:
    """The event, about something else."""
    return json.loads(json.dumps(copy.deepcopy(event)).replace("web1", word))


def listens(port: int) -> bool:
    """Whether something takes connections there."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
