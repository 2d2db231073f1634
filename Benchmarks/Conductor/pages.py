"""Where the pages of measurements are kept: beside the builds, so `make clean` removes them."""

import pathlib

RESULTS = pathlib.Path(__file__).resolve().parents[2] / ".build-bench/results"


def folder(is_whole=True):
    """The folder for a page. A run of a part has another, so that it does not replace the figures of a whole run."""
    found = RESULTS if is_whole else RESULTS / "part"
    found.mkdir(parents=True, exist_ok=True)
    return found
