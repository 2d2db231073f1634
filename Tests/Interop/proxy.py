"""nginx as people put it before the bus: nothing configured but where it is."""

import asyncio
import os
import shutil
import socket
from pathlib import Path

EXTRACTED = Path(".build-interop/nginx/usr/sbin/nginx")
START_SECONDS = 10

CONFIGURATION = """\
daemon off;
master_process off;
pid nginx.pid;
error_log error.log;
events {{ }}
http {{
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    server {{
        listen 127.0.0.1:{port};
        location / {{ proxy_pass http://127.0.0.1:{target}; }}
    }}
}}
"""


class Proxy:
    """One nginx before one port."""

    def __init__(self, folder: Path, target: int) -> None:
        self._folder = folder / "nginx"
        self._folder.mkdir()
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        (self._folder / "nginx.conf").write_text(
            CONFIGURATION.format(port=self.port, target=target))
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Starts it, and waits until it takes connections."""
        program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin") or EXTRACTED
        self._process = await asyncio.create_subprocess_exec(
            program, "-p", self._folder, "-c", "nginx.conf", "-e", "error.log",
            stdin=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL)
        async with asyncio.timeout(START_SECONDS):
            while not await self._answers():
                await asyncio.sleep(0.02)

    async def kill(self) -> None:
        """Ends it."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()

    async def _answers(self) -> bool:
        assert self._process is not None
        if self._process.returncode is not None:
            raise RuntimeError("nginx does not start: " + (self._folder / "error.log").read_text())
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            return False
        writer.close()
        return True
