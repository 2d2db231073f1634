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
HIDING = """[access]
rule = > subscribe token:reader
rule = sealed.> subscribe uid:54321
tokens = TOKENS
"""
"""Rules that hide all topics from callers without a token."""

NOTHING_YET = "Nothing is shown until the bus knows who you are."


async def topics_shown(page: Page) -> list[str]:
    """The names in the table."""
    links = page.get_by_role("grid", name="Topics").locator(".row:not([hidden]) .cell-name a")
    return sorted(await links.all_text_contents())


async def serve_with_rules(
    stage: Stage, rules: str = RULES, topics: tuple[str, ...] = ("open.news", "secret.plans", "sealed.box"),
) -> tuple[Served, str]:
    """A bus with rules, and the token of `reader`."""
    made = await stage.output(stage.plan.daemon.absolute(), "--make-token", "reader")
    token, line = made.decode().splitlines()[:2]
    # The configuration names a file, so it has to be there before the bus is.
    folder = (await stage.folder()).absolute()
    (folder / "tokens").write_text(line + "\n")
    served = await stage.serve(rules=rules.replace("TOKENS", str(folder / "tokens")))
    for topic in topics:
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
        await told_once(page, refusal.json["detail"])
        await page.goto(f"{served.origin}/#/topics/{topic}")
        await page.get_by_role("heading", name=f"Topic {topic}").wait_for()
        await told_once(page, refusal.json["detail"])
    view = Following(page)
    await page.goto(served.origin + "/#/follow")
    await view.begin(">", since="earliest")
    await equal("events of all topics", view.received, 1)
    same("their texts", [row.text for row in await view.rows()], ["what open.news has"])
    await page.goto(f"{served.origin}/#/follow/secret.plans")
    await give_token(page, "wrong-token")
    await until("the state", page.locator("#state").inner_text, enough=lambda text: text == "Denied")
    detail = (await Client(served.bus.port, "wrong-token").ask("GET", "/topics")).json["detail"]
    await told_once(page, detail)
    await give_token(page, token)
    await view.live()
    await view.receive(1)
    same("the secret", (await view.rows())[-1].text, "what secret.plans has")
    await page.get_by_role("link", name="Overview").click()
    await equal("topics with the token", lambda: topics_shown(page), ["open.news", "secret.plans"])
    await token_stays_in_its_tab(page, served, token, asked)


async def told_once(page: Page, detail: str) -> None:
    """A refusal is told, and in one place: the bar or the view."""
    await page.get_by_text(detail).first.wait_for()
    await page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    same("how often the page tells it", await page.get_by_text(detail).count(), 1)


async def unknown_caller_is_told_once(stage: Stage) -> None:
    """The bar alone says why the bus lets nobody in; a view that would be empty says why it is, and one that is not keeps what it has."""
    served, token = await serve_with_rules(stage, HIDING)
    await Client(served.bus.port, token).put("/groups/mail?of=secret.>")
    detail = (await Client(served.bus.port, "wrong-token").ask("GET", "/topics")).json["detail"]
    page = await stage.show(served)
    await give_token(page, "wrong-token")
    for place in ("/#/", "/#/follow/open.news", "/#/work", "/#/work/mail", "/#/topics/open.news", "/#/subscribers"):
        await page.goto(served.origin + place)
        await page.get_by_text(NOTHING_YET).wait_for()
        await told_once(page, detail)
    await give_token(page, token)
    await page.goto(f"{served.origin}/#/")
    await equal("topics with the token", lambda: topics_shown(page), ["open.news", "secret.plans"])
    same("words about nothing", await page.get_by_text(NOTHING_YET).count(), 0)


async def topics_that_rules_hide_are_not_called_none(stage: Stage) -> None:
    """A bus whose topics the rules hide is told from one without topics, and a caller without a token is offered to give one."""
    served, token = await serve_with_rules(stage, HIDING)
    page = await stage.show(served)
    await page.get_by_text("The bus has 3 topics. Its rules let you see none of them.").wait_for()
    same("that there is none", await page.get_by_text("There are no topics yet").count(), 0)
    await page.get_by_role("button", name="Give a token").click()
    await fill_token(page, token)
    await equal("topics with the token", lambda: topics_shown(page), ["open.news", "secret.plans"])
    same("the offer with a token", await page.get_by_role("button", name="Give a token").count(), 0)
    # Of a bus that does not tell its figures nobody knows whether it has topics.
    silent = await stage.page(served.origin)
    await silent.route("**/metrics", lambda route: route.fulfill(
        status=403, content_type="application/problem+json", body='{"code":"ACCESS_DENIED","detail":"Not you."}'))
    await silent.goto(served.origin)
    await silent.get_by_text("There is no topic that you may see.").wait_for()
    empty, _ = await serve_with_rules(stage, HIDING, ())
    page = await stage.show(empty)
    await page.get_by_text("There are no topics yet").wait_for()
    await empty.client.publish("sealed.box", "in a topic that came later")
    await page.reload()
    await page.get_by_text("The bus has 1 topic. Its rules do not let you see it.").wait_for()


async def give_token(page: Page, token: str) -> None:
    """Types it into the dialog."""
    await page.get_by_role("button", name="Token", exact=True).click()
    await fill_token(page, token)


async def fill_token(page: Page, token: str) -> None:
    """Types it into the dialog that is open."""
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


ACTS = [
    denied_topic_is_not_shown, unknown_caller_is_told_once, topics_that_rules_hide_are_not_called_none,
]
