"""The alerts and the dashboard of monitoring/, by Prometheus' own promtool, beside a real daemon.

Usage: monitoring.py --daemon PROGRAM --promtool PROGRAM
"""

import argparse
import asyncio
import json
import re
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Interop"))
from acts import expect  # noqa: E402
from bus import Bus  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
MONITORING = ROOT / "monitoring"
RATE_INTERVAL = "5m"
"""What Grafana would put for its variable of that name."""
FIGURE = re.compile(r"\b(?:belfry|process)_[a-z_]+")


class Promtool:
    """Prometheus' checker."""

    def __init__(self, program: Path) -> None:
        self._program = program.resolve()

    def run(self, *arguments: str, given: bytes = b"") -> None:
        """Runs it, and fails with what it says."""
        done = subprocess.run(
            [self._program, *arguments], cwd=MONITORING, input=given, capture_output=True)
        expect("", (done.stdout + done.stderr).decode() if done.returncode else "")


def expressions() -> list[str]:
    """What the panels of the dashboard ask for, with Grafana's variables replaced."""
    dashboard = json.loads((MONITORING / "grafana.json").read_text())
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
    return [
        asked_for.replace("$__rate_interval", RATE_INTERVAL).replace("$job", "belfry")
        .replace("$instance", ".+") for asked_for in asked]


def layout() -> None:
    """No panel has another's number or stands on another one."""
    panels = json.loads((MONITORING / "grafana.json").read_text())["panels"]
    expect(len(panels), len({panel["id"] for panel in panels}))
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        at = panel["gridPos"]
        cells = {
            (x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        expect(set(), cells & taken)
        taken |= cells


def documented() -> None:
    """The page for operators has a row for each alert, and no other."""
    alerts = re.findall(r"- alert: (\w+)", (MONITORING / "alerts.yml").read_text())
    rows = re.findall(r"^\| `(Belfry\w+)` \|", (ROOT / "docs/operations.md").read_text(), re.MULTILINE)
    expect(alerts, rows)


def ask(url: str, body: bytes | None = None) -> bytes:
    """Requests a page, whatever its status is."""
    try:
        with urllib.request.urlopen(url, body, timeout=60) as answer:
            return answer.read()
    except urllib.error.HTTPError as refusal:
        return refusal.read()


async def figures(daemon: Path) -> bytes:
    """The metrics of a daemon that has published, and refused."""
    with tempfile.TemporaryDirectory() as folder:
        bus = Bus(daemon, "sqlite:PATH", Path(folder), {})
        await bus.start()
        try:
            address = f"http://127.0.0.1:{bus.port}"
            ask(f"{address}/topics/t", b"x")
            ask(f"{address}/nothing")
            return ask(f"{address}/metrics")
        finally:
            await bus.stop()


def exposed(page: bytes, asked: list[str]) -> None:
    """Each figure that is asked for is one that the daemon has."""
    there = set(FIGURE.findall(page.decode()))
    expect(set(), {name for text in asked for name in FIGURE.findall(text)} - there)


def main() -> None:
    """Checks everything, and says so."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--daemon", type=Path, required=True)
    parser.add_argument("--promtool", type=Path, required=True)
    options = parser.parse_args()
    promtool = Promtool(options.promtool)

    promtool.run("check", "rules", "alerts.yml")
    promtool.run("test", "rules", "alerts.test.yml")
    written = subprocess.run(
        [sys.executable, "-B", MONITORING / "make_dashboard.py"], capture_output=True, check=True)
    # After a change of it: monitoring/make_dashboard.py >monitoring/grafana.json
    expect(written.stdout.decode(), (MONITORING / "grafana.json").read_text())
    layout()
    documented()
    asked = expressions()
    rules = {"groups": [{"name": "panels", "rules": [
        {"record": f"panel:{index}", "expr": text} for index, text in enumerate(asked)]}]}
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        json.dump(rules, file)
        file.flush()
        promtool.run("check", "rules", file.name)
    page = asyncio.run(figures(options.daemon.resolve()))
    promtool.run("check", "metrics", given=page)
    exposed(page, asked + [(MONITORING / "alerts.yml").read_text()])
    print(f"monitoring: alerts fire as they should; all figures of {len(asked)} lines are there")


if __name__ == "__main__":
    main()
