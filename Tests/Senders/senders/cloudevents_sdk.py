"""CloudEvents in structured mode, by their Python SDK. Binary mode has to be refused."""

import sys

from program import run
from sender import Sender


class CloudEvents(Sender):
    """One script an event."""

    title = "CloudEvents in Python"
    topic = "builds"

    async def start(self) -> None:
        if await self._run(self.section.block("python").replace("_structured_", "_binary_")):
            raise RuntimeError("an event in binary mode is taken, without its attributes")
        if "400 Client Error" not in self.log.read_text():
            raise RuntimeError(f"an event in binary mode fails otherwise:\n{self.log.read_text()}")

    async def send(self, word: str) -> bool:
        return await self._run(self.section.block("python").replace("web1", word))

    async def _run(self, text: str) -> bool:
        if self.token is not None:
            line = self.with_token(self.section.block("python", 1))
            text = text.replace("answer = ", line + "answer = ")
        return await run(self.log, sys.executable, "-B", "-c", text)
