"""Programs as processes: started, waited for and ended, each with a log of its own."""

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path

START_SECONDS = 30
STOP_SECONDS = 30
COMMAND_SECONDS = 60
LOOK_SECONDS = 0.02


def environment(home: Path) -> dict[str, str]:
    """What a program knows of this run: a home of its own, where some make folders."""
    return {
        "PATH": os.environ["PATH"] + ":/usr/sbin", "LC_ALL": "C.UTF-8", "HOME": str(home),
    }


class Program:
    """A program that runs until it is stopped."""

    def __init__(self, log: Path, *command: str | Path) -> None:
        self._log = log
        self._command = command
        self._process: asyncio.subprocess.Process | None = None

    async def start(self, is_ready: Callable[[], bool]) -> None:
        """Starts it, and waits until it is ready."""
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *self._command, stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log,
                env=environment(self._log.parent), cwd=self._log.parent)
        async with asyncio.timeout(START_SECONDS):
            while not is_ready():
                if self._process.returncode is not None:
                    raise RuntimeError(f"{self._command[0]} does not start:\n{self.log()}")
                await asyncio.sleep(LOOK_SECONDS)

    async def stop(self) -> None:
        """Ends it, and gives it the time to send what it still has."""
        if self._process is None or self._process.returncode is not None:
            return
        self._process.send_signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
            raise

    def log(self) -> str:
        """What it said."""
        return self._log.read_text(errors="replace")


async def run(log: Path, *command: str | Path) -> bool:
    """Runs a command to its end; whether it says that all went well."""
    with log.open("ab") as file:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.DEVNULL, stdout=file, stderr=file,
            env=environment(log.parent), cwd=log.parent)
    try:
        async with asyncio.timeout(COMMAND_SECONDS):
            return await process.wait() == 0
    except TimeoutError:
        process.kill()
        await process.wait()
        raise


async def shell(log: Path, text: str) -> bool:
    """Runs what a user would type."""
    return await run(log, "sh", "-ec", text)
