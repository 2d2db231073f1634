"""What a test goes through, act by act."""

import time
from collections.abc import Callable


def perform(acts: list[Callable[[], str]], details: Callable[[], str]) -> int:
    """Goes through them until one fails, with a line for each; returns an exit status."""
    for act in acts:
        name = act.__name__.replace("_", " ")
        start = time.monotonic()
        try:
            summary = act()
        except Exception as error:  # noqa: BLE001 (whatever it is, it failed)
            print(f"  FAILED  {name}: {type(error).__name__}: {error}\n{details()}", flush=True)
            return 1
        print(f"  ok  {name}: {summary} ({time.monotonic() - start:.1f} s)", flush=True)
    return 0


def expect(expected: object, found: object) -> None:
    """Raises where they differ."""
    if expected != found:
        raise AssertionError(f"{found!r} instead of {expected!r}")


def expect_in(part: str, text: str) -> None:
    """Raises where a text lacks it."""
    if part not in text:
        raise AssertionError(f"no {part!r} in {text}")


def wait_until(
    condition: Callable[[], bool], seconds: float, what: str,
    details: Callable[[], str] = lambda: "",
) -> None:
    """Waits for something to become true, and says what did not."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"not in {seconds} s: {what}\n{details()}")
        time.sleep(0.02)
