"""Makes a Python client of docs/openapi.yaml and uses it: no warning, and every error is of its own type."""

import asyncio
import importlib
import io
import os
import subprocess
import sys
from pathlib import Path

NAME = "generated_belfry"
PROGRAMS = Path(sys.executable).parent


def make(page: Path, folder: Path) -> None:
    """Writes the client into a package of the folder; a warning is an error."""
    subprocess.run(
        [
            PROGRAMS / "openapi-python-client", "generate", "--fail-on-warning", "--meta", "none",
            "--path", page, "--output-path", folder / NAME,
        ],
        check=True, timeout=120, stdin=subprocess.DEVNULL,
        env=os.environ | {"PATH": f"{PROGRAMS}:{os.environ['PATH']}"})


def use(folder: Path, port: int) -> None:
    """Publishes, reads back, and brings problems about, each of which has its type and code."""
    sys.path.insert(0, str(folder))

    def module(path: str):
        return importlib.import_module(f"{NAME}.{path}")

    client = module("client").Client(
        base_url=f"http://127.0.0.1:{port}", raise_on_unexpected_status=True)
    models, types = module("models"), module("types")

    def call(operation: str, *arguments, **parameters):
        return module(f"api.default.{operation}").sync_detailed(
            *arguments, client=client, **parameters)

    def expect(answer, status: int, model: str, code: str | None = None) -> None:
        found = answer.parsed
        if answer.status_code != status or type(found) is not getattr(models, model):
            raise AssertionError(f"{model} expected, got {answer}")
        if code is not None and (found.status, found.code.value) != (status, code):
            raise AssertionError(f"{code} expected, got {found}")

    expect(call("register", "generated", keep="none", for_="1h"), 201, "TopicState")
    expect(call("register", "generated", keep=5), 200, "TopicState")
    expect(call("register", "generated", for_="long"), 400, "BadRequestProblem", "PARAMETER_INVALID")
    expect(call("register", "$generated"), 403, "ForbiddenProblem", "TOPIC_RESERVED")
    def payload(data: bytes):
        return types.File(payload=io.BytesIO(data))

    published = call("publish", "generated", body=payload(b"job 17"), key="17")
    expect(published, 201, "Published")
    event = call("get_event", "generated", published.parsed.id)
    if event.content != b"job 17":
        raise AssertionError(f"another event: {event}")
    expect(call("get_event", "generated", "9007199254740991"), 404, "NotFoundProblem", "EVENT_UNKNOWN")
    expect(call("list_topics", match="generated"), 200, "TopicList")
    gone = call("receive", "generated", since="1", strict=models.ReceiveStrict.VALUE_1, wait="0")
    expect(gone, 410, "GoneProblem", "EVENTS_GONE")
    large = payload(bytes((1 << 20) + 1))
    expect(call("publish", "generated", body=large), 413, "TooLargeProblem", "EVENT_TOO_LARGE")
    expect(call("version"), 200, "Version")


async def check(page: Path, folder: Path, port: int) -> None:
    """Both, beside the loop that watches the daemon."""
    await asyncio.to_thread(make, page, folder)
    await asyncio.to_thread(use, folder, port)
