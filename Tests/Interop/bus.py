"""The daemon under test: started, stopped, and started again on the same port and state."""

import asyncio
import os
import re
import signal
from pathlib import Path

START_SECONDS = 20
STOP_SECONDS = 30


class Bus:
    """One `belfryd` with a state directory of its own."""

    def __init__(self, program: Path, store: str, folder: Path, settings: dict[str, str]) -> None:
        self._program = program
        self._store = store.replace("PATH", str(folder / "events.sqlite"))
        self._log = folder / "belfryd.log"
        self._configuration = folder / "belfryd.conf"
        self._configuration.touch()
        self._environment = {
            name: value for name, value in os.environ.items() if not name.startswith("BELFRY_")
        }
        self._environment |= settings | {
            "BELFRY_LISTEN_UNIX": "none",
            "BELFRY_STORE_STATE_DIRECTORY": str(folder / "state"),
        }
        self.options: list[str | Path] = []
        self._process: asyncio.subprocess.Process | None = None
        self.port = 0

    async def start(self) -> None:
        """Starts it, on any port the first time, and waits until it is ready."""
        with self._log.open("ab") as log:
            behind = log.tell()
            self._process = await asyncio.create_subprocess_exec(
                self._program, "--config", self._configuration, "--store", self._store,
                "--listen", f"127.0.0.1:{self.port}", *self.options,
                env=self._environment, stdin=asyncio.subprocess.DEVNULL, stderr=log)
        async with asyncio.timeout(START_SECONDS):
            while (ready := self._ready(behind)) is None:
                if self._process.returncode is not None:
                    raise RuntimeError(f"belfryd does not start:\n{self.log()}")
                await asyncio.sleep(0.01)
        self.port = ready

    async def stop(self) -> None:
        """Ends it as systemd does. It has to say that all went well."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(STOP_SECONDS):
            code = await self._process.wait()
        if code != 0:
            raise RuntimeError(f"belfryd ended with {code}:\n{self.log()}")

    async def kill(self) -> None:
        """Ends it when nothing else matters."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()

    def log(self) -> str:
        """What it said."""
        return self._log.read_text()

    def _ready(self, behind: int) -> int | None:
        match = re.search(r"ready tcp=127\.0\.0\.1:(\d+)", self.log()[behind:])
        return int(match[1]) if match else None
