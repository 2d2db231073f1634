"""A group with jobs on a server, and what a load did with it."""

import http.client

from Conductor.servers import Broken

GROUP = "/groups/jobs?of=jobs.*&in_flight=10000"


def ask(server, method, target, body=b"", status=(200, 201, 204)):
    """One request to the daemon; its body."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request(method, target, body)
    answer = connection.getresponse()
    said = answer.read()
    connection.close()
    if answer.status not in status:
        raise Broken(f"{server.name}: {method} {target}: {answer.status} {said[:300]!r}")
    return said


def daemon(lab, store, **settings):
    """A daemon that drops none of the jobs."""
    return lab.belfry(store=store, retention_keep="none", retention_bytes="none", **settings)


def fill(lab, server, jobs, topics=1):
    """Makes the group and puts so many jobs into it."""
    if server.protocol == "http":
        ask(server, "PUT", GROUP)
    lab.load("workers", server, protocol=server.protocol, mode="fill", jobs=jobs, topics=topics)


def work(lab, server, mode, jobs, workers, topics=1):
    """What `workers` printed."""
    return lab.load("workers", server, protocol=server.protocol, mode=mode, jobs=jobs, workers=workers, topics=topics)
