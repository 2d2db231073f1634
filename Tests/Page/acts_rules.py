"""Topics that not everybody may see: the page sees what its caller may, and a token stays in its tab."""

from playwright.async_api import Page, Request

from client import Client
from following import Following
from stage import Served, Stage
from waits import equal, same, until

RULES = """[access]
rule = secret.> subscribe token:reader
rule = sealed.> subscribe uid:54321
tokens = TOKENS
"""


async def topics_shown(page: Page) -> list[str]:
    """The names in the table."""
    links = page.get_by_role("grid", name="Topics").locator(".row:not([hidden]) a")
    return sorted(await links.all_text_contents())


async def serve_with_rules(stage: Stage) -> tuple[Served, str]:
    """A bus with rules, and the token of `reader`."""
    made = await stage.output(stage.plan.daemon.absolute(), "--make-token", "reader")
    token, line = made.decode().splitlines()[:2]
    # The configuration names a file, so it has to be there before the bus is.
    folder = (await stage.folder()).absolute()
    (folder / "tokens").write_text(line + "\n")
    served = await stage.serve(rules=RULES.replace("TOKENS", str(folder / "tokens")))
    for topic in ("open.news", "secret.plans", "sealed.box"):
        await served.client.publish(topic, f"what {topic} has")
    return served, token


async def denied_topic_is_not_shown(stage: Stage) -> None:
    """Without a right a topic is not in the table, Follow tells the refusal, and a pattern leaves it out. A token opens it."""
    served, token = await serve_with_rules(stage)
    page = await stage.show(served)
    asked: list[str] = []
    page.context.on("request", lambda request: asked.append(urls(request)))
    await equal("topics", lambda: topics_shown(page), ["open.news"])
    for topic in ("secret.plans", "sealed.box"):
        refusal = await served.client.ask("GET", f"/topics/{topic}?wait=0")
        assert refusal.status in (401, 403), refusal
        await page.goto(f"{served.origin}/#/follow/{topic}")
        await page.get_by_text(refusal.json["detail"]).first.wait_for()
    view = Following(page)
    await page.goto(served.origin + "/#/follow")
    await view.begin(">", since="earliest")
    await equal("events of all topics", view.received, 1)
    same("their texts", [row.text for row in await view.rows()], ["what open.news has"])
    await page.goto(f"{served.origin}/#/follow/secret.plans")
    await give_token(page, "wrong-token")
    await until("the state", page.locator("#state").inner_text, enough=lambda text: text == "Denied")
    detail = (await Client(served.bus.port, "wrong-token").ask("GET", "/topics")).json["detail"]
    await page.get_by_text(detail).first.wait_for()
    await give_token(page, token)
    await view.live()
    await view.receive(1)
    same("the secret", (await view.rows())[-1].text, "what secret.plans has")
    await page.get_by_role("link", name="Overview").click()
    await equal("topics with the token", lambda: topics_shown(page), ["open.news", "secret.plans"])
    await token_stays_in_its_tab(page, served, token, asked)


async def give_token(page: Page, token: str) -> None:
    """Types it into the dialog."""
    await page.get_by_role("button", name="Token", exact=True).click()
    field = page.get_by_role("dialog").get_by_label("Token")
    same("what kind of field it is", await field.get_attribute("type"), "password")
    await field.fill(token)
    await page.get_by_role("dialog").get_by_role("button", name="Use").click()
    await page.get_by_role("dialog").wait_for(state="hidden")


async def token_stays_in_its_tab(page: Page, served: Served, token: str, asked: list[str]) -> None:
    """It is in the storage of this tab alone, in no address, and in no curl line; another tab does not have it."""
    kept = await page.evaluate("[JSON.stringify(sessionStorage), JSON.stringify(localStorage), document.cookie]")
    assert token in kept[0] and token not in kept[1] + kept[2], kept
    same("addresses with the token", [url for url in asked if token in url], [])
    await page.goto(served.origin + "/#/publish/secret.plans")
    line = await page.get_by_role("region", name="curl").inner_text()
    assert "$TOKEN" in line and token not in line, line
    assert token not in await page.evaluate("location.href + document.title + document.body.innerText")
    other = await page.context.new_page()
    await other.goto(served.origin)
    await equal("topics of another tab", lambda: topics_shown(other), ["open.news"])
    await page.reload()
    await page.goto(served.origin + "/#/")
    await equal("topics behind a reload", lambda: topics_shown(page), ["open.news", "secret.plans"])
    await page.get_by_role("button", name="Token", exact=True).click()
    await page.get_by_role("dialog").get_by_role("button", name="Forget").click()
    await equal("topics without it", lambda: topics_shown(page), ["open.news"])


def urls(request: Request) -> str:
    """Where a token must not be: the address and the one it came from."""
    return f"{request.url} {request.headers.get('referer', '')}"


ACTS = [denied_topic_is_not_shown]
