"""Apprise's json:// addresses."""

from program import shell
from sender import Sender


class Apprise(Sender):
    """One command an event."""

    title = "Apprise"
    topic = "notices"

    async def send(self, word: str) -> bool:
        text = self.section.block("sh", 0 if self.token is None else 1)
        if self.token is not None:
            text = self.with_token(text)
        return await shell(self.log, text.replace("web1", word))
