"""Writes grafana.json, the dashboard beside this file: its rows and panels are the table below.

Usage: make_dashboard.py > grafana.json
"""

import json
import sys

WIDTH = 24
HEIGHT = 8

BELOW = '{job="$job",instance=~"$instance"}'
RATE = BELOW + "[$__rate_interval]"


def rate(name: str, by: str = "instance") -> str:
    """A counter's rise a second."""
    return f"sum by ({by}) (rate({name}{RATE}))"


def quantile(share: float, name: str) -> str:
    """What so large a share of a histogram's values is below."""
    return f"histogram_quantile({share}, sum by (le) (rate({name}_bucket{RATE})))"


def now(name: str, by: str = "instance") -> str:
    """A gauge as it is."""
    return f"sum by ({by}) ({name}{BELOW})"


# Each panel: title, unit, and pairs of legend and expression.
ROWS = [
    ("Events", [
        ("Published", "ops", [("{{instance}}", rate("belfry_published_events_total"))]),
        ("Delivered", "ops", [("{{form}}", rate("belfry_delivered_events_total", "form"))]),
        ("Payload published", "Bps", [("{{instance}}", rate("belfry_published_bytes_total"))]),
        ("Age at delivery", "s", [
            (f"{share:.0%}", quantile(share, "belfry_delivery_lag_seconds")) for share in (0.5, 0.99)]),
        ("Readers", "short", [("{{form}}", now("belfry_subscribers", "form"))]),
        ("Gaps told", "ops", [("{{instance}}", rate("belfry_gaps_total"))]),
        ("Topics", "short", [("{{instance}}", now("belfry_topics")), ("silent", now("belfry_topics_silent"))]),
        ("Events kept", "short", [("{{instance}}", now("belfry_retained_events"))]),
        ("Events removed", "ops", [("{{by}}", rate("belfry_removed_events_total", "by"))]),
    ]),
    ("Work", [
        ("Jobs", "short", [("{{state}}", now("belfry_jobs", "state"))]),
        ("Settled", "ops", [
            ("{{as}}", rate("belfry_jobs_settled_total", "as")),
            ("retried", rate("belfry_jobs_retried_total"))]),
        ("Oldest job", "s", [("{{instance}}", f"belfry_oldest_job_seconds{BELOW}")]),
        ("Until a worker has it", "s", [
            (f"{share:.0%}", quantile(share, "belfry_job_pickup_seconds")) for share in (0.5, 0.99)]),
        ("Waiting", "short", [
            ("workers", now("belfry_workers_waiting")), ("requests", now("belfry_requests_waiting"))]),
        ("Leases lost, replies late or missing", "ops", [
            ("leases lost", rate("belfry_leases_lost_total")),
            ("replies late", rate("belfry_replies_late_total")),
            ("no reply", rate("belfry_requests_unanswered_total"))]),
    ]),
    ("Daemon", [
        ("Ready", "bool_yes_no", [("{{instance}}", f"belfry_ready{BELOW}")]),
        ("Problems", "ops", [("{{code}}", rate("belfry_http_problems_total", "code"))]),
        ("Turns of the loops", "s", [
            (f"{share:.1%}", quantile(share, "belfry_http_loop_turn_seconds"))
            for share in (0.5, 0.99, 0.999)]),
        ("Memory that counts", "bytes", [
            ("{{use}}", now("belfry_memory_bytes", "use")),
            ("limit", now("belfry_memory_limit_bytes"))]),
        ("Resident", "bytes", [("{{instance}}", f"process_resident_memory_bytes{BELOW}")]),
        ("Processors", "percentunit", [("{{instance}}", rate("process_cpu_seconds_total"))]),
        ("Commits", "s", [
            (f"{share:.0%}", quantile(share, "belfry_store_commit_seconds")) for share in (0.5, 0.99)]),
        ("Journal of the store", "bytes", [("{{instance}}", f"belfry_store_journal_bytes{BELOW}")]),
        ("Connections", "short", [("{{state}}", now("belfry_http_connections", "state"))]),
        ("Descriptors", "short", [
            ("open", f"process_open_fds{BELOW}"), ("bound", f"process_max_fds{BELOW}")]),
    ]),
]

SOURCE = {"type": "prometheus", "uid": "${source}"}


def panels() -> list[dict]:
    """Three panels a line, each row under its title."""
    made: list[dict] = []
    top = 0
    for row, contents in ROWS:
        made.append({
            "id": len(made) + 1, "type": "row", "title": row, "collapsed": False, "panels": [],
            "gridPos": {"x": 0, "y": top, "w": WIDTH, "h": 1}})
        top += 1
        for place, (title, unit, lines) in enumerate(contents):
            width = WIDTH // 3
            made.append({
                "id": len(made) + 1, "type": "timeseries", "title": title, "datasource": SOURCE,
                "gridPos": {
                    "x": place % 3 * width, "y": top + place // 3 * HEIGHT, "w": width, "h": HEIGHT},
                "fieldConfig": {"defaults": {"unit": unit, "min": 0}, "overrides": []},
                "options": {"legend": {"displayMode": "list", "placement": "bottom"},
                            "tooltip": {"mode": "multi"}},
                "targets": [
                    {"refId": chr(ord("A") + index), "datasource": SOURCE, "expr": expression,
                     "legendFormat": legend}
                    for index, (legend, expression) in enumerate(lines)]})
        top += -(-len(contents) // 3) * HEIGHT
    return made


def variable(name: str, label: str, query: str) -> dict:
    """A choice above the panels, of the values that a label has."""
    return {"name": name, "label": label, "type": "query", "datasource": SOURCE, "refresh": 2,
            "query": {"query": query, "refId": name}, "definition": query, "sort": 1,
            "includeAll": name == "instance", "multi": name == "instance",
            "current": {}}


def dashboard() -> dict:
    """All of it, for Grafana 9 and later."""
    return {
        "title": "Belfry", "uid": "belfry", "tags": ["belfry"], "schemaVersion": 37, "version": 1,
        "editable": True, "graphTooltip": 1, "refresh": "10s",
        "time": {"from": "now-1h", "to": "now"}, "timezone": "", "annotations": {"list": []},
        "links": [], "templating": {"list": [
            {"name": "source", "label": "Prometheus", "type": "datasource", "query": "prometheus",
             "current": {}},
            variable("job", "Job", "label_values(belfry_ready, job)"),
            variable("instance", "Bus", 'label_values(belfry_ready{job="$job"}, instance)'),
        ]},
        "panels": panels(),
    }


if __name__ == "__main__":
    json.dump(dashboard(), sys.stdout, indent=1)
    print()
