"""What is on a topic, asked as anybody would."""

import http.client
import json
from typing import Any

from page import is_as_shown

PORT = 7464
WAIT_SECONDS = 1
ANSWER_SECONDS = 20


def ask(method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
    """A request to the bus, and its answer."""
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=ANSWER_SECONDS)
    try:
        connection.request(method, path, body)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


class Topic:
    """One topic, read from its beginning."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.events: list[dict[str, Any]] = []
        self._cursor = "earliest"

    def read(self, wait: int = WAIT_SECONDS) -> bool:
        """Reads on, waiting a moment for more; whether there was more."""
        status, body = ask(
            "GET", f"/topics/{self.name}?as=json&max=10000&since={self._cursor}&wait={wait}")
        if status != 200:
            raise RuntimeError(f"GET of {self.name}: {status} {body.decode()}")
        answer = json.loads(body)
        if answer["gap"] is not None:
            raise RuntimeError(f"{self.name} has a gap: {answer['gap']}")
        self._cursor = answer["cursor"]
        self.events += answer["events"]
        return bool(answer["events"])

    def objections(self, shown: list[Any]) -> list[str]:
        """What is wrong with it, where it is to have just these events in this order."""
        for place, (event, pattern) in enumerate(zip(self.events, shown, strict=False)):
            if not is_as_shown(event, pattern):
                return [f"event {place} of {self.name} is {json.dumps(event)}, "
                        f"not {json.dumps(pattern, ensure_ascii=False)}"]
        if len(self.events) != len(shown):
            return [f"{self.name} has {len(self.events)} events, not {len(shown)}"]
        return []
