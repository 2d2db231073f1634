"""Work groups: who has which job, how a dead letter comes back, and what can be changed of a group."""

from urllib.parse import urlsplit

from playwright.async_api import Locator, Page, Request

from client import Client
from following import Following
from stage import Served, Stage
from waits import equal, same, until

RULES = """[access]
rule = sealed.> publish uid:54321
"""
"""Nobody here may publish to `sealed.…`."""


async def work_shows_jobs_and_puts_letters_back(stage: Stage) -> None:
    """A job that a worker has, one that was given back, and a dead letter, which "Put back" makes a job again."""
    served = await stage.serve()
    client = served.client
    await client.put("/groups/mail?of=jobs.mail&attempts=4&dead=jobs.failed")
    for name in ("ann", "bob", "carol"):
        await client.publish("jobs.mail", f"to {name}", key=name)
    page = await stage.show(served, "/#/work")
    row = page.get_by_role("table", name="Groups").get_by_role("row", name="mail")
    await until("three jobs nobody takes", row.inner_text, enough=lambda text: "No worker" in text and "\t3" in text)
    leases = {}
    for worker in ("w1", "w2", "w3"):
        taken = await client.post(f"/groups/mail/next?worker={worker}&for=5m")
        leases[worker] = taken.headers["work-lease"]
    await client.post(f"/groups/mail/retry?lease={leases['w2']}&delay=10m")
    await client.post(f"/groups/mail/dead?lease={leases['w3']}")
    await row.get_by_role("link", name="mail").click()
    jobs = page.get_by_role("table", name="Jobs")
    await equal("open jobs", jobs.locator("tbody tr").count, 2)
    leased, waiting = [await jobs.locator("tbody tr").nth(index).inner_text() for index in (0, 1)]
    assert all(word in leased for word in ("Leased", "w1", "1 of 4")), leased
    assert all(word in waiting for word in ("Waiting", "1 of 4")) and "w2" not in waiting, waiting
    letters = page.get_by_role("table", name="Dead letters")
    letter = letters.get_by_role("row", name="carol")
    await letter.get_by_role("button", name="Put back").click()
    await equal("dead letters", letters.get_by_role("button", name="Put back").count, 0)
    revived = await client.post("/groups/mail/next?worker=w4&wait=10s")
    same("the job that came back", (revived.body, revived.headers["event-key"]), (b"to carol", "carol"))
    await jobs.get_by_role("row", name="w4").wait_for()
    await jobs.get_by_role("row", name="w4").get_by_role("link").click()
    view = Following(page)
    await view.detail.wait_for()
    assert "to carol" in await view.detail.inner_text(), "the link of a job leads to another event"


async def work_tells_what_is_refused(stage: Stage) -> None:
    """A group that is not there, and a new group that the bus does not take, are told in the bus's words."""
    served = await stage.serve()
    page = await stage.show(served, "/#/work/nobody")
    refusal = (await served.client.ask("GET", "/groups/nobody")).json["detail"]
    await page.get_by_text(refusal).wait_for()
    await page.goto(served.origin + "/#/work")
    await page.get_by_text("New group").click()
    await page.get_by_label("Name").fill("mail")
    await page.get_by_label("Of", exact=True).fill("not..a..topic")
    await page.get_by_role("button", name="Make the group").click()
    refusal = (await served.client.ask("PUT", "/groups/mail?of=not..a..topic")).json["detail"]
    await page.get_by_text(refusal).wait_for()
    await page.get_by_label("Of", exact=True).fill("jobs.mail")
    await page.get_by_role("button", name="Make the group").click()
    await page.get_by_role("heading", name="Group mail").wait_for()
    same("what the group takes", (await served.client.get("/groups/mail"))["of"], "jobs.mail")



