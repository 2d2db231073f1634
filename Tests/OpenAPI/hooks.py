"""What schemathesis cannot know of the bus: which parameters exclude each other, and that nobody has
an hour to wait. Loaded by SCHEMATHESIS_HOOKS."""

import re
import time

import schemathesis

# Where the name may be a selector. One path has one parameter, and what one operation was given is tried
# on the next; elsewhere it has to be one topic.
SELECTING = ("GET /topics/{name}", "HEAD /topics/{name}", "OPTIONS /topics/{name}")
WAIT = "20ms"
SINCE = re.compile(r"now|earliest|latest|-?[0-9]{1,20}|[0-9]{1,18}(ms|s|m|h|d)|@[0-9.]{1,30}|[0-9]{4}-[0-9Tt:.Zz+-]+")
DURATION = re.compile(r"([0-9]{1,18}(ms|s|m|h|d)?)+")

# The parameters of a publish that is for later, with their forms, and a value of each.
HOLDING = (
    ("delay", DURATION, "1h"), ("at", SINCE, "@1"), ("every", DURATION, "1h"),
    ("name", re.compile("[A-Za-z0-9._-]*[A-Za-z._-][A-Za-z0-9._-]*"), "n"), ("split", re.compile("lines"), "lines"))


@schemathesis.hook
def before_call(context, case, kwargs):
    """Bounds the waits, says once what can be said twice, and takes selectors from where none may be."""
    query, headers = case.query or {}, case.headers or {}
    name = str((case.path_parameters or {}).get("name", ""))
    is_meant_well = case.meta is not None and case.meta.generation.mode.is_positive
    if is_meant_well and case.operation.label not in SELECTING and re.search(r"[,*>]|%2C|%2A|%3E", name):
        case.path_parameters["name"] = "of-a-selector"
    if case.operation.label == "GET /topics/{name}":
        # A wait that is wrong stays what it is.
        if DURATION.fullmatch(str(query.get("wait", WAIT))):
            query["wait"] = WAIT
        if re.fullmatch(r"wait=[0-9]+", str(headers.get("Prefer", ""))):
            headers["Prefer"] = "wait=0"
        # The header beats the parameter, which is not looked at then, however wrong it is.
        if "since" in query and "Last-Event-ID" in headers:
            if SINCE.fullmatch(str(query["since"])):
                del query["since"]
            else:
                del headers["Last-Event-ID"]
        # Envelopes have no names.
        if query.get("named") in ("yes", "no") and query.get("envelope", "no") in ("yes", "no"):
            query["envelope"] = "no"
        if any(query.get(name) in ("yes", "no") for name in ("envelope", "named", "cursors")):
            query["as"] = "sse"
        # A raw answer has one event.
        if "max" in query and query.get("as", "raw") == "raw":
            query["as"] = "json"
        case.query = query
    if case.operation.label in ("GET /topics", "HEAD /topics") and DURATION.fullmatch(str(query.get("wait", "-"))):
        # Only who says since when can wait.
        query["wait"] = WAIT
        query.setdefault("since", "0")
        case.query = query
    # What is wrong elsewhere does not depend on these; one of them that is wrong stays.
    if case.operation.label in ("POST /topics/{name}", "PUT /topics/{name}/later/{ticket}") and (
            is_meant_well or all(form.fullmatch(str(query.get(name, good))) for name, form, good in HOLDING)):
        # Both say when the event is due.
        if "delay" in query:
            query.pop("at", None)
        if "at" in query and not is_near(str(query["at"])):
            query["at"] = "2020-01-01T08:00:00Z"
        # A schedule is of one event, and only a schedule has a name.
        if "every" in query:
            query.pop("split", None)
            # Those of each second would soon be all that one user may have.
            if not re.search("[mhd]$", str(query["every"])):
                query["every"] = "61m"
        else:
            query.pop("name", None)
        case.query = query
    if is_meant_well and case.operation.label == "PUT /topics/{name}/later/{ticket}":
        # What `ticket` is elsewhere is the name of a schedule here, which is never digits alone.
        if re.fullmatch(r"[0-9]+", str(case.path_parameters.get("ticket", ""))):
            case.path_parameters["ticket"] = "of-a-ticket"
    if case.operation.label == "POST /topics/{name}":
        for header, parameter in (("Event-Type", "type"), ("Event-Key", "key")):
            if header in headers and parameter in query:
                del headers[header]
        if is_meant_well:
            condition_alone(query, headers)
        # Nobody is there who replies. What is wrong with another parameter does not depend on it.
        if is_meant_well or DURATION.fullmatch(str(query.get("reply", ""))):
            query.pop("reply", None)
            case.query = query
        # A body may be of any type, of which the page names one that generators of clients know.
        if is_meant_well and len(str(case.body)) % 2:
            case.headers = {**headers, "Content-Type": "text/plain; charset=utf-8"}

    if case.operation.label == "POST /groups/{group}/next":
        if DURATION.fullmatch(str(query.get("wait", WAIT))):
            query["wait"] = WAIT
        if re.fullmatch(r"wait=[0-9]+", str(headers.get("Prefer", ""))):
            headers["Prefer"] = "wait=0"
        if is_meant_well:
            # One verb, and the one that a body belongs to.
            lease = [query.pop(verb) for verb in ("done", "retry", "dead") if verb in query]
            query["done"] = lease[0] if lease else "0"
            # These belong to the other verbs.
            query.pop("delay", None)
            query.pop("reason", None)
            query.pop("of", None)
            if "max" in query:
                query["as"] = "json"
        case.query = query
    if case.operation.label in ("POST /groups/{group}/next", "POST /groups/{group}/done") and is_meant_well:
        describe_output(query, headers)
    if case.operation.label == "PUT /groups/{group}" and is_meant_well:
        # Only a group that is there may leave out its topics, which are none of its dead letters; and what
        # workers may say depends on both.
        query.update(of="jobs", dead="letters", replies="yes")
        case.query = query


