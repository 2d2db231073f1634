"""The commands of the project's pages, for the tests that type them."""

from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]


def commands(page: str, chapter: str = "", kind: str = "sh") -> str:
    """The first block of this kind on a page, or behind the title of a chapter of it."""
    text = (PROJECT / page).read_text()
    if chapter:
        text = text.split(f"\n{chapter}\n")[1]
    return text.split(f"```{kind}\n")[1].split("\n```")[0]
