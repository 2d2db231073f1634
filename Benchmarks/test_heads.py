"""What the recorder makes of what clients send."""

import pathlib
import socket
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from Heads import record  # noqa: E402
from Heads.kinds import Missing  # noqa: E402

HEADS = pathlib.Path(__file__).parent / "Load/heads"
GET = b"GET /topics/t0?since=1 HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s\r\n"
POST = b"POST /topics/t0 HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 100\r\n%s\r\n"


class Client:
    """A client that polls, and publishes in pieces, over one connection."""

    name = "example"

    def __init__(self, *pieces, lines=b""):
        self.pieces = pieces
        self.lines = lines

    def record(self, recorder, url, folder):
        with socket.create_connection(("127.0.0.1", recorder.port)) as link:
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            link.sendall(GET % (recorder.port, b""))
            link.recv(4096)
            for piece in self.pieces:
                link.sendall(piece.replace(b"%d", b"%d" % recorder.port).replace(b"%s", self.lines))
            link.shutdown(socket.SHUT_WR)
            while link.recv(4096):
                pass
        return "example 1.0"


class HeadsTests(unittest.TestCase):
    def recorded(self, client):
        with tempfile.TemporaryDirectory() as folder:
            found = record.record(client, pathlib.Path(folder), folder)
            files = [file.read_text() for file in pathlib.Path(folder).iterdir()]
        return found, files

    def test_a_file_has_the_heads_as_they_came_but_for_what_a_load_writes(self):
        found, files = self.recorded(Client(POST + b"x" * 100))
        self.assertEqual(files, [
            "client: example 1.0\npieces: 1\n\n"
            "POST {target} HTTP/1.1\nHost: 127.0.0.1:{port}\nContent-Length: {length}\n\n"
            "GET {target} HTTP/1.1\nHost: 127.0.0.1:{port}\n\n"])
        self.assertEqual(found.unfit, "")

    def test_a_body_that_comes_by_itself_is_another_piece(self):
        self.assertEqual(self.recorded(Client(POST, b"x" * 100))[0].pieces, 2)

    def test_a_client_that_closes_or_has_no_length_is_left_out(self):
        for line, reason in ((b"Connection: close", "closes"), (b"Expect: 100-continue", "Expect")):
            found, files = self.recorded(Client(POST + b"x" * 100, lines=line + b"\r\n"))
            self.assertIn(reason, found.unfit)
            self.assertEqual(files, [])

    def test_a_client_that_sends_something_else_is_told(self):
        with self.assertRaises(Missing):
            self.recorded(Client(POST + b"y" * 100))

    def test_the_page_of_the_folder_has_each_kind(self):
        page = (HEADS / "README.md").read_text()
        kinds = {file.stem for file in HEADS.glob("*.txt")}
        self.assertGreaterEqual(len(kinds), 20)
        for kind in kinds:
            self.assertIn(f"| {kind} | ", page)


if __name__ == "__main__":
    unittest.main()
