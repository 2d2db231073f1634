/// The place where a read begins, as looks at its topics have found it.
struct StartResolver {
    /// The newest id when the topics were looked at.
    let through: EventID
    /// The losses of the topics.
    let losses: Losses

    /// The position that a look at all topics has found.
    ///
    /// - Parameter known: The position before the look, which stays where the look was not to find
    ///   one.
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
        // In the very first life the floor reaches up to its start, and nothing was below it.
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
