package import Telemetry

/// What the writer and the readers of a store have done; written by their threads, readable from any.
final class StoreMeters: Sendable {
    /// Turns of the readers; a step is an event that is looked at.
    let reads = BoundedWork("store_reads", stepsMax: Limits.examinedEventsMax)
    /// How long commits took, in microseconds, from taking what waits to having told everybody.
    let commits = Histogram()
    /// What was committed: each takes or gives back one place in the order, or removes something.
    let jobs = Counter()
    /// Commits that failed.
    let failures = Counter()
    /// Removals that wait: the rest of large ones, and while the disk refuses all, one a topic.
    let waitingTrims = Gauge()
}

extension SQLiteStore {
    /// Writes what the store has done; nothing before it is open.
    package func write(to page: inout PrometheusText) {
        guard let meters, let journalBytes else { return }
        page.histogram(
            "belfry_store_commit_seconds",
            "Duration of commits, each with all waiting jobs, until all are answered.",
            [meters.commits])
        page.counter(
            "belfry_store_committed_jobs_total",
            "Publishes, settings and removals that took part in a commit.", meters.jobs.value)
        page.counter(
            "belfry_store_failed_commits_total", "Commits that the disk refused.",
            meters.failures.value)
        page.gauge(
            "belfry_store_waiting_trims",
            "Topics whose removed events are still in the store.",
            meters.waitingTrims.value)
        page.gauge(
            "belfry_store_journal_bytes", "Bytes of the store's journal on the disk.",
            journalBytes)
    }
}
