"""Publishing over a WebSocket, by websocket-client: many messages under way at one time."""

import base64
import enum
import json
from typing import Any

import websocket

from ledger import Event

TIMEOUT_SECONDS = 30


class Outcome(enum.Enum):
    """What became of a message that has no id."""

    REFUSED = "refused"
    UNKNOWN = "unknown"


def publish(port: int, events: list[Event]) -> list[int | Outcome]:
    """Sends a message for each event, then takes the answers; returns their ids."""
    try:
        # A selector that never has an event: every message is an answer.
        socket = websocket.create_connection(
            f"ws://127.0.0.1:{port}/topics/interop-nothing", timeout=TIMEOUT_SECONDS)
    except (websocket.WebSocketException, OSError):
        return [Outcome.REFUSED] * len(events)
    outcomes: list[int | Outcome] = []
    try:
        for event in events:
            socket.send(json.dumps(message(event), ensure_ascii=False))
        while len(outcomes) < len(events):
            outcomes.append(answer(socket, events[len(outcomes)]))
        socket.close()
    except (websocket.WebSocketException, OSError):
        socket.shutdown()  # type: ignore[no-untyped-call]
    return outcomes + [Outcome.UNKNOWN] * (len(events) - len(outcomes))


def answer(socket: Any, event: Event) -> int | Outcome:
    """What the bus says to the message of an event: answers come in the order of messages."""
    while True:
        text = socket.recv()
        if not text:
            raise websocket.WebSocketConnectionClosedException("closed by the bus")
        of = json.loads(text)
        if "cursor" not in of:
            break
    if of.get("ref") != event.serial:
        raise RuntimeError(f"the answer to message {event.serial} is {of}")
    if of.get("status") == 503:
        return Outcome.REFUSED
    return int(of["id"])


def message(event: Event) -> dict[str, Any]:
    """The message that publishes this event."""
    of: dict[str, Any] = {"topic": event.topic, "ref": event.serial}
    if event.type is not None:
        of["type"] = event.type
    if event.content_type is not None:
        return of | {"data": json.loads(event.payload)}
    try:
        return of | {"data": event.payload.decode()}
    except UnicodeDecodeError:
        return of | {"data_base64": base64.b64encode(event.payload).decode()}
