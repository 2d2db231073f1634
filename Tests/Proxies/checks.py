"""What has to go through a proxy as it goes without one."""

import json
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.request import urlopen

from client import HOST, LINE_SECONDS, PORT, Client
from proxies import Proxy

WAIT_SECONDS = 65
"""Longer than a proxy waits that is not told to."""
NOTICE_SECONDS = 5
LARGE_BYTES = 900_000
ROUNDS = 5
BUS = "http://localhost:7464"


class Checks:
    """The checks of one proxy. Each raises where something is not as it should be."""

    def __init__(
        self, client: Client, certificate: Path, token: str, kind: type[Proxy],
    ) -> None:
        self._client = client
        self._certificate = certificate
        self._token = token
        self._kind = kind

    def all(self) -> list[Callable[[], None]]:
        """Every check, the longest first."""
        return [
            self.long_poll, self.quiet_stream, self.tokens, self.bodies, self.targets,
            self.streams, self.stream_of_http2, self.web_socket, self.page, self.leaving,
            *([self.cookies] if self._kind.takes_cookies else []),
        ]

    def complaints(self) -> list[str]:
        """Runs all of them at once."""
        with ThreadPoolExecutor(len(self.all())) as pool:
            return [text for text in pool.map(self._complaint, self.all()) if text]

    @staticmethod
    def _complaint(check: Callable[[], None]) -> str | None:
        try:
            check()
        except Exception as error:  # noqa: BLE001, a check may fail in every way
            return f"{check.__name__}: {type(error).__name__}: {error}"
        return None

    def _publish(self, topic: str, body: bytes = b"x") -> None:
        status = self._client.ask("POST", f"/topics/{topic}", body).status
        expect(status, 201, "a publish")

    def tokens(self) -> None:
        """The token goes on to the bus, and so does the question for one."""
        self._publish("tokens")
        answer = self._client.ask("POST", f"/topics/tokens", b"x", Authorization="")
        expect(answer.status, 401, "a publish without a token")
        expect(answer.headers["WWW-Authenticate"], 'Bearer realm="belfry"', "its challenge")

    def bodies(self) -> None:
        """Bodies with a length, and in chunks, come back byte for byte."""
        large = bytes(range(256)) * (LARGE_BYTES // 256)
        for body in (large, iter([large[:1], large[1:]])):
            path = "/topics/bodies"
            answer = self._client.ask("POST", path, body, Content_Type="application/octet-stream")
            expect(answer.status, 201, "a publish of 900 KB")
            place = answer.headers["Location"]
            expect(place.startswith(f"{self._client.prefix}/topics/"), True, f"Location: {place}")
            place = place.removeprefix(self._client.prefix)
            expect(self._client.ask("GET", place).body == large, True, "the same bytes")

    def targets(self) -> None:
        """Targets reach the bus as they were sent."""
        for target, status in (
            ("/topics/targets%2Cothers?wait=0", 204), ("/topics/a%2Fb?wait=0", 400),
            ("/topics//a?wait=0", 404), ("/topics/a%20b?wait=0", 400),
            ("/topics?match=targets.%3E", 200),
        ):
            answer = self._client.ask("GET", target)
            expect(answer.status, status, target)

    def long_poll(self) -> None:
        """A request may wait for longer than proxies wait by themselves."""
        start = time.monotonic()
        target = f"/topics/quiet?wait={WAIT_SECONDS}"
        answer = self._client.ask("GET", target, seconds=2 * WAIT_SECONDS)
        expect(answer.status, 204, "a poll without events")
        expect(time.monotonic() - start >= WAIT_SECONDS - 1, True, "the whole wait")

    def quiet_stream(self) -> None:
        """Heartbeats go on at once, as each line has to come in time."""
        connection = self._client.open("GET", "/topics/silent?as=ndjson")
        response = connection.getresponse()
        end = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < end:
            expect(response.readline() != b"", True, "a stream that goes on")
        connection.close()

    def streams(self) -> None:
        """Each event is there before the next one is published."""
        for form in ("ndjson", "sse"):
            topic = f"streams.{form}"
            connection = self._client.open("GET", f"/topics/{topic}?as={form}")
            response = connection.getresponse()
            expect(response.status, 200, f"a stream as {form}")
            for number in range(ROUNDS):
                self._publish(topic, f"event {number}".encode())
                while f"event {number}".encode() not in response.readline():
                    pass
            connection.close()

    def stream_of_http2(self) -> None:
        """Browsers speak HTTP/2 to the proxy, where many streams share a connection."""
        self._publish("second", b"over HTTP/2")
        target = f"https://{HOST}{self._client.prefix}/topics/second?as=sse&since=earliest&max=1"
        run = subprocess.run(
            ["curl", "-sSN", "--max-time", str(LINE_SECONDS), "--http2",
             "--connect-to", f"{HOST}:443:127.0.0.1:{PORT}", "--cacert", self._certificate,
             "-H", f"Authorization: Bearer {self._token}", "-w", "version %{http_version}",
             target], capture_output=True, text=True)
        expect(run.returncode, 0, run.stderr)
        expect("data: over HTTP/2" in run.stdout, True, f"the event in {run.stdout}")
        expect(run.stdout.endswith("version 2"), True, "HTTP/2")

    def web_socket(self) -> None:
        """A WebSocket publishes and receives."""
        web_socket = self._client.web_socket("/topics/sockets")
        expect("cursor" in web_socket.receive(), True, "a cursor first")
        for number in range(ROUNDS):
            web_socket.send({"ref": number, "data": f"event {number}"})
            messages = [web_socket.receive(), web_socket.receive()]
            expect([m["ref"] for m in messages if "ref" in m], [number], "the answer")
            expect([m["data"] for m in messages if "data" in m], [f"event {number}"], "the event")
        web_socket.close()

    def page(self) -> None:
        """The page is shown, and may publish; pages of other origins may not."""
        shown = self._client.ask("GET", "/", Accept="text/html")
        expect(shown.headers["Content-Type"], "text/html; charset=utf-8", "the page")
        part = f'src="{self._client.prefix}/page/app.js"'
        expect(part in shown.body.decode(), True, f"{part} in the page")
        expect(self._client.ask("GET", "/page/app.js").status, 200, "a part of the page")
        for origin, status in ((f"https://{HOST}", 201), ("https://elsewhere.example", 403)):
            answer = self._client.ask(
                "POST", "/topics/pages", b"x", Origin=origin)
            expect(answer.status, status, f"a publish by a page of {origin}")

    def cookies(self) -> None:
        """A cookie is the token of streams and WebSockets, and no page of another origin has it."""
        self._publish("cookies")
        cookie = f"other=1; belfry={self._token}"
        target = "/topics/cookies?as=sse&since=earliest&max=1"
        for headers, status in (
            ({"Cookie": cookie}, 200), ({"Cookie": "belfry=unknown"}, 401), ({}, 401),
            ({"Cookie": cookie, "Origin": "https://elsewhere.example"}, 403),
        ):
            answer = self._client.ask("GET", target, Authorization="", **headers)
            expect(answer.status, status, f"a stream for {list(headers)}")
        web_socket = self._client.web_socket("/topics/cookies", Cookie=cookie)
        expect("cursor" in web_socket.receive(), True, "a cursor for a cookie")
        web_socket.close()

    def leaving(self) -> None:
        """A job goes to the worker that is there, and not to one that left."""
        group = "/groups/left"
        expect(self._client.ask("PUT", f"{group}?of=left").status, 201, "a new group")
        worker = self._client.open("POST", f"{group}/next?wait=60")
        expect(self._comes_to_be(1), True, "a worker that waits")
        worker.close()
        is_noticed = self._comes_to_be(0)
        expect(is_noticed, self._kind.notices_leaving, "the bus learns that the worker has left")
        if self._kind.notices_leaving:
            self._publish("left")
            answer = self._client.ask("POST", f"{group}/next?wait=5")
            expect((answer.status, answer.headers["Work-Attempt"]), (200, "1"), "the job")

    def _comes_to_be(self, workers: int) -> bool:
        """Whether so many workers wait, soon."""
        end = time.monotonic() + NOTICE_SECONDS
        while time.monotonic() < end:
            with urlopen(f"{BUS}{self._client.prefix}/metrics") as answer:
                if f"\nbelfry_workers_waiting {workers}\n" in answer.read().decode():
                    return True
        return False


def expect(found: object, wanted: object, what: str) -> None:
    """Raises where something is not as it should be."""
    if found != wanted:
        raise AssertionError(f"{what}: {json.dumps(found, default=str)}, "
                             f"not {json.dumps(wanted, default=str)}")