def is_near(moment):
    """Whether a moment is less than a year away: nothing is held for longer."""
    now = time.gmtime().tm_year
    if moment.startswith("@"):
        return float(moment[1:] or "0") < (now - 1970) * 365 * 86_400
    return re.match(r"[0-9]{4}-", moment) is not None and int(moment[:4]) <= now


def condition_alone(query, headers):
    """Leaves one condition at most, and none beside what is not decided by the topic's version."""
    excluded = {"key", "delay", "at", "every"} & query.keys() or "Event-Key" in headers
    for header in ("If-None-Match", "If-Match"):
        if excluded or header == "If-None-Match" and "If-Match" in headers:
            headers.pop(header, None)


def describe_output(query, headers):
    """Says once what can be said twice of an event, and nothing of one that is not published."""
    for header, parameter in (("Event-Type", "type"), ("Event-Key", "key")):
        if "to" not in query:
            query.pop(parameter, None)
        if parameter in query or "to" not in query:
            headers.pop(header, None)


@schemathesis.check
def form_that_was_asked_for(context, response, case):
    """`as` beats everything: the answer has that form, whatever it was published as."""
    if case.operation.label != "GET /topics/{name}" or response.status_code != 200:
        return
    form = {
        "json": "application/json", "ndjson": "application/x-ndjson", "sse": "text/event-stream",
    }.get((case.query or {}).get("as"))
    found = response.headers["content-type"][0]
    if form is not None and found != form:
        raise AssertionError(f"asked for {form}, got {found}")
    if form == "application/json" and not {"events", "cursor", "gap"} <= response.json().keys():
        raise AssertionError("a JSON answer without events, cursor or gap")


@schemathesis.check
def problem_of_its_status(context, response, case):
    """A problem says the status that it comes with, and everything else is no problem."""
    if response.status_code < 400 or case.method == "HEAD":
        return
    found = response.headers["content-type"][0]
    if found != "application/problem+json":
        raise AssertionError(f"{response.status_code} of {found}")
    if response.json()["status"] != response.status_code:
        raise AssertionError("another status inside")
