"""Work groups: who has which job, and how a dead letter comes back."""

from following import Following
from stage import Stage
from waits import equal, same, until


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


ACTS = [work_shows_jobs_and_puts_letters_back, work_tells_what_is_refused]
