"""A small bus as people have it, so that each view has something to show."""

import json
import random

from client import Client

VIEWS = {
    "overview": "/#/", "tree": "/#/?tree=1", "follow": "/#/follow/%3E?since=-50", "nothing": "/#/follow",
    "publish": "/#/publish/deploys", "work": "/#/work", "group": "/#/work/mail", "learn": "/#/learn",
    "topic": "/#/topics/deploys", "subscribers": "/#/subscribers",
    "docs": "/docs", "recipes": "/docs/recipes",
}
"""Where the views are."""

SERVICES = ["web", "api", "billing", "search"]
PEOPLE = ["ann", "bob", "carol", "dave"]
ROOMS = ["attic", "cellar", "hall", "lab"]


def happening(rng: random.Random, number: int) -> tuple[str, str, dict[str, str]]:
    """Topic, payload and parameters of something that happens."""
    service, room = rng.choice(SERVICES), rng.choice(ROOMS)
    as_json = {"content": "application/json"}
    build = {"service": service, "commit": f"{rng.getrandbits(28):07x}", "seconds": rng.randrange(20, 240),
             "passed": rng.random() < 0.9, "stages": [{"name": "build", "ok": True}, {"name": "test", "ok": True}]}
    reading = {"celsius": round(rng.gauss(20, 3), 1), "humidity": rng.randrange(30, 70)}
    mail = {"to": f"{rng.choice(PEOPLE)}@example.org", "template": "welcome"}
    return rng.choices([
        (f"sensors.{room}.climate", json.dumps(reading), as_json | {"type": "reading", "key": room}),
        (f"logs.{service}", f"GET /items/{number} 200 in {rng.randrange(2, 80)} ms", {"type": "access"}),
        (f"builds.{service}", json.dumps(build), as_json | {"type": "finished", "key": service}),
        ("jobs.mail", json.dumps(mail), as_json | {"key": rng.choice(PEOPLE)}),
        ("deploys", f"{service} v1.{number % 50} is live", {"type": "deployed", "key": service}),
        ("alarms.disk", f"/var of {service} is {rng.randrange(80, 99)} % full", {"type": "warning", "key": service}),
    ], weights=[40, 30, 8, 10, 6, 3])[0]


async def furnish(client: Client, events: int = 60, seed: int = 1) -> None:
    """Publishes events to some topics, holds two for later, and makes groups in several states, one with dead letters."""
    rng = random.Random(seed)
    for number in range(events):
        topic, data, query = happening(rng, number)
        await client.publish(topic, data, **query)
    await client.publish("files.upload", bytes(range(256)), content="application/octet-stream", type="stored")
    for name in ("deploys", "jobs.mail"):
        await client.publish(name, f"{name} has at least one", type="note")
    await client.post("/topics/deploys?delay=2h&type=deployed&key=web", b"web v1.51 is live")
    await client.post("/topics/deploys?every=1d&name=nightly", b"all services are deployed anew")
    await client.put("/groups/mail?of=jobs.mail&attempts=3&dead=jobs.failed")
    await client.put("/groups/thumbnails?of=files.>&dead=jobs.failed")
    await client.put("/groups/audit?of=deploys,builds.>&since=now")
    for worker, settlement in [("w1", "dead"), ("w2", ""), ("w3", "retry")]:
        taken = await client.post(f"/groups/mail/next?worker={worker}&wait=0")
        if taken.status == 200 and settlement:
            await client.post(f"/groups/mail/{settlement}?lease={taken.headers['work-lease']}")
