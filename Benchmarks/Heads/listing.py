"""README.md of the folder of heads: the kinds that are there, and those that are left out."""

ABOUT = """# Request heads of real clients

Written by `Benchmarks/record-heads`. Each file is of one kind of client: what it is, in how many pieces it sent the
publish, its head of a publish of 100 bytes, and its head of a poll. `mixed` sends them (`make bench
ARGS=mixed-heads`), and `LongKnownHeadsTests` does.

They are as the client's own code sent them to a server of ours, but for three values: `{target}`, `{port}` and
`{length}` stand where a load writes its own. Lines end in a line feed alone, and an empty line ends each part. Headers
that a program sets by itself are the Content-Type `text/plain`, where the client has no default, and nothing else. A
client polls with `?since=` and a cursor. Each publishes twice and polls twice, and the second of each is kept.

To record them again:

    python3 -m venv .build-bench/heads
    .build-bench/heads/bin/pip install requests httpx aiohttp urllib3 httpie pycurl tornado
    apt-get install wget golang-go default-jdk libhttpclient5-java libokhttp-java ruby ruby-faraday ruby-httparty \\
        php-cli php-curl libwww-perl libmojolicious-perl erlang-inets nodejs node-axios node-fetch node-got \\
        chromium firefox-esr
    .build-bench/heads/bin/python Benchmarks/record-heads         # names the clients that this machine lacks

| Kind | Client | Publish | Poll | Pieces |
|---|---|---:|---:|---:|
"""

PIECES = """
Publish and poll are the bytes of the heads, those values included as they were recorded. In two pieces, the body comes by
itself behind the head. HTTP::Tiny writes its headers in an order that changes from run to run, and one of them is here.
The first request of LWP on a connection has `Connection: Keep-Alive, TE` instead.
"""

LEFT_OUT = """
## Left out

These send no request of known length over a connection that is kept:

| Kind | Client | Why |
|---|---|---|
"""


def page(found):
    """The page of all kinds: what `record` found of each, by its name."""
    kept = [f"| {name} | {told.client} | {told.publish} | {told.poll} | {told.pieces} |\n"
            for name, told in sorted(found.items()) if not told.unfit]
    others = [f"| {name} | {told.client} | {told.unfit} |\n" for name, told in sorted(found.items()) if told.unfit]
    return ABOUT + "".join(kept) + PIECES + (LEFT_OUT + "".join(others) if others else "")
