"""Where a page comes from that is not of the bus's own origin."""

import http.server
import threading


class Pages:
    """A web server that is not the bus, with one empty page."""

    def __init__(self) -> None:
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), EmptyPage)
        self.origin = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Ends it."""
        self._server.shutdown()
        self._server.server_close()


class EmptyPage(http.server.BaseHTTPRequestHandler):
    """Answers everything with the page."""

    def do_GET(self) -> None:
        """Serves a GET."""
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>A page</title>")

    def log_message(self, *_: object) -> None:
        """Says nothing."""
