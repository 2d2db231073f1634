"""Alertmanager, which tells its webhook receivers of alerts."""

from program import Program, shell
from sender import Absence, Sender, listens

PORT = 9093


class Alertmanager(Sender):
    """The service, and amtool, which makes alerts as Prometheus does."""

    title = "Alertmanager"
    topic = "alerts"
    absence = Absence.REPEATED

    async def start(self) -> None:
        text = self.section.block("yaml")
        if self.token is not None:
            text += self.with_token(self.section.block("yaml", 1))
        configuration = self.folder / "alertmanager.yml"
        configuration.write_text(text)
        self._program = Program(
            self.log, "prometheus-alertmanager", f"--config.file={configuration}",
            f"--storage.path={self.folder / 'data'}", f"--web.listen-address=127.0.0.1:{PORT}",
            "--cluster.listen-address=")
        await self._program.start(lambda: listens(PORT))

    async def send(self, word: str) -> bool:
        return await shell(self.log, self.section.block("sh").replace("web1", word))

    async def stop(self) -> None:
        await self._program.stop()
