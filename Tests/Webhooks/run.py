"""Has `belfry push` bring events to a receiver that fails a third of the time, kills it with SIGKILL again
and again, and verifies every request with the library of Standard Webhooks. Then the receiver has TLS."""

import argparse
import base64
import http.server
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

from over_https import judge_https
from standardwebhooks import Webhook, WebhookVerificationError

KEY = bytes(range(1, 33))
SECRET = "whsec_" + base64.b64encode(KEY).decode()
# The one that the sender had before: each request is signed with both.
OLD_SECRET = "whsec_" + base64.b64encode(KEY[::-1]).decode()
DATA = ["plain", "", "two\nlines", "\u00fcml\u00e4ut \U0001f514", '{"a": "json"}', "\x00\x1b\\\""]
WAIT_SECONDS = 120


class Receiver:
    """Verifies what comes, refuses a third of it at random, three times in a row at most, and remembers the rest."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._hooks = [Webhook(SECRET), Webhook(OLD_SECRET)]
        self._change = threading.Condition()
        self.taken: list[str] = []
        self.refused = 0
        self._in_a_row = 0
        self.faults: list[str] = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(outer.take(body, dict(self.headers)))
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self._server.server_port}/hook?of=it"

    def take(self, body: bytes, headers: dict[str, str]) -> int:
        with self._change:
            for hook in self._hooks:
                try:
                    event = hook.verify(body, headers)
                except WebhookVerificationError as error:
                    self.faults.append(f"{error}: {headers}")
                    return 401
            if event["id"] != headers["webhook-id"]:
                self.faults.append(f"the id of the body is another one: {headers}")
            # Each refusal in a row doubles the wait for the next request.
            if self._in_a_row < 3 and self._random.random() < 1 / 3:
                self._in_a_row += 1
                self.refused += 1
                return self._random.choice([302, 404, 429, 500, 503])
            self._in_a_row = 0
            # Only what was on its way at a kill may come twice.
            if not self.taken or self.taken[-1] != event["id"]:
                self.taken.append(event["id"])
            self._change.notify_all()
            return 204

    def wait_for(self, count: int) -> None:
        with self._change:
            while (before := len(self.taken)) < count:
                if not self._change.wait_for(lambda: len(self.taken) > before, WAIT_SECONDS):
                    raise AssertionError(f"{before} of {count} events came; {self.faults}")


def publish(port: int, text: str, number: int) -> str:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/topics/hooks.t{number % 3}", text.encode(), method="POST",
        headers={"Content-Type": "application/json" if text.startswith("{") else "text/plain"})
    with urllib.request.urlopen(request, timeout=WAIT_SECONDS) as answer:
        return json.load(answer)["id"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=Path, required=True, help="the folder of belfry and belfryd")
    parser.add_argument("--events", type=int, default=60)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    print(f"webhooks: --seed {options.seed}")
    with tempfile.TemporaryDirectory(prefix="belfry-webhooks-") as folder:
        daemon = subprocess.Popen(
            [options.programs / "belfryd", "--store", "memory", "--listen", "127.0.0.1:0"],
            stderr=subprocess.PIPE, text=True, cwd=folder,
            env=os.environ | {"BELFRY_STORE_STATE_DIRECTORY": f"{folder}/state"})
        try:
            ready = next(line for line in daemon.stderr if " ready " in line)
            port = int(ready.split("tcp=")[1].split()[0].rsplit(":", 1)[1])
            judge(options, port, Path(folder))
            judge_https(options.programs, port, Path(folder))
        finally:
            daemon.kill()
            daemon.wait()
    return 0


def judge(options: argparse.Namespace, port: int, folder: Path) -> None:
    receiver = Receiver(options.seed)
    hooks = folder / "hooks"
    hooks.touch(0o600)
    hooks.write_text(f"hooks.> {receiver.address} {OLD_SECRET} {SECRET}\n")
    command = [options.programs / "belfry", "push", hooks, "--since", "earliest",
               "--url", f"http://127.0.0.1:{port}"]
    environment = os.environ | {"HOME": str(folder), "STATE_DIRECTORY": str(folder)}
    ids = [publish(port, DATA[number % len(DATA)], number) for number in range(options.events)]

    for kill in range(options.kills):
        push = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
        receiver.wait_for(len(receiver.taken) + 1)
        time.sleep(random.Random(options.seed + kill).random() / 10)
        push.kill()
        push.wait()
    push = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    receiver.wait_for(options.events)
    push.terminate()
    if push.wait(WAIT_SECONDS) != 0:
        raise AssertionError(f"SIGTERM ended it with {push.returncode}")
    if receiver.faults:
        raise AssertionError(receiver.faults[0])
    if receiver.taken != ids:
        raise AssertionError(f"published {ids}, received {receiver.taken}")
    print(f"webhooks: {len(ids)} events came in order over {options.kills} kills and "
          f"{receiver.refused} failures, each verified")


if __name__ == "__main__":
    sys.exit(main())
