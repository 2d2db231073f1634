"""What somebody may publish who means harm, or knows nothing of it. All hostile inputs live here."""

from dataclasses import dataclass

CALL = "marker()"
"""What a script would do that runs: `watch.py` hears of it."""

MARKUP = [
    f"<script>{CALL}</script>", f"<img src=x onerror={CALL}>", f"<svg onload={CALL}>", f'"><iframe srcdoc="<script>{CALL}</script>">',
    f"<a href=javascript:{CALL}>click</a>", f"javascript:{CALL}", f"</script></style></textarea></title><script>{CALL}</script>",
    f"<style>*{{display:none}}</style><base href=http://evil.example/><meta http-equiv=refresh content=0;url=http://evil.example/>",
    f"${{{CALL}}} {{{{{CALL}}}}} <%= {CALL} %>",
]
BIDI = "start \u202egnp.exe\u202c \u2066left\u2067right\u2069 \u200e\u200f\u061c end"
CONTROLS = "".join(map(chr, range(0, 32))) + "\x7f\x80\x9f\u2028\u2029\ufeff\u200b\u00ad"
TERMINAL = "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b[2J"
STACKED = "Z" + "\u0310\u0311\u0312\u0313" * 200 + " wide \ufdfd \U0001f468\u200d\U0001f469\u200d\U0001f467 \U000e0041"
LONG = "W" * 1_048_576
NAMES = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "prototype", "then", "length"]
NUMBERS = '{"huge":1e308,"long":123456789012345678901234567890,"small":1e-400,"over":1e999,"zero":-0,"exact":0.10}'
INVALID = [b"\xff\xfe\xc0\x80\xed\xa0\x80", b"half \xf0\x9f\x94", b"<script>\xff" + CALL.encode() + b"</script>", bytes(range(256)) * 40]


@dataclass(frozen=True)
class Blow:
    """One event: payload, and what is said of it."""

    data: bytes
    content: str = ""
    type: str = ""
    key: str = ""


def blows() -> list[Blow]:
    """All of them."""
    own = "{" + ",".join(f'"{name}":{{"{name}":"<b>{name}</b>"}}' for name in NAMES) + "}"
    texts = [*MARKUP, BIDI, CONTROLS, TERMINAL, STACKED, "\n" * 2_000, "\t" * 2_000, " " * 2_000, "\0", ""]
    jsons = [
        own, f"[{own},{own}]", NUMBERS, '{"__proto__":{"polluted":true},"a":1,"a":2}', '{"": {"": ""}}',
        nested(64), nested(5_000), "[" + ",".join(["[]"] * 5_000) + "]", f'"{MARKUP[1]}"', f'{{"{MARKUP[1]}":"{BIDI}"}}',
        '["\\ud800","\\udfff\\ud800","\\u202e","\\u0000"]', '{"$ref":"#","toJSON":"x","then":"function(){}"}',
        f'{{"long":"{LONG[:900_000]}"}}', '{"' + LONG[:300_000] + '":1}', "{" + ",".join(f'"{n}":{n}' for n in range(20_000)) + "}",
        '{"not": json}', "null", "1" * 5_000,
    ]
    labels = [MARKUP[1], f"javascript:{CALL}", "__proto__", "x" * 255, "'\"`${}\\&lt;", "%3Cscript%3E%00", "../../etc/passwd"]
    return [
        *(Blow(text.encode()) for text in texts),
        *(Blow(text.encode(), "application/json") for text in jsons),
        *(Blow(data) for data in INVALID),
        *(Blow(MARKUP[0].encode(), content) for content in (
            "text/html", "image/svg+xml", "text/javascript", f"text/html; {MARKUP[1]}"[:255], "multipart/x-mixed-replace")),
        *(Blow(b"labels", type=label, key=label) for label in labels),
        Blow(LONG.encode()), Blow(LONG.encode(), "application/json"),
    ]


def nested(levels: int) -> str:
    """An array in an array in …"""
    return "[" * levels + "1" + "]" * levels


TOPICS = [
    *NAMES, "-", "_", "0", "a." * 127 + "a", "x" * 255, ".".join(["y" * 60] * 4), "constructor.prototype.__proto__", "script",
    "javascript", "undefined", "null", "NaN", "true",
]
"""Names of topics, as far as they are names at all."""

GROUPS = ["__proto__", "constructor", ".", "..", "...", "-", "a" * 64, "toString"]

ADDRESSES = [
    "#/follow/<script>marker()</script>", "#/follow/%3Cimg%20src=x%20onerror=marker()%3E", "#/follow/%", "#/follow/%ff%00", "#/follow/..",
    "#/follow/../../metrics", "#/follow/javascript:marker()", "#/follow/>?since=<img src=x onerror=marker()>&type=%00&key=%F0",
    "#/follow/>?event=__proto__&since=9007199254740993", "#/follow/" + "a" * 5_000, "#/__proto__", "#/constructor/x", "#/toString",
    "#//evil.example/", "#javascript:marker()", "#/work/..", "#/work/%2e%2e%2ftopics", "#/work/__proto__", "#/publish/<svg onload=marker()>",
    "#/?find=<img src=x onerror=marker()>&sort=__proto__&tree=2", "#/?find=" + "(" * 500, "#/?find=**>>..,,&sort=-constructor",
    "#/learn/../../..?x=javascript:marker()", "#/topics/..", "#/topics/<img src=x onerror=marker()>", "#/topics/%ff,>,__proto__", "#/topics",
    "#/subscribers?topic=<svg onload=marker()>&find=((", "#/subscribers?find=__proto__",
]
"""Places of the page, as a link of a stranger may name them."""
