"""httpx-sse: an event stream, coming back with Last-Event-ID."""

import sys

import httpx
import tell
from eventstream import dispatch
from httpx_sse import SSEError, connect_sse


def follow() -> None:
    """Goes on from one answer to the next."""
    address, last_id = sys.argv[1], None
    has_envelopes = tell.has_envelopes(address)
    # It gives every block as an event: there may be none without data.
    parameters = {"cursors": "no"} | tell.naming(address)
    with httpx.Client(timeout=httpx.Timeout(10, read=60)) as client:
        while True:
            try:
                headers: dict[str, str] = {} if last_id is None else {"Last-Event-ID": last_id}
                with connect_sse(
                    client, "GET", address, params=parameters, headers=headers
                ) as source:
                    source.response.raise_for_status()
                    last_id = last_id or source.response.headers["Event-Cursor"]
                    tell.opened(source.response.headers["Event-Cursor"])
                    for event in source.iter_sse():
                        dispatch(event.id, event.event, event.data, has_envelopes)
                        last_id = event.id or last_id
                raise EOFError("the stream ended")
            except (httpx.HTTPError, SSEError, EOFError) as reason:
                tell.cut(reason)


tell.until_the_end(follow)
