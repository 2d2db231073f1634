"""What a client tells the harness: one JSON object a line on standard output.

A client is a program whose first argument is the address of a selector. It follows the selector
from `now` until it has had the event of the type that INTEROP_END names, comes back whenever it is
cut off, and tells everything that its library gave it, in that order and nothing else.
"""

import base64
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

END = os.environ["INTEROP_END"]
"""The type of the last event of the selector."""

TYPES = ["tick", "tock", END]
"""All types of events, for readers that have to name them."""

PAUSE_SECONDS = 0.2
"""Between two attempts to come back, as a script of their users would have it."""


class Ended(Exception):
    """The last event was received."""


def until_the_end(follow: Callable[[], None]) -> None:
    """Runs a client that goes on for ever, until its last event."""
    try:
        follow()
    except Ended:
        pass


def has_envelopes(address: str) -> bool:
    """Whether an event stream of this selector has envelopes: unless it is one name."""
    return any(character in "*>," for character in address.rsplit("/", 1)[1])


def naming(address: str) -> dict[str, str]:
    """What an event stream of this selector is asked with, so that it says the types of its events."""
    return {} if has_envelopes(address) else {"named": "yes"}


def opened(cursor: str | None) -> None:
    """An answer began, with this cursor."""
    _write({"opened": cursor})


def event(identifier: str, type_: str | None, **payload: Any) -> None:
    """An event; its payload is `text`, `lines` (whose ends are not told), `json` or `base64`.

    Raises Ended behind the last one.
    """
    _write({"event": {"id": identifier, "type": type_ or None} | payload})
    if type_ == END:
        raise Ended


def raw_event(identifier: str, type_: str | None, payload: bytes) -> None:
    """An event whose payload came as bytes."""
    event(identifier, type_, base64=base64.b64encode(payload).decode())


def envelope(of: dict[str, Any]) -> None:
    """An event as an envelope."""
    members = ["topic", "key", "content_type"]
    rest = {name: of[name] for name in members if name in of}
    if "data_base64" in of:
        rest["base64"] = of["data_base64"]
    elif isinstance(of["data"], str) and not _is_json(of.get("content_type")):
        rest["text"] = of["data"]
    else:
        rest["json"] = of["data"]
    event(of["id"], of.get("type"), **rest)


def gap(of: dict[str, str]) -> None:
    """A gap, as its JSON says it."""
    _write({"gap": of})


def gap_header(value: str) -> None:
    """A gap, as the header Event-Gap says it."""
    gap(dict(part.strip().split("=", 1) for part in value.split(",")))


def message(of: dict[str, Any]) -> str | None:
    """A line or frame of JSON; returns the cursor behind it, if it has one."""
    if "gap" in of:
        gap(of["gap"])
        return None
    if "cursor" in of:
        return str(of["cursor"])
    envelope(of)
    return str(of["id"])


def cut(reason: BaseException) -> None:
    """The answer ended, or there was none; waits a moment, for the client to come back then."""
    library_cut(f"{type(reason).__name__}: {reason}")
    time.sleep(PAUSE_SECONDS)


def library_cut(reason: str) -> None:
    """The answer ended, and the library comes back by itself."""
    _write({"cut": reason})


def _is_json(content_type: str | None) -> bool:
    return content_type is not None and (
        content_type == "application/json" or content_type.endswith("+json")
    )


def _write(line: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()
