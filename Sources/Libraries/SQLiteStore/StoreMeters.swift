package import Telemetry

/// Figures of the writer and the readers of a store. Their threads write them, any thread may read.
final class StoreMeters: Sendable {
    /// Turns of the readers; a step is an event that is looked at.
    let reads = BoundedTask("store_reads", stepsMax: Limits.examinedEventsMax)
    /// How long commits took, in microseconds, from taking the waiting jobs to answering all of
    /// them.
    let commits = Histogram()
    /// Jobs in commits, failed ones included: entries that take or give back a place, and removals.
    let jobs = Counter()
    /// Commits that failed.
    let failures = Counter()
    /// Removals that wait, one a topic: the rest of large ones, and all while the disk refuses.
    let waitingTrims = Gauge()
}

extension SQLiteStore {
    /// Writes the figures of the store; nothing before it is open.
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
