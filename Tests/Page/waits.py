"""Waiting for what has to come, with a bound, and never for a time."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

Value = TypeVar("Value")

SECONDS = 15.0
PAUSE_SECONDS = 0.05


class Late(AssertionError):
    """It did not come."""


async def until(
    what: str, look: Callable[[], Awaitable[Value]], seconds: float = SECONDS,
    enough: Callable[[Value], bool] = bool,
) -> Value:
    """Looks again and again until it is there, and gives what was seen last."""
    end = time.monotonic() + seconds
    while not enough(seen := await look()):
        if time.monotonic() > end:
            raise Late(f"{what}: not within {seconds:.0f} s, at last {short(seen)}")
        await asyncio.sleep(PAUSE_SECONDS)
    return seen


async def equal(what: str, look: Callable[[], Awaitable[Value]], wanted: Value, seconds: float = SECONDS) -> None:
    """Waits until it is just this."""
    await until(f"{what} is to be {short(wanted)}", look, seconds, lambda seen: seen == wanted)


def same(what: str, seen: object, wanted: object) -> None:
    """Both are equal, now."""
    if seen != wanted:
        raise AssertionError(f"{what}: {short(seen)}, and not {short(wanted)}")


def short(value: object) -> str:
    """As much of it as helps."""
    text = repr(value)
    return text if len(text) <= 400 else f"{text[:300]} … {text[-80:]}"
