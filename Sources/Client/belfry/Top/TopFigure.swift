/// One figure of `belfry top`: a row of the table that the screen, the lines and the JSON are made of.
struct TopFigure: Sendable {
    /// The sources of figures.
    enum Source: Sendable {
        /// How fast a figure of `/metrics` grows, each second.
        case rate(String)
        /// A figure of `/metrics` as it is.
        case level(String)
        /// The bytes of all topics that may be seen.
        case topicBytes
    }

    /// Its name in JSON.
    let name: String
    /// Its name for people.
    let title: String
    let source: Source
    var isBytes = false

    static let all = [
        TopFigure(
            name: "published_events_per_second", title: "published/s",
            source: .rate("belfry_published_events_total")),
        TopFigure(
            name: "delivered_events_per_second", title: "delivered/s",
            source: .rate("belfry_delivered_events_total")),
        TopFigure(
            name: "published_bytes_per_second", title: "bytes/s",
            source: .rate("belfry_published_bytes_total"), isBytes: true),
        TopFigure(name: "gaps_per_second", title: "gaps/s", source: .rate("belfry_gaps_total")),
        TopFigure(
            name: "requests_per_second", title: "requests/s",
            source: .rate("belfry_http_requests_total")),
        TopFigure(
            name: "connections", title: "connections", source: .level("belfry_http_connections")),
        TopFigure(name: "subscribers", title: "subscribers", source: .level("belfry_subscribers")),
        TopFigure(
            name: "workers_waiting", title: "workers waiting",
            source: .level("belfry_workers_waiting")),
        TopFigure(name: "topics", title: "topics", source: .level("belfry_topics")),
        TopFigure(
            name: "silent_topics", title: "of them silent",
            source: .level("belfry_topics_silent")),
        TopFigure(name: "groups", title: "groups", source: .level("belfry_groups")),
        TopFigure(
            name: "retained_events", title: "events kept", source: .level("belfry_retained_events")),
        TopFigure(
            name: "retained_bytes", title: "their bytes", source: .topicBytes, isBytes: true),
        TopFigure(
            name: "later_batches", title: "held for later",
            source: .level("belfry_later_batches")),
        TopFigure(
            name: "later_overdue_seconds", title: "overdue (s)",
            source: .level("belfry_later_overdue_seconds")),
        TopFigure(
            name: "commit_queue_bytes", title: "commit queue",
            source: .level("belfry_commit_queue_bytes"), isBytes: true),
        TopFigure(
            name: "failed_commits", title: "failed commits",
            source: .level("belfry_store_failed_commits_total")),
        TopFigure(
            name: "store_journal_bytes", title: "store journal",
            source: .level("belfry_store_journal_bytes"), isBytes: true),
        TopFigure(
            name: "memory_bytes", title: "memory", source: .level("belfry_memory_bytes"),
            isBytes: true),
        TopFigure(
            name: "memory_limit_bytes", title: "of at most",
            source: .level("belfry_memory_limit_bytes"), isBytes: true),
        TopFigure(
            name: "resident_bytes", title: "process",
            source: .level("process_resident_memory_bytes"), isBytes: true),
        TopFigure(
            name: "oldest_job_seconds", title: "oldest job (s)",
            source: .level("belfry_oldest_job_seconds")),
    ]

    /// The figure at a look, and over the time since the one before.
    func value(from before: BusLook, to now: BusLook) -> Double {
        switch source {
        case .level(let metric): return now.figure(metric)
        case .topicBytes: return now.topics.reduce(0) { $0 + Double($1.bytes) }
        case .rate(let metric):
            return Self.rate(
                before.figure(metric), now.figure(metric), over: now.instant - before.instant)
        }
    }

    /// How fast a counter grew. One that is less than before began anew with the bus.
    static func rate(_ before: Double, _ now: Double, over time: Duration) -> Double {
        let seconds = time / .seconds(1)
        guard seconds > 0 else { return 0 }
        return (now < before ? now : now - before) / seconds
    }

    /// A value as people read it.
    func text(of value: Double) -> String {
        if isBytes { return Self.bytes(value) }
        // Nobody reads a figure beyond this.
        let bounded = min(max(value, 0), 1e15)
        return bounded < 10 && bounded != bounded.rounded()
            ? "\((bounded * 10).rounded() / 10)" : "\(Int(figure: bounded.rounded()))"
    }

    /// Bytes with a unit of 1,024.
    static func bytes(_ value: Double) -> String {
        var (rest, unit) = (min(max(value, 0), 1e15), "B")
        for next in ["KiB", "MiB", "GiB", "TiB"] where rest >= 1_024 {
            (rest, unit) = (rest / 1_024, next)
        }
        let text =
            rest < 10 && unit != "B"
            ? "\((rest * 10).rounded() / 10)" : "\(Int(figure: rest))"
        return "\(text) \(unit)"
    }
}

extension Int {
    /// A figure of a bus as a whole number: 0 for one that is negative or none, and no more than
    /// anybody reads.
    init(figure value: Double) {
        self = value > 0 ? Int(Swift.min(value, 1e15)) : 0
    }
}
