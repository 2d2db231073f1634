internal import Topics

/// The description of a group, that of its jobs, and its part in the figures.
extension GroupMachine {
    var description: GroupDescription {
        var settings = record.settings
        settings.selector = selector
        return GroupDescription(
            name: name, selector: selector, settings: settings, owner: record.owner,
            reach: record.reach, open: table.jobs.count, leased: table.leasedCount,
            waiting: table.jobs.count - table.leasedCount, parked: table.keyQueues.parkedCount,
            behind: nil, workers: line.count, oldest: table.order.first, done: record.tally.done,
            failed: record.tally.dead, gone: record.tally.gone, expired: record.tally.expired,
            gap: record.gap)
    }

    /// Open jobs behind an id.
    func jobs(after: EventID, countMax: Int, now: Int64) -> [JobDescription] {
        let start = table.order.index(after: after)
        return table.order.ids[start...].prefix(max(0, countMax)).compactMap { id in
            table.jobs[id].map { describe($0, id, now: now) }
        }
    }

    private func describe(_ job: OpenJob, _ id: EventID, now: Int64) -> JobDescription {
        let lease = job.lease.flatMap { table.leases[$0] }
        return JobDescription(
            id: id, topic: job.topic, key: job.key, state: job.isLeased ? .leased : .waiting,
            attempt: job.attempt, worker: lease?.holder?.worker,
            uid: lease?.caller.flatMap(WorkCaller.uid(in:)), due: .microseconds(job.due - now),
            reason: refusals[id])
    }

    /// Adds the counts of the group.
    func add(to figures: inout WorkFigures, now: Timestamp) {
        figures.groups += 1
        figures.open += table.jobs.count
        figures.leased += table.leasedCount
        figures.waiting += table.jobs.count - table.leasedCount
        figures.parked += table.keyQueues.parkedCount
        figures.workers += line.count
        guard let oldest = table.order.first, let visible = table.jobs[oldest]?.visible else {
            return
        }
        let seconds = Int(now.microseconds - visible.microseconds) / 1_000_000
        figures.oldestSeconds = max(figures.oldestSeconds, seconds)
    }
}
