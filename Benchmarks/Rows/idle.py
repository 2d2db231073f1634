"""What it costs to wait for events that do not come."""

from Conductor.row import Aim, Figure, Row

BYTES, CPU = "resident bytes each", "CPU µs a second, all together"
FORMS = {"long polls": "lp", "event streams": "sse", "WebSockets": "ws"}


class Idle(Row):
    name = "idle"
    title = "subscribers that wait"
    grows = "subscribers"
    note = "Each on a topic of its own, over TCP, with heartbeats further apart than the measurement is long."
    once = True
    aims = [
        aim for form in FORMS for point in (10_000, 18_000) for aim in (
            Aim(BYTES, form, point, at_most=1500), Aim(CPU, form, point, at_most=1000))
    ]

    def measure(self, lab):
        for subscribers in lab.points([10_000, 18_000], [1000]):
            for who, mode in FORMS.items():
                with lab.belfry(stream_heartbeat="1h") as server:
                    # What the process needs for any subscriber at all is spent first.
                    lab.fan(server, mode, subs=100, topics=100, hold=0.1)
                    figures = lab.fan(server, mode, subs=subscribers, topics=subscribers, hold=3)
                    yield Figure(BYTES, who, subscribers, figures["bytes_per_sub"])
                    yield Figure(CPU, who, subscribers, figures["idle_us_per_s"])
