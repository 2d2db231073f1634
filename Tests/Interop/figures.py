"""The page of /metrics, read by Prometheus' own parser."""

import math
import urllib.request

from prometheus_client.parser import text_string_to_metric_families

KINDS = {"counter", "gauge", "histogram"}


def check(port: int) -> None:
    """Reads the page after a run; raises for what Prometheus or its users would not take."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        media = answer.headers["Content-Type"]
        page = answer.read().decode()
    if media != "text/plain; version=0.0.4; charset=utf-8":
        raise RuntimeError(f"/metrics is {media}")
    families = list(text_string_to_metric_families(page))
    names = [family.name for family in families]
    if len(set(names)) != len(names):
        raise RuntimeError("a family of /metrics comes twice")
    values: dict[str, float] = {}
    for family in families:
        if family.type not in KINDS or not family.documentation:
            raise RuntimeError(f"{family.name} of /metrics does not say what it is")
        if family.type == "histogram":
            _check_histogram(family)
        for sample in family.samples:
            if not math.isfinite(sample.value) or sample.value < 0:
                raise RuntimeError(f"{sample.name} of /metrics is {sample.value}")
            values[sample.name] = values.get(sample.name, 0) + sample.value
    for name in ["belfry_published_events_total", "belfry_delivered_events_total",
                 "belfry_delivery_lag_seconds_count", "belfry_http_requests_total",
                 "belfry_http_loop_turn_seconds_count", "process_resident_memory_bytes"]:
        if not values.get(name):
            raise RuntimeError(f"after a run, {name} of /metrics is {values.get(name)}")


def _check_histogram(family) -> None:
    buckets = [sample for sample in family.samples if sample.name.endswith("_bucket")]
    bounds = [float(sample.labels["le"]) for sample in buckets]
    counts = [sample.value for sample in buckets]
    total = [sample.value for sample in family.samples if sample.name.endswith("_count")]
    if bounds != sorted(set(bounds)) or bounds[-1] != math.inf:
        raise RuntimeError(f"the bounds of {family.name} of /metrics do not rise to infinity")
    if counts != sorted(counts) or counts[-1:] != total:
        raise RuntimeError(f"the buckets of {family.name} of /metrics do not add up")
