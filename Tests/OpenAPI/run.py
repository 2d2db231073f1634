"""Holds the daemon to docs/openapi.yaml: starts one for each store, uses a client that was generated from
the page, and lets schemathesis ask it."""

import argparse
import asyncio
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Interop"))

import generated  # noqa: E402
from bus import Bus  # noqa: E402

# What a deleted topic is answered is no error here: publishing makes it anew, OPTIONS is 204.
UNFIT = "use_after_free,ensure_resource_availability"
SETTINGS = {"BELFRY_POLL_WAIT_DEFAULT": "20ms"}
HERE = Path(__file__).resolve().parent


async def ask(bus: Bus, folder: str, seconds: int, seed: int | None) -> int:
    """One run of schemathesis; its exit code."""
    arguments = [
        Path(sys.executable).parent / "schemathesis", "--config-file", HERE / "schemathesis.toml",
        "run", ROOT / "docs/openapi.yaml", "--url", f"http://127.0.0.1:{bus.port}",
        "--checks", "all", "--exclude-checks", UNFIT, "--mode", "all", "--max-time", str(seconds), "--request-timeout", "10",
        "--no-color", "--generation-database", "none",
    ]
    if seed is not None:
        arguments += ["--seed", str(seed)]
    process = await asyncio.create_subprocess_exec(
        *arguments, env=os.environ | {"SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(HERE)},
        cwd=folder, stdin=asyncio.subprocess.DEVNULL)
    async with asyncio.timeout(seconds + 120):
        return await process.wait()


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--daemon", type=Path, required=True, help="the belfryd to test")
    parser.add_argument("--seconds", type=int, default=20, help="for each store")
    parser.add_argument("--seed", type=int, help="that an earlier run printed")
    options = parser.parse_args()
    code = 0
    for store in ("memory", "sqlite:PATH"):
        with tempfile.TemporaryDirectory(prefix="belfry-openapi-") as folder:
            bus = Bus(options.daemon, store, Path(folder), SETTINGS)
            try:
                await bus.start()
                await generated.check(ROOT / "docs/openapi.yaml", Path(folder), bus.port)
                code = max(code, await ask(bus, folder, options.seconds, options.seed))
                await bus.stop()
            finally:
                await bus.kill()
    return code


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
