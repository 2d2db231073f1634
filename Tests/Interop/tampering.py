"""Deliveries made wrong on purpose, from one that is right."""

import random
from typing import Any

Records = list[dict[str, Any]]


def tampered(records: Records, chance: random.Random) -> list[Records]:
    """The records with one event less, with one twice, and with one that has another's payload."""
    events = [place for place, record in enumerate(records) if "event" in record]
    lost, doubled, changed = chance.sample(events, 3)
    event = records[changed]["event"]
    other = {"event": {"id": event["id"], "type": event["type"], "text": "of no event"}}
    return [
        records[:lost] + records[lost + 1 :],
        records[:doubled] + [records[doubled]] + records[doubled:],
        records[:changed] + [other] + records[changed + 1 :],
    ]
