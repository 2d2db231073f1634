"""A server that writes down what its clients send, and answers as the daemon does."""

import re
import socket
import struct
import threading

PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s"
CREATED = (
    b"HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n"
    b"Content-Length: 92\r\n\r\n"
    b'{"id":"1795251600000000","topic":"t0","time":"2026-11-21T09:00:00.000000Z","subscribers":0}\n')
EVENT = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nCache-Control: no-store\r\n"
    b"Event-Cursor: 1795251600000000\r\nContent-Length: 5\r\n\r\nhello")
# Where struct tcp_info has tcpi_data_segs_in.
SEGMENTS_AT = 152


class Request:
    """What came: the head as it was sent, how many pieces came with its body, and on which connection."""

    def __init__(self, head, body, pieces, connection):
        self.head = head
        self.body = body
        self.pieces = pieces
        self.connection = connection
        self.method, self.target = head.split(b" ", 2)[:2]

    def header(self, name):
        found = re.search(rb"(?im)^%s:[ \t]*(.*?)[ \t]*\r$" % name.encode(), self.head)
        return found[1].decode() if found else ""


class Recorder:
    """Listens at a port of loopback inside `with`; `requests` has what came for the topic t0.

    Every other target is answered with `page`, for browsers.
    """

    def __init__(self, page=b""):
        self.page = page
        self.requests = []
        self.problem = ""
        self.connections = 0

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self.serve, args=(connection, self.connections), daemon=True).start()

    def serve(self, connection, number):
        with connection:
            try:
                reader = Reader(connection)
                while request := reader.request(number):
                    connection.sendall(self.answer(request))
                    if request.header("Connection").lower() == "close" or b" HTTP/1.0\r" in request.head:
                        return
            except (OSError, ValueError) as reason:
                self.problem = f"{type(reason).__name__}: {reason}"

    def answer(self, request):
        if not request.target.startswith(b"/topics/t0"):
            return PAGE % (len(self.page), self.page)
        self.requests.append(request)
        return CREATED if request.method == b"POST" else EVENT


class Reader:
    """Takes requests from a connection, one after the other."""

    def __init__(self, connection):
        self.connection = connection
        self.input = b""
        self.segments = 0

    def more(self):
        got = self.connection.recv(65536)
        self.input += got
        return bool(got)

    def request(self, number):
        """The next request, or None at the end of the connection."""
        while b"\r\n\r\n" not in self.input:
            if not self.more():
                return None
        head, self.input = self.input.split(b"\r\n\r\n", 1)
        request = Request(head + b"\r\n\r\n", b"", 1, number)
        if request.header("Expect"):
            self.connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        if request.header("Transfer-Encoding"):
            while not self.input.endswith(b"0\r\n\r\n") and self.more():
                pass
            request.body, self.input = self.input, b""
        else:
            length = int(request.header("Content-Length") or 0)
            while len(self.input) < length and self.more():
                pass
            request.body, self.input = self.input[:length], self.input[length:]
        request.pieces = self.pieces()
        return request

    def pieces(self):
        """How many segments with data came since the last request: as many as the client made pieces."""
        facts = self.connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
        before, self.segments = self.segments, struct.unpack_from("I", facts, SEGMENTS_AT)[0]
        return self.segments - before
