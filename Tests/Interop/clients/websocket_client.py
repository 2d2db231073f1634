"""websocket-client: a WebSocket, coming back with since=."""

import json
import sys

import tell
import websocket


def follow() -> None:
    """Goes on from one connection to the next."""
    address, cursor = sys.argv[1].replace("http://", "ws://", 1), "now"
    while True:
        try:
            socket = websocket.create_connection(f"{address}?since={cursor}", timeout=60)
            cursor = json.loads(socket.recv())["cursor"]
            tell.opened(cursor)
            while text := socket.recv():
                cursor = tell.message(json.loads(text)) or cursor
            raise EOFError("the connection was closed")
        except (websocket.WebSocketException, OSError, EOFError, ValueError) as reason:
            tell.cut(reason)


tell.until_the_end(follow)