class Grouping:
    """The page of a group, and what it sends that changes something."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.sent: list[str] = []
        page.on("request", self._note)

    @classmethod
    async def of(cls, stage: Stage, served: Served, name: str) -> "Grouping":
        """Shows it, with all that can be done to the group."""
        group = cls(await stage.show(served, f"/#/work/{name}"))
        await group.page.get_by_text("Change the group").click()
        return group

    def _note(self, request: Request) -> None:
        if request.method != "GET":
            parts = urlsplit(request.url)
            self.sent.append(f"{request.method} {parts.path}{'?' if parts.query else ''}{parts.query}")

    def field(self, name: str) -> Locator:
        """A field of what can be done."""
        return self.page.get_by_label(name, exact=True)

    async def press(self, name: str) -> None:
        """Presses a button of the page."""
        await self.page.locator("main").get_by_role("button", name=name, exact=True).click()

    async def answer(self, name: str) -> str:
        """Presses a button of the dialog, and gives what it had said."""
        dialog = self.page.get_by_role("dialog")
        text = await dialog.inner_text()
        await dialog.get_by_role("button", name=name, exact=True).click()
        await dialog.wait_for(state="detached")
        return text

    async def tells(self, text: str) -> None:
        """Until it says what was done, or why not."""
        await self.page.locator(".outcome").get_by_text(text, exact=True).wait_for()

    async def colour(self, tile: str) -> str:
        """That of a figure."""
        value = self.page.locator(".tile", has=self.page.get_by_text(tile, exact=True)).locator(".tile-value")
        return str(await value.evaluate("value => getComputedStyle(value).color"))


async def dead(client: Client, group: str, jobs: int) -> None:
    """So many jobs of a group become dead letters."""
    while jobs > 0:
        taken = await client.post(f"/groups/{group}/next?as=json&max={min(jobs, 100)}&wait=5s")
        await client.post(f"/groups/{group}/dead?lease={taken.json['lease']}&reason=no+paper")
        jobs -= len(taken.json["jobs"])


async def work_settings_are_changed(stage: Stage) -> None:
    """Only what was changed is sent; what others change meanwhile is shown, and what was typed stays."""
    served = await stage.serve()
    client = served.client
    await client.put("/groups/mail?of=jobs.mail&attempts=4&dead=jobs.failed")
    group = await Grouping.of(stage, served, "mail")
    await equal("attempts", group.field("Attempts").input_value, "4")
    same("lease", await group.field("Lease").input_value(), "1m")
    await group.press("Save")
    await group.tells("Nothing is different.")
    await group.field("Lease").fill("120s")
    await group.field("In flight").fill("7")
    await client.put("/groups/mail?attempts=9")
    await equal("attempts that another client set", group.field("Attempts").input_value, "9", 30)
    same("what was typed", await group.field("Lease").input_value(), "120s")
    await group.press("Save")
    await group.tells("Saved: Lease 120s, In flight 7.")
    same("what was sent", group.sent, ["PUT /groups/mail?lease=120s&in_flight=7"])
    same("lease", await group.field("Lease").input_value(), "2m")
    await group.field("Dead letters go to").fill("")
    await group.press("Save")
    await group.tells("Saved: Dead letters go to none.")
    now = await client.get("/groups/mail")
    same("the group", [now[name] for name in ("lease", "attempts", "in_flight", "dead")], ["2m", 9, 7, None])


async def work_new_group_has_every_setting(stage: Stage) -> None:
    """A group that is made in the form has each setting that the bus knows, and the defaults are not sent."""
    served = await stage.serve()
    group = Grouping(await stage.show(served, "/#/work"))
    await group.page.get_by_text("New group").click()
    fields = {"Name": "prints", "Of": "jobs.print", "Dead letters go to": "jobs.failed", "Attempts": "3", "Lease": "5m",
              "In flight": "2", "Since": "now", "Type": "page", "Attributes": "host=web1\nnote=a b"}
    for name, value in fields.items():
        await group.field(name).fill(value)
    for name, value in (("Order", "by key"), ("Replies", "yes")):
        await group.page.get_by_role("combobox", name=name).select_option(value)
    await group.press("Make the group")
    await group.page.get_by_role("heading", name="Group prints").wait_for()
    same("requests that change something", len(group.sent), 1)
    assert "persist" not in group.sent[0], group.sent
    made = await served.client.get("/groups/prints")
    names = ("of", "dead", "attempts", "lease", "in_flight", "type", "attributes", "order", "replies", "persist")
    same("the group", [made[name] for name in names], ["jobs.print", "jobs.failed", 3, "5m", 2, "page", {"host": "web1", "note": "a b"}, "key", True, True])


async def work_seek_says_what_it_does(stage: Stage) -> None:
    """Before a seek the page says what becomes of open jobs, and behind it where the group stands."""
    served = await stage.serve()
    client = served.client
    await client.put("/groups/mail?of=jobs.mail")
    ids = [await client.publish("jobs.mail", f"to {name}") for name in ("ann", "bob", "carol")]
    first = await client.post("/groups/mail/next?worker=w1")
    await client.post(f"/groups/mail/done?lease={first.headers['work-lease']}")
    second = await client.post("/groups/mail/next?worker=w2")
    assert second.body == b"to bob", second
    group = await Grouping.of(stage, served, "mail")
    await group.field("Begin at").fill("earliest")
    await group.press("Seek")
    said = await group.answer("Cancel")
    assert "Its open job is forgotten. The lease of one worker ends." in said, said
    same("what was sent", group.sent, [])
    await client.post(f"/groups/mail/extend?lease={second.headers['work-lease']}&for=5m")
    await group.press("Seek")
    await group.answer("Seek")
    await group.tells(f"The group stands behind event {int(ids[0]) - 1}. 3 events after it come next.")
    late = await client.ask("POST", f"/groups/mail/done?lease={second.headers['work-lease']}")
    same("a lease from before", late.json["code"], "LEASE_LOST")
    same("the next job", (await client.post("/groups/mail/next?worker=w3")).body, b"to ann")
    await group.field("Begin at").fill(ids[1])
    await group.press("Seek")
    await group.answer("Seek")
    await group.tells(f"The group stands behind event {ids[1]}. 1 event after it comes next.")
    same("the next job", (await client.post("/groups/mail/next?worker=w3")).body, b"to carol")
    time = (await client.events("jobs.mail"))[1]["time"]
    await group.field("Begin at").fill(time)
    await group.press("Seek")
    await group.answer("Seek")
    await until("the place", lambda: client.get("/groups/mail"), enough=lambda now: now["open"] == 0 and now["behind"] == 2)


async def work_group_is_deleted_behind_a_question(stage: Stage) -> None:
    """What is lost is said first: jobs, the place, holds. The topics and the dead letters stay."""
    served = await stage.serve()
    client = served.client
    await client.put("/groups/mail?of=jobs.mail&dead=jobs.failed")
    await client.put("/topics/jobs.mail?hold=mail")
    await client.publish_lines("jobs.mail", ["to ann", "to bob", "to carol"])
    await dead(client, "mail", 1)
    await client.post("/groups/mail/next?as=json&max=2&worker=w1")
    group = await Grouping.of(stage, served, "mail")
    await until("the jobs", group.page.get_by_role("table", name="Jobs").get_by_role("row", name="w1").count)
    await group.press("Delete the group")
    said = await group.answer("Cancel")
    reach = (await client.get("/groups/mail"))["reach"]
    for words in ("Its 2 open jobs are forgotten. 2 leases end.", f"behind event {reach}", "jobs.mail holds its events"):
        assert words in said, said
    same("what was sent", group.sent, [])
    same("what has the focus again", await group.page.evaluate("document.activeElement.textContent"), "Delete the group")
    await group.press("Delete the group")
    await group.answer("Delete the group")
    await equal("the address", lambda: group.page.evaluate("location.hash"), "#/work")
    same("the group", (await client.ask("GET", "/groups/mail")).json["code"], "GROUP_UNKNOWN")
    rows = {row["name"]: (row["events"], row["hold"]) for row in (await client.get("/topics"))["topics"]}
    same("the topics", rows, {"jobs.mail": (3, None), "jobs.failed": (1, None)})


async def work_puts_all_letters_back(stage: Stage) -> str:
    """All letters of a group are put back, also those that the table does not show, and none of another group."""
    served = await stage.serve()
    client = served.client
    await client.put("/groups/mail?of=jobs.mail&dead=jobs.failed")
    await client.put("/groups/scans?of=scans&dead=jobs.failed")
    await client.publish_lines("jobs.mail", [f"to {number}" for number in range(130)])
    await client.publish_lines("scans", ["page 1", "page 2"])
    await dead(client, "mail", 130)
    await dead(client, "scans", 2)
    letters = await client.events("jobs.failed")
    await client.post(f"/groups/mail/revive?id={letters[0]['id']}")
    group = await Grouping.of(stage, served, "mail")
    await until("the letters", group.page.get_by_role("button", name="Put back", exact=True).count)
    plain, bad = [await group.colour(tile) for tile in ("Parked", "Failed")]
    same("the colour of no job done", await group.colour("Done"), plain)
    assert bad != plain, "what failed has no colour"
    await group.press("Put back all")
    said = await group.answer("Cancel")
    assert "Put back 129 letters?" in said, said
    same("what was sent", group.sent, [])
    await group.press("Put back all")
    await group.answer("Put back 129")
    await group.tells("129 letters came back.")
    await equal("letters in the table", group.page.get_by_role("button", name="Put back", exact=True).count, 0)
    same("events of the group's topic", len(await client.events("jobs.mail")), 130 + 130)
    same("events of the other one", len(await client.events("scans")), 2)
    taken = await client.post("/groups/mail/next?worker=w1")
    await client.post(f"/groups/mail/done?lease={taken.headers['work-lease']}")
    await until("the colour of a job that is done", lambda: group.colour("Done"), enough=lambda seen: seen not in (plain, bad))
    return "129 letters"


async def work_refusals_are_told_in_the_words_of_the_bus(stage: Stage) -> None:
    """A caller whom the rules or the state of the group do not let is told so beside the button, and nothing changes."""
    served = await stage.serve(rules=RULES)
    client = served.client
    await client.put("/groups/mail?of=jobs.mail,sealed.mail&dead=failed")
    await client.publish_lines("jobs.mail", ["to ann", "to bob"])
    await dead(client, "mail", 2)
    group = await Grouping.of(stage, served, "mail")
    await until("the letters", group.page.get_by_role("button", name="Put back", exact=True).count)

    async def refused(method: str, path: str, code: str) -> None:
        answer = await client.ask(method, path)
        same(f"{method} {path}", answer.json["code"], code)
        await group.tells(answer.json["detail"])

    await group.field("Dead letters go to").fill("sealed.box")
    await group.press("Save")
    await refused("PUT", "/groups/mail?dead=sealed.box", "ACCESS_DENIED")
    await group.press("Put back all")
    await group.answer("Put back 2")
    id = (await client.events("failed"))[0]["id"]
    await refused("POST", f"/groups/mail/revive?id={id}", "ACCESS_DENIED")
    await group.tells("0 of 2 letters came back.")
    await group.field("Begin at").fill("yesterday")
    await group.press("Seek")
    await group.answer("Seek")
    await refused("POST", "/groups/mail/seek?since=yesterday", "CURSOR_INVALID")
    same("the group", [(await client.get("/groups/mail"))[name] for name in ("dead", "failed")], ["failed", 2])
    await group.press("Delete the group")
    await group.page.get_by_role("dialog").wait_for()
    await client.ask("DELETE", "/groups/mail")
    await group.answer("Delete the group")
    await refused("DELETE", "/groups/mail", "GROUP_UNKNOWN")


ACTS = [
    work_shows_jobs_and_puts_letters_back, work_tells_what_is_refused, work_settings_are_changed,
    work_new_group_has_every_setting, work_seek_says_what_it_does, work_group_is_deleted_behind_a_question,
    work_puts_all_letters_back, work_refusals_are_told_in_the_words_of_the_bus,
]
