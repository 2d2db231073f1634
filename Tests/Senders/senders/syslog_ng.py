"""syslog-ng's destination http(): a request for each message, and one for many."""

from typing import Any

from program import Program, run, shell
from sender import Absence, Sender

SURROUNDINGS = """\
@version: current
options {{ time-reopen(1); }};
source s_src {{ unix-dgram("{socket}"); }};
@include "{included}"
"""
"""What Debian's own syslog-ng.conf has around conf.d. A message that failed waits 60 s there."""


class SyslogNg(Sender):
    """A message an event, its text alone."""

    title = "syslog-ng, one message an event"
    topic = "syslog"
    absence = Absence.REPEATED

    async def start(self) -> None:
        text = self.section.block("conf", 0 if self.token is None else 1)
        included = self.folder / "belfry.conf"
        included.write_text(text if self.token is None else self.with_token(text))
        self.socket = self.folder / "dev-log"
        configuration = self.folder / "syslog-ng.conf"
        configuration.write_text(SURROUNDINGS.format(socket=self.socket, included=included))
        self._program = Program(
            self.log, "syslog-ng", "--foreground", "--stderr", "--no-caps",
            f"--cfgfile={configuration}", f"--persist-file={self.folder / 'persist'}",
            f"--pidfile={self.folder / 'pid'}", f"--control={self.folder / 'ctl'}")
        await self._program.start(self.socket.exists)

    async def send(self, word: str) -> bool:
        # /dev/log is the machine's.
        command = f"logger --socket {self.socket} "
        return await shell(
            self.log, self.section.block("sh").replace("web1", word).replace("logger ", command))

    async def stop(self) -> None:
        await self._program.stop()


class SyslogNgBatch(SyslogNg):
    """Many messages a request, each an event of JSON."""

    title = "syslog-ng, many messages a request"
    topic = "syslog-json"

    COUNT = 2_500
    """Lines at once, more than go into one batch."""

    async def send(self, word: str) -> bool:
        lines = self.folder / "lines.txt"
        lines.write_text("".join(f"{word}, line {number}\n" for number in range(self.COUNT)))
        return await super().send(word) and await run(
            self.log, "logger", "--socket", self.socket, "-t", "backup", "--file", lines)

    def events(self, word: str) -> list[Any]:
        [first] = super().events(word)
        return [first] + [
            first | {"data": first["data"] | {"message": f"{word}, line {number}"}}
            for number in range(self.COUNT)
        ]
