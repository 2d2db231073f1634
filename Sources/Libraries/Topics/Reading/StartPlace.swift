/// Where a read begins, from what looks at its topics have found.
struct StartPlace {
    /// The newest id when they were looked at.
    let through: EventID
    /// What they have lost.
    let losses: Losses

    /// The position that a look at all topics has found.
    ///
    /// - Parameter known: The position as it was before, which stays where the look was not for one.
    func position(
        from scan: TopicScan, knowing known: LogPosition, in log: EventLog
    ) -> LogPosition {
        switch scan.aim {
        case .position, .news, .last: known
        case .newest: LogPosition(after: through, reportedThrough: through)
        case .oldest:
            LogPosition(
                after: scan.oldest?.predecessor ?? through, reportedThrough: losses.removedThrough)
        case .time(let time): position(of: time, from: scan, in: log)
        }
    }

    private func position(
        of time: Timestamp, from scan: TopicScan, in log: EventLog
    ) -> LogPosition {
        var position = LogPosition(after: scan.heads.first?.id.predecessor ?? through)
        if scan.isOlderWanted { position.unresolved = .time(time) }
        // The floor of the first life of all reaches up to its start, and nothing was below it.
        if time <= losses.removedTime, losses.removedThrough > log.unusedThrough {
            position.stated = .zero
        } else {
            position.reportedThrough = losses.removedThrough
        }
        return position
    }

    /// The position that a search from the end has found; nil where there is less than it looked
    /// for.
    func position(from outcome: BackwardSearch.Outcome) -> LogPosition? {
        var position = LogPosition(after: through, reportedThrough: losses.removedThrough)
        switch outcome {
        case .exhausted: return nil
        case .older(let count): position.unresolved = .last(count)
        case .found(let id): position.after = id.predecessor
        }
        return position
    }
}
