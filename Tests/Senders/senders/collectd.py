"""collectd's plugin write_http."""

import asyncio
import socket

from program import LOOK_SECONDS, Program
from sender import Absence, Sender

SURROUNDINGS = """\
Hostname "here"
BaseDir "{folder}"
PIDFile "{folder}/pid"
Interval 3600
LoadPlugin logfile
<Plugin logfile>
  LogLevel info
  File stderr
</Plugin>
LoadPlugin unixsock
<Plugin unixsock>
  SocketFile "{folder}/socket"
</Plugin>
Include "{folder}/belfry.conf"
LoadPlugin write_log
"""
"""What Debian's own collectd.conf has around collectd.conf.d, without what it would measure: here
values come by its socket. Each goes to all writers in turn: the log has it behind write_http."""

ANSWER_SECONDS = 10


class Collectd(Sender):
    """The daemon, given one value at a time."""

    title = "collectd"
    topic = "collectd"
    absence = Absence.LOST

    async def start(self) -> None:
        text = self.section.block("conf")
        if self.token is not None:
            header = self.with_token(self.section.block("conf", 1))
            text = text.replace("  </Node>", f"{header}  </Node>")
        (self.folder / "belfry.conf").write_text(text)
        configuration = self.folder / "collectd.conf"
        configuration.write_text(SURROUNDINGS.format(folder=self.folder))
        self._program = Program(self.log, "collectd", "-f", "-C", configuration)
        await self._program.start(self._answers)

    async def send(self, word: str) -> bool:
        value = f"PUTVAL {word}/backup/gauge-minutes interval=10 N:3"
        await asyncio.to_thread(self._ask, value)
        async with asyncio.timeout(ANSWER_SECONDS):
            while f"{word}.backup" not in self._program.log():
                await asyncio.sleep(LOOK_SECONDS)
        await asyncio.to_thread(self._ask, "FLUSH")
        return True

    async def stop(self) -> None:
        await self._program.stop()

    def _answers(self) -> bool:
        try:
            self._ask("LISTVAL")
        except OSError:
            return False
        return True

    def _ask(self, command: str) -> None:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(ANSWER_SECONDS)
            client.connect(str(self.folder / "socket"))
            with client.makefile("rw") as stream:
                stream.write(command + "\n")
                stream.flush()
                answer = stream.readline()
                if not answer[:1].isdigit():
                    raise OSError(f"{command}: {answer}")
