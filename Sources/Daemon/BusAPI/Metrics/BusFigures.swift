internal import Telemetry
internal import Topics

extension EventBus {
    /// How old an event is, in microseconds; 0 where the clock was set back since.
    func lag(of event: Event) -> Int { max(0, Int(now.microseconds - event.time.microseconds)) }

    /// Writes the counters and gauges of the bus. No topic is named in them.
    func write(to page: inout PrometheusText) {
        let statistics = statistics
        let isReady = readiness == .ready
        page.gauge(
            "belfry_ready", "1 while the bus takes events, else 0.", isReady ? 1 : 0)
        page.gauge("belfry_topics", "Topics that exist.", statistics.topics)
        page.gauge(
            "belfry_topics_silent",
            "Topics that had no event for longer than they are expected to.", statistics.silent)
        page.gauge(
            "belfry_tombstones", "Vanished topics whose losses are still told apart.",
            statistics.tombstones)
        page.gauge("belfry_retained_events", "Events that are retained.", statistics.retained)
        let later = later
        page.gauge(
            "belfry_later_batches", "Batches that are held until they are due.", later.count)
        page.gauge(
            "belfry_later_overdue_seconds", "How long the next of them has been due.",
            later.overdueMicroseconds / 1_000_000)
        page.gauge(
            "belfry_commit_queue_bytes", "Bytes that wait for the store, overhead included.",
            statistics.pendingBytes)
        page.counter(
            "belfry_published_batches_total", "Batches that became visible; most are one event.",
            statistics.batches)
        page.counter(
            "belfry_published_events_total", "Events that became visible.", statistics.published)
        page.counter(
            "belfry_published_bytes_total", "Payload bytes of these events.",
            statistics.publishedBytes)
        page.counter(
            "belfry_repeated_batches_total",
            "Batches that made no event, since a publish with their key had made it.",
            statistics.repeated)
        page.counter(
            "belfry_failed_conditions_total",
            "Batches that made no event, since their If-Match or If-None-Match did not hold.",
            statistics.conditionsFailed)
        page.family(
            "belfry_removed_events_total", .counter, "Events no longer retained, by what did it.")
        page.sample(statistics.retired, ["by": "retention"])
        page.sample(statistics.storeRemoved, ["by": "store"])
        page.sample(statistics.forgotten, ["by": "memory"])
        page.sample(statistics.deleted, ["by": "delete"])
        page.counter(
            "belfry_evicted_events_total", "Events dropped from memory, in the store or not.",
            statistics.evicted)
    }
}

extension TopicSample {
    /// Writes the figures of topics that the configuration names.
    func write(to page: inout PrometheusText) {
        page.family("belfry_topic_events", .gauge, "Retained events of a topic of metrics.topics.")
        for topic in topics { page.sample(topic.events, ["topic": topic.name.text]) }
        page.family("belfry_topic_bytes", .gauge, "Payload bytes of these events.")
        for topic in topics { page.sample(topic.bytes, ["topic": topic.name.text]) }
        page.family(
            "belfry_topic_published_events_total", .counter,
            "Events that were published to a topic of metrics.topics since it came to be.")
        for topic in topics { page.sample(topic.published, ["topic": topic.name.text]) }
        page.family(
            "belfry_topic_subscribers", .gauge, "Waiting requests and streams that match a topic.")
        for topic in topics { page.sample(topic.subscribers, ["topic": topic.name.text]) }
        page.gauge(
            "belfry_topics_without_figures",
            "Topics of metrics.topics that are not shown, because there are too many.", othersCount)
    }
}
