"""aiohttp: an event stream, an NDJSON stream and a WebSocket, coming back with since=."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator

import aiohttp
import tell
from eventstream import EventStream

FOREVER = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=60)


async def lines(
    session: aiohttp.ClientSession, cursor: str, parameters: dict[str, str]
) -> AsyncIterator[str]:
    """The whole lines of one answer, until it ends or is cut off."""
    try:
        async with session.get(ADDRESS, params={"since": cursor} | parameters) as answer:
            answer.raise_for_status()
            tell.opened(answer.headers["Event-Cursor"])
            async for line in answer.content:
                if line.endswith(b"\n"):
                    yield line[:-1].decode()
            tell.cut(EOFError("the stream ended"))
    except aiohttp.ClientError as reason:
        tell.cut(reason)


async def sse(session: aiohttp.ClientSession, cursor: str) -> str:
    """One event stream; returns its last id."""
    stream = EventStream(tell.has_envelopes(ADDRESS), last_id=cursor)
    async for line in lines(session, cursor, {"as": "sse"} | tell.naming(ADDRESS)):
        stream.line(line)
    return stream.last_id or cursor


async def ndjson(session: aiohttp.ClientSession, cursor: str) -> str:
    """One NDJSON stream; returns its last cursor."""
    async for line in lines(session, cursor, {"as": "ndjson"}):
        if line:
            cursor = tell.message(json.loads(line)) or cursor
    return cursor


async def websocket(session: aiohttp.ClientSession, cursor: str) -> str:
    """One WebSocket; returns its last cursor."""
    try:
        async with session.ws_connect(ADDRESS, params={"since": cursor}) as socket:
            cursor = (await socket.receive_json())["cursor"]
            tell.opened(cursor)
            async for frame in socket:
                cursor = tell.message(frame.json()) or cursor
            tell.cut(EOFError(f"close code {socket.close_code}"))
    except (aiohttp.ClientError, TypeError) as reason:
        tell.cut(reason)
    return cursor


async def follow() -> None:
    """Goes on from one answer to the next."""
    form = {"sse": sse, "ndjson": ndjson, "websocket": websocket}[sys.argv[2]]
    cursor = "now"
    async with aiohttp.ClientSession(timeout=FOREVER) as session:
        while True:
            cursor = await form(session, cursor)


ADDRESS = sys.argv[1]
tell.until_the_end(lambda: asyncio.run(follow()))
