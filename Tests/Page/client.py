"""Another client of the bus: what the page shows is held against what it is told."""

import asyncio
import http.client
import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

TIMEOUT_SECONDS = 110
"""It only ends what hangs: less than an act may take, and more than any wait that an act ends itself."""


@dataclass(frozen=True)
class Answer:
    """An answer of the bus."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """What it says, in JSON."""
        return json.loads(self.body)


class Client:
    """Asks the bus at this port, each time over a new connection."""

    def __init__(self, port: int, token: str = "") -> None:
        self.port = port
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    async def ask(
        self, method: str, path: str, body: bytes | None = None, **headers: str,
    ) -> Answer:
        """Sends one request. In names of headers `_` stands for `-`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await asyncio.to_thread(self._ask, method, path, body, self._headers | named)

    async def get(self, path: str) -> Any:
        """The JSON at this path."""
        return self._good(await self.ask("GET", path, Accept="application/json"), path).json

    async def put(self, path: str) -> None:
        """Registers a topic or makes a group."""
        self._good(await self.ask("PUT", path), path)

    async def post(self, path: str, body: bytes = b"") -> Answer:
        """Does something to a group."""
        return self._good(await self.ask("POST", path, body), path)

    async def publish(self, topic: str, data: bytes | str, **query: str) -> str:
        """Publishes one event, and gives its id. `content` is its Content-Type."""
        content = query.pop("content", "")
        path = f"/topics/{quote(topic)}" + (f"?{urlencode(query)}" if query else "")
        body = data.encode() if isinstance(data, str) else data
        headers = {"Content-Type": content} if content else {}
        answer = await self.ask("POST", path, body, **headers)
        return str(self._good(answer, path).json["id"])

    async def publish_lines(self, topic: str, lines: list[str]) -> None:
        """Publishes each line as an event, in one request."""
        path = f"/topics/{quote(topic)}?split=lines"
        self._good(await self.ask("POST", path, "\n".join(lines).encode()), path)

    async def events(self, selector: str) -> list[dict[str, Any]]:
        """All that the bus has of a selector."""
        path = f"/topics/{quote(selector)}?since=earliest&as=json&wait=0&max=10000"
        return list((await self.get(path))["events"])

    async def figures(self) -> dict[str, float]:
        """`/metrics`: name, with labels, and value."""
        text = (await self.ask("GET", "/metrics")).body.decode()
        lines = re.findall(r"^(belfry_\S+) (\S+)$", text, re.MULTILINE)
        return {name: float(value) for name, value in lines}

    def _ask(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_SECONDS)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            names = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, names, answer.read())
        finally:
            connection.close()

    @staticmethod
    def _good(answer: Answer, path: str) -> Answer:
        if answer.status >= 400:
            raise AssertionError(f"{path}: {answer.status} {answer.body.decode(errors='replace')}")
        return answer
