"""webhook, which runs a command for each request that it gets: here curl, which publishes it."""

from program import Program, shell
from sender import Sender, listens

PORT = 9000


class Webhook(Sender):
    """The service, and curl in the place of a code host. Its own curl runs as its own user, whom
    the kernel names: it needs no token."""

    title = "webhook"
    topic = "deploys"
    shown = 1

    async def start(self) -> None:
        hooks = self.folder / "webhook.conf"
        hooks.write_text(self.section.block("json"))
        self._program = Program(
            self.log, "webhook", "-verbose", "-ip", "127.0.0.1", "-hooks", hooks)
        await self._program.start(lambda: listens(PORT))

    async def send(self, word: str) -> bool:
        text = self.section.block("sh").replace("web1", word)
        return await shell(self.log, text.replace("curl ", "curl --fail "))

    async def stop(self) -> None:
        await self._program.stop()
