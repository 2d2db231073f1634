"""requests: raw polls, one event an answer, going on from Event-Cursor."""

import sys

import requests
import tell


def follow() -> None:
    """Goes on from one answer to the next."""
    cursor = "now"
    session = requests.Session()
    while True:
        try:
            # The first poll is for the cursor alone.
            parameters = {"since": cursor, "wait": "0" if cursor == "now" else "30"}
            answer = session.get(sys.argv[1], params=parameters, timeout=60)
            if answer.status_code not in (200, 204):
                raise requests.RequestException(f"{answer.status_code}: {answer.text}")
            # http.client takes a head that was cut off for a whole one; this is its last line.
            if not {"Content-Length", "Vary"} & set(answer.headers.keys()):
                raise requests.RequestException("the head was cut off")
            if cursor == "now":
                tell.opened(answer.headers["Event-Cursor"])
            if (gap := answer.headers.get("Event-Gap")) is not None:
                tell.gap_header(gap)
            if answer.status_code == 200:
                tell.raw_event(
                    answer.headers["Event-ID"], answer.headers.get("Event-Type"), answer.content)
            cursor = answer.headers["Event-Cursor"]
        except requests.RequestException as reason:
            tell.cut(reason)


tell.until_the_end(follow)
