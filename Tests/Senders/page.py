"""What docs/senders.md tells its readers to type, and what it says that comes of it."""

import json
import re
from pathlib import Path
from typing import Any

ANY = "…"
"""In the place of a value: whatever it is. As the last member: and others."""


class Section:
    """One program's part of the page."""

    def __init__(self, text: str) -> None:
        self._blocks = re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)

    def block(self, language: str, index: int = 0) -> str:
        """The fenced block of this language, counted from 0."""
        return [text for fence, text in self._blocks if fence == language][index]

    def event(self, index: int = 0) -> Any:
        """The event that a block of JSON shows."""
        text = self.block("json", index)
        text = re.sub(f",{ANY}(?=[}}])", f',"{ANY}":0', text)
        return json.loads(re.sub(f"(?<=:){ANY}", f'"{ANY}"', text))


class Page:
    """The page."""

    def __init__(self, file: Path) -> None:
        parts = re.split(r"^## (.*)\n", file.read_text(), flags=re.MULTILINE)
        self._sections = dict(zip(parts[1::2], map(Section, parts[2::2]), strict=True))

    def section(self, title: str) -> Section:
        """The section of this title."""
        return self._sections[title]


def is_as_shown(value: Any, shown: Any) -> bool:
    """Whether a value is what the page shows."""
    if shown == ANY:
        return True
    if isinstance(shown, dict):
        if not isinstance(value, dict):
            return False
        named = shown.keys() - {ANY}
        return (named <= value.keys() if ANY in shown else named == value.keys()) and all(
            is_as_shown(value[name], shown[name]) for name in named)
    if isinstance(shown, list):
        return isinstance(value, list) and len(value) == len(shown) and all(
            map(is_as_shown, value, shown))
    return bool(value == shown and type(value) is type(shown))
