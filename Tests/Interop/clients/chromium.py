"""Chromium's own EventSource and WebSocket, in a page that playwright opens."""

import json
import sys
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import tell
from eventstream import dispatch
from playwright.sync_api import Page, sync_playwright

EXECUTABLE = "/usr/bin/chromium"


def receive(page: Page, has_envelopes: bool) -> None:
    """Tells what the page receives."""
    while True:
        for of in page.evaluate("take()"):
            if "opened" in of:
                tell.opened(None)
            elif "cut" in of and of["isOver"]:
                raise SystemExit("the EventSource gave up")
            elif "cut" in of:
                tell.library_cut(of["cut"])
            elif "message" in of:
                tell.message(of["message"])
            else:
                dispatch(of["id"], of["type"], of["data"], has_envelopes)


def follow() -> None:
    """Opens the page, and follows in it."""
    address, form, page_address = sys.argv[1:]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=EXECUTABLE, args=["--no-sandbox"])
        page = browser.new_page()
        page.add_init_script(path=Path(__file__).with_name("page.js"))
        page.goto(page_address)
        if form == "eventsource":
            source = f"{address}?{urlencode(tell.naming(address))}"
            page.evaluate(f"followEvents({json.dumps(source)}, {json.dumps(tell.TYPES)})")
        else:
            frames = urlsplit(address)._replace(scheme="ws").geturl()
            page.evaluate(f"followFrames({json.dumps(frames)}, {tell.PAUSE_SECONDS * 1_000})")
        receive(page, tell.has_envelopes(address))


tell.until_the_end(follow)
