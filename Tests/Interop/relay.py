"""A TCP relay before the bus, one for each client, that cuts it off when told to."""

import asyncio
import enum
import socket
import struct

CHUNK_BYTES = 1 << 16
RESET = struct.pack("ii", 1, 0)


class Cut(enum.Enum):
    """How a connection ends under the client."""

    FIN = "FIN"
    RST = "RST"


class Relay:
    """Passes on what comes, until `cut` ends every connection amid what the bus sends next."""

    def __init__(self) -> None:
        self.target = 0
        self.is_away = False
        """While set, connections are accepted and reset."""
        self.cuts = 0
        self._armed: Cut | None = None
        self._was_cut = asyncio.Event()
        self._connections: set[Connection] = set()
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port: int = self._socket.getsockname()[1]

    async def start(self) -> None:
        """Begins to accept."""
        self._server = await asyncio.start_server(self._accept, sock=self._socket)

    async def cut(self, how: Cut, is_away: bool = False) -> None:
        """Cuts off the client within the next bytes that it is sent; returns when it was.

        With `is_away` it cannot come back until that is taken back.
        """
        self._armed = how
        self._away_after = is_away
        self._was_cut.clear()
        await self._was_cut.wait()

    def close(self) -> None:
        """Ends everything."""
        self._server.close()
        self._end(Cut.RST)

    def sending(self, connection: "Connection", data: bytes) -> bool:
        """Whether these bytes of the bus may pass; else their first half did, and all is cut."""
        if self._armed is None:
            return True
        connection.client.write(data[: len(data) // 2])
        self.cuts += 1
        self.is_away = self._away_after
        self._end(self._armed)
        self._armed = None
        self._was_cut.set()
        return False

    def _end(self, how: Cut) -> None:
        for connection in self._connections:
            connection.end(how)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = Connection(writer)
        if self.is_away:
            connection.end(Cut.RST)
            return
        self._connections.add(connection)
        try:
            await connection.serve(self, reader)
        finally:
            self._connections.discard(connection)


class Connection:
    """One connection of the client, and the one to the bus behind it."""

    def __init__(self, client: asyncio.StreamWriter) -> None:
        self.client = client
        self.bus: asyncio.StreamWriter | None = None

    async def serve(self, relay: Relay, from_client: asyncio.StreamReader) -> None:
        """Passes bytes on until one side ends."""
        try:
            from_bus, self.bus = await asyncio.open_connection("127.0.0.1", relay.target)
        except OSError:
            self.end(Cut.RST)
            return
        pumps = [
            asyncio.create_task(self._upstream(from_client)),
            asyncio.create_task(self._downstream(relay, from_bus)),
        ]
        await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        for pump in pumps:
            pump.cancel()
        await asyncio.gather(*pumps, return_exceptions=True)
        self.end(Cut.FIN)

    def end(self, how: Cut) -> None:
        """Closes both sides; a FIN goes behind what was written, a RST takes its place."""
        for writer in (self.client, self.bus):
            if writer is None:
                continue
            if how is Cut.RST:
                raw = writer.get_extra_info("socket")
                if raw is not None and raw.fileno() >= 0:
                    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                writer.transport.abort()
            else:
                writer.close()

    async def _upstream(self, reader: asyncio.StreamReader) -> None:
        assert self.bus is not None
        while data := await reader.read(CHUNK_BYTES):
            self.bus.write(data)
            await self.bus.drain()

    async def _downstream(self, relay: Relay, reader: asyncio.StreamReader) -> None:
        while data := await reader.read(CHUNK_BYTES):
            if not relay.sending(self, data):
                return
            self.client.write(data)
            await self.client.drain()
