"""CloudEvents in structured mode, by their Python SDK."""

import sys

from program import run
from sender import Sender


class CloudEvents(Sender):
    """One script an event."""

    title = "CloudEvents in Python"
    topic = "builds"

    async def send(self, word: str) -> bool:
        text = self.section.block("python").replace("web1", word)
        if self.token is not None:
            line = self.with_token(self.section.block("python", 1))
            text = text.replace("answer = ", line + "answer = ")
        return await run(self.log, sys.executable, "-B", "-c", text)
