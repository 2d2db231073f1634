"""A receiver of webhooks, which verifies them as Standard Webhooks 1.0 has it."""

import base64
import hashlib
import hmac
import http.client
import http.server
import json
import threading

KEY = bytes(range(1, 33))


class Receiver:
    """At the loopback of the network that this thread is in."""

    def __init__(self) -> None:
        self.secret = "whsec_" + base64.b64encode(KEY).decode()
        self.status = 204
        """What it answers from now on to what is signed."""
        self.seen: list[tuple[int, str]] = []
        """What it answered, and the payload of the event, request by request."""
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = outer.status if outer.is_signed(self.headers, body) else 401
                outer.seen.append((status, json.loads(body)["data"]))
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def is_signed(self, headers: http.client.HTTPMessage, body: bytes) -> bool:
        """Whether one who knows the secret has sent it."""
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        digest = base64.b64encode(hmac.digest(KEY, signed, hashlib.sha256)).decode()
        return headers["webhook-signature"] == f"v1,{digest}"

    def close(self) -> None:
        """Ends it."""
        self._server.shutdown()
        self._server.server_close()
