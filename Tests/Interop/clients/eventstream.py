"""An event stream, read by the letter of the HTML standard, for clients that bring no reader."""

import json
from dataclasses import dataclass, field

import tell


@dataclass
class EventStream:
    """The lines of one event stream, each a call without its line end."""

    has_envelopes: bool
    last_id: str | None = None
    _id: str | None = None
    _type: str = ""
    _data: list[str] = field(default_factory=list)

    def line(self, line: str) -> None:
        """Takes a line; tells what it completes."""
        if not line:
            self._dispatch()
            return
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "id":
            self._id = value
        elif name == "event":
            self._type = value
        elif name == "data":
            self._data.append(value)
        elif name == "retry" and not (value.isascii() and value.isdigit()):
            raise ValueError(f"retry: {value!r} is no number")

    def _dispatch(self) -> None:
        if self._id is not None:
            self.last_id, self._id = self._id, None
        type_, data = self._type, self._data
        self._type, self._data = "", []
        if data:
            dispatch(self.last_id, type_, "\n".join(data), self.has_envelopes)


def dispatch(identifier: str | None, type_: str, data: str, has_envelopes: bool) -> None:
    """Tells an event of an event stream, as its readers give it."""
    if type_ == "$gap":
        tell.gap(json.loads(data))
    elif type_ == "$envelope" or has_envelopes:
        tell.envelope(json.loads(data))
    else:
        tell.event(str(identifier), None if type_ == "message" else type_, lines=data)
