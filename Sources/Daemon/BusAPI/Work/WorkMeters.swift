internal import Telemetry
internal import Work

extension WorkGroups {
    /// Writes the figures of the groups. No group is named in them.
    func write(to page: inout PrometheusText) {
        let figures = figures
        page.gauge("belfry_groups", "Work groups that exist.", figures.groups)
        page.family("belfry_jobs", .gauge, "Jobs that are not settled, by where they stand.")
        page.sample(figures.leased, ["state": "leased"])
        page.sample(figures.waiting, ["state": "waiting"])
        page.sample(figures.parked, ["state": "parked"])
        page.gauge("belfry_workers_waiting", "Requests that wait for a job.", figures.workers)
        page.gauge(
            "belfry_requests_waiting", "Publishers that wait for a reply.", figures.requests)
        page.counter("belfry_jobs_taken_total", "Jobs that were handed out.", figures.taken)
        page.family("belfry_jobs_settled_total", .counter, "Jobs that ended, by how.")
        page.sample(figures.done, ["as": "done"])
        page.sample(figures.dead, ["as": "dead"])
        page.sample(figures.gone, ["as": "gone"])
        page.sample(figures.expired, ["as": "expired"])
        page.counter(
            "belfry_jobs_retried_total", "Jobs that a worker gave back.", figures.retried)
        page.counter(
            "belfry_leases_lost_total",
            "Settlements and extensions that came after their job was handed on.",
            figures.leasesLost)
        page.gauge(
            "belfry_oldest_job_seconds", "Age of the oldest open job; 0 without one.",
            figures.oldestSeconds)
        page.histogram(
            "belfry_job_pickup_seconds",
            "Time from the moment that a job was visible until it was handed out first.", [pickUp])
        page.counter(
            "belfry_requests_unanswered_total", "Requests that nobody replied to in time.",
            figures.unanswered)
        page.counter(
            "belfry_replies_late_total", "Replies that came when nobody waited any more.",
            figures.late)
    }
}
