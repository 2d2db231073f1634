"""Publish, and the curl lines of the page: what they send and receive is what the page shows."""

import asyncio
import json

from playwright.async_api import Page

from following import Following
from stage import Served, Stage
from waits import same, until

TEXTS = [
    "plain", "@name of no file", "it's `id` $(id) \"$HOME\" \\n %s\nand a second line\n", "üml\u00e4ut \U0001f514 \u202e",
    "-d x", " spaces at both ends ", "a\x01b\x7f",
]
BINARY = bytes(range(256)) + b"\r\n\0@"


async def published(page: Page, status: str = "201") -> str:
    """Presses the button, and gives the answer."""
    await page.get_by_role("button", name="Publish", exact=True).click()
    answer = page.get_by_label("Answer")
    return await until("the answer", answer.inner_text, enough=lambda text: text.startswith(status))


async def payload(served: Served, topic: str) -> list[bytes]:
    """What curl receives of all that the topic has."""
    events = await served.client.events(topic)
    return [(await served.client.ask("GET", f"/topics/{topic}/events/{each['id']}")).body for each in events]


async def curl_line(page: Page) -> str:
    """The line that is shown."""
    return await page.get_by_role("region", name="curl").locator("code").evaluate("code => code.textContent")


async def publish_sends_what_was_typed(stage: Stage) -> str:
    """Texts arrive byte for byte, and the curl line that is shown sends the same, run by another shell than bash."""
    served = await stage.serve()
    page = await stage.show(served, "/#/publish")
    attributes = {"host": "web1", "note": " it's 100% & größer"}
    lines = "\n".join(f"{name}={value}" for name, value in attributes.items())
    for number, text in enumerate(TEXTS):
        topic = f"texts.{number}"
        await page.get_by_label("Topic").fill(topic)
        await page.get_by_label("Text", exact=True).last.fill(text)
        await page.get_by_label("Type", exact=True).fill("it's a type")
        await page.get_by_label("Key", exact=True).fill("100% & more")
        await page.get_by_text("More", exact=True).click()
        await page.get_by_label("Attributes").fill(lines)
        line = await curl_line(page)
        await published(page)
        await stage.output("dash", "-c", line, folder=served.folder)
        events = await served.client.events(topic)
        same(f"what {line} sends", [(each["data"], each["type"], each["key"], each["attributes"]) for each in events],
             [(text, "it's a type", "100% & more", attributes)] * 2)
        await page.reload()
    return f"{len(TEXTS)} texts"


async def publish_tells_a_mistake_before_it_sends(stage: Stage) -> None:
    """JSON with a mistake is not sent, and the page says where it is; what the bus refuses is shown in its words."""
    served = await stage.serve()
    page = await stage.show(served, "/#/publish/typed")
    await page.get_by_label("JSON", exact=True).check()
    field = page.get_by_role("textbox", name="JSON text")
    await field.fill('{"a": 1,\n "b": }')
    await page.get_by_role("button", name="Publish", exact=True).click()
    await page.locator("main").get_by_text("Line 2").wait_for()
    same("what was sent", (await served.client.get("/topics"))["topics"], [])
    await field.fill('{"a": 1, "b": 12345678901234567890}')
    line = await curl_line(page)
    await published(page)
    await stage.output("dash", "-c", line, folder=served.folder)
    events = await served.client.events("typed")
    same("content types", [each["content_type"] for each in events], ["application/json"] * 2)
    same("payloads", await payload(served, "typed"), [b'{"a": 1, "b": 12345678901234567890}'] * 2)
    await page.get_by_label("Topic").fill("no such..name")
    answer = await published(page, "400")
    refusal = await served.client.ask("POST", "/topics/no%20such..name", b"x")
    assert json.loads(refusal.body)["detail"] in answer, answer


async def publish_holds_an_event_for_later(stage: Stage) -> None:
    """An event with a delay is held: the answer says until when, and leads to what is held for the topic."""
    served = await stage.serve()
    page = await stage.show(served, "/#/publish/remind")
    await page.get_by_label("Text", exact=True).last.fill("stand up")
    await page.get_by_text("More", exact=True).click()
    await page.get_by_label("Delay").fill("1h")
    answer = await published(page, "202")
    assert "It is held until 20" in answer, answer
    await page.get_by_role("link", name="Show what is held").click()
    await page.get_by_role("table", name="Held for later").get_by_role("button", name="Cancel").wait_for()


async def publish_sends_files_byte_for_byte(stage: Stage) -> None:
    """A file of all bytes arrives as it is, and the answer leads to its moment in Follow, where it is shown as hex."""
    served = await stage.serve()
    (served.folder / "all bytes.bin").write_bytes(BINARY)
    page = await stage.show(served, "/#/publish/files")
    await page.get_by_label("File", exact=True).check()
    await page.get_by_label("Any file").set_input_files(served.folder / "all bytes.bin")
    line = await curl_line(page)
    await published(page)
    await stage.output("dash", "-c", line, folder=served.folder)
    same("payloads", await payload(served, "files"), [BINARY] * 2)
    newest = (await served.client.events("files"))[0]["id"]
    await page.get_by_role("link", name="Show it in Follow").click()
    view = Following(page)
    await view.detail.wait_for()
    shown = await view.detail.inner_text()
    assert newest in shown and "f0 f1 f2 f3 f4 f5 f6 f7" in shown, shown
    async with page.expect_download() as download:
        await view.detail.get_by_role("link", name="Download payload").click()
    same("the download", (await (await download.value).path()).read_bytes(), BINARY)


async def copied_curl_returns_the_events(stage: Stage) -> None:
    """The line of "Copy as curl" in Follow, run by dash, gives the events that are shown and goes on."""
    served = await stage.serve()
    await served.client.publish_lines("deploys.web", [f"v{number}" for number in range(30)])
    page = await stage.show(served, "/#/follow/deploys.%3E?since=earliest", permissions=["clipboard-read", "clipboard-write"])
    view = Following(page)
    await view.receive(30)
    rows = [(row.id, row.text) for row in await view.rows() if row.id]
    await page.locator(".feed").evaluate("feed => { feed.scrollTop = 0; }")
    await until("the first row", view.event("v0").count)
    await view.press("Copy as curl")
    line = await until("a line", lambda: page.evaluate("navigator.clipboard.readText()"))
    process = await stage.run("dash", "-c", line, folder=served.folder)
    await served.client.publish("deploys.web", "the next")
    received: list[tuple[str, str]] = []
    async with asyncio.timeout(15):
        while len(received) < 31:
            told = json.loads(await process.stdout.readline() or "{}")
            received += [(told["id"], told["data"])] if "id" in told else []
    same(f"what {line} gives", received[:30], rows)
    same("the next event", received[30][1], "the next")


ACTS = [publish_sends_what_was_typed, publish_tells_a_mistake_before_it_sends, publish_holds_an_event_for_later,
        publish_sends_files_byte_for_byte, copied_curl_returns_the_events]
