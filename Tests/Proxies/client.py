"""Clients of a proxy with TLS: single requests, streams and a WebSocket."""

import base64
import http.client
import json
import os
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HOST, PORT = "bus.example", 443
LINE_SECONDS = 20
"""Longer than the time between two heartbeats."""


class Answer:
    """A status, its headers and its body."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()


class Client:
    """Sends to the proxy what a user of the name would send."""

    def __init__(self, certificate: Path, token: str, prefix: str) -> None:
        self._context = ssl.create_default_context(cafile=str(certificate))
        self._token = token
        self.prefix = prefix

    def _connected(self, seconds: float) -> ssl.SSLSocket:
        plain = socket.create_connection(("127.0.0.1", PORT), timeout=seconds)
        return self._context.wrap_socket(plain, server_hostname=HOST)

    def open(
        self, method: str, target: str, body: bytes | Iterator[bytes] | None = None,
        seconds: float = LINE_SECONDS, **headers: str,
    ) -> http.client.HTTPConnection:
        """Sends a request on a connection of its own. A body that is no bytes goes in chunks."""
        connection = http.client.HTTPSConnection(HOST, PORT, context=self._context)
        connection.sock = self._connected(seconds)
        fields = {"Authorization": f"Bearer {self._token}"}
        fields |= {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None and not isinstance(body, bytes):
            fields["Transfer-Encoding"] = "chunked"
        connection.request(
            method, self.prefix + target, body,
            {name: value for name, value in fields.items() if value},
            encode_chunked="Transfer-Encoding" in fields)
        return connection

    def ask(self, method: str, target: str, body: bytes | Iterator[bytes] | None = None,
            **options: Any) -> Answer:
        """A request and its answer."""
        connection = self.open(method, target, body, **options)
        try:
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def web_socket(self, target: str, **headers: str) -> "WebSocket":
        """An opened one, with these headers and no others of its own if there are some."""
        fields = headers or {"Authorization": f"Bearer {self._token}"}
        return WebSocket(self._connected(LINE_SECONDS), self.prefix + target, fields)


class WebSocket:
    """Short messages both ways, RFC 6455."""

    def __init__(self, opened: ssl.SSLSocket, target: str, headers: dict[str, str]) -> None:
        self._socket = opened
        self._file = opened.makefile("rb")
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            f"GET {target} HTTP/1.1", f"Host: {HOST}", "Connection: Upgrade",
            "Upgrade: websocket", "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {key}", *(f"{name}: {value}" for name, value in headers.items()),
            "", "",
        ]
        opened.sendall("\r\n".join(lines).encode())
        head = [line for line in iter(lambda: self._file.readline().strip(), b"")]
        if not head or not head[0].startswith(b"HTTP/1.1 101"):
            raise AssertionError(f"the WebSocket is answered {head[:1]}")

    def send(self, value: Any) -> None:
        """Sends a text message of less than 126 bytes."""
        text, mask = json.dumps(value).encode(), os.urandom(4)
        masked = bytes(byte ^ mask[place % 4] for place, byte in enumerate(text))
        self._socket.sendall(bytes([0x81, 0x80 | len(text)]) + mask + masked)

    def receive(self) -> Any:
        """The next text message."""
        while True:
            first, length = self._file.read(2)
            if length == 126:
                length = int.from_bytes(self._file.read(2), "big")
            payload = self._file.read(length)
            if first == 0x81:
                return json.loads(payload)

    def close(self) -> None:
        """Leaves."""
        self._socket.close()
