"""One topic, many subscribers; the next event comes when everybody has the last."""

from Conductor.row import Aim, Figure, Row

UNIT = "CPU µs a delivery"


class Fanout(Row):
    grows = "subscribers"
    mode = ""
    deliveries = 100_000

    def measure(self, lab):
        for subscribers in lab.points([100, 1000, 8000], [10, 16000]):
            for server in lab.turns([lab.belfry(), lab.nchan()]):
                with server:
                    events = max(2, lab.times(self.deliveries) // subscribers)
                    figures = lab.fan(server, self.mode, subs=subscribers, msgs=events, rate=-1)
                    yield Figure(UNIT, server.name, subscribers, figures["cpu_us"])


def aims(*bounds):
    return [
        Aim(UNIT, "belfryd", point, ("nchan", point), at_most=bound)
        for point, bound in zip((100, 1000, 8000), bounds)
    ]


class LongPolls(Fanout):
    name = "longpoll"
    title = "long-poll delivery, 100 bytes, 1 topic"
    note = "Each delivery with its answer and the request that comes after it."
    mode = "lp"
    deliveries = 64_000
    aims = aims(0.75, 0.75, 0.75)


class EventStreams(Fanout):
    name = "sse"
    title = "event stream delivery, 100 bytes, 1 topic"
    mode = "sse"
    aims = aims(0.75, 0.7, 0.7)


class WebSockets(Fanout):
    name = "websocket"
    title = "WebSocket delivery, 100 bytes, 1 topic"
    note = "Payloads, without envelopes, on both sides."
    mode = "ws"
    aims = aims(0.8, 0.75, 0.75)
