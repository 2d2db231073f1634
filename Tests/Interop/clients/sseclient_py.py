"""sseclient-py over requests: an event stream, coming back with Last-Event-ID."""

import sys

import requests
import sseclient
import tell
from eventstream import dispatch


def follow() -> None:
    """Goes on from one answer to the next."""
    address, last_id = sys.argv[1], None
    has_envelopes = tell.has_envelopes(address)
    while True:
        try:
            headers = {"Accept": "text/event-stream"}
            if last_id is not None:
                headers["Last-Event-ID"] = last_id
            with requests.get(
                address, tell.naming(address), headers=headers, stream=True, timeout=60
            ) as answer:
                answer.raise_for_status()
                # Cursors without an event are not shown by it; the first one is in the head.
                last_id = last_id or answer.headers["Event-Cursor"]
                tell.opened(answer.headers["Event-Cursor"])
                for event in sseclient.SSEClient(iter(answer)).events():
                    dispatch(event.id, event.event, event.data, has_envelopes)
                    last_id = event.id or last_id
            raise EOFError("the stream ended")
        except (requests.RequestException, EOFError) as reason:
            tell.cut(reason)


tell.until_the_end(follow)
