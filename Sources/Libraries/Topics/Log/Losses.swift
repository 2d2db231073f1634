/// The highest ids that were removed from some topics.
struct Losses {
    /// Removed from retention.
    var removedThrough = EventID.zero
    /// The time of that event.
    var removedTime = Timestamp.distantPast
    /// Gone for waiting readers too.
    var discardedThrough = EventID.zero

    /// The highest id lost for a reader that waits, or for one that states its cursor.
    func highest(isWaiting: Bool) -> EventID { isWaiting ? discardedThrough : removedThrough }

    mutating func rise(to record: TopicRecord) {
        rise(
            to: Losses(
                removedThrough: record.removedThrough, removedTime: record.removedTime,
                discardedThrough: record.discardedThrough))
    }

    mutating func rise(to other: Losses) {
        removedThrough = max(removedThrough, other.removedThrough)
        removedTime = max(removedTime, other.removedTime)
        discardedThrough = max(discardedThrough, other.discardedThrough)
    }
}

extension EventLog {
    /// Whether any topic at all lost something that a reader here was not told of. Readers that
    /// keep up miss nothing, so the losses of each of their topics need not be looked at.
    func mayMiss(_ position: LogPosition) -> Bool {
        let cursor = position.stated ?? position.after
        let lost = mostLost.highest(isWaiting: position.isWaiting)
        return cursor > horizon || cursor < lost && position.reportedThrough < lost
    }

    /// The gap a position has to be told first, if any.
    ///
    /// On a shared order a cursor beyond all known ids is `.older`: the store is to say how far ids
    /// are given.
    ///
    /// - Parameter isJudged: Whether the store has said so since the cursor came.
    func detectGap(
        _ position: LogPosition, _ losses: Losses, isJudged: Bool = false
    ) -> LogRead? {
        let cursor = position.stated ?? position.after
        var next = position
        next.stated = nil
        if cursor > horizon {
            if isShared, !isJudged { return .older(position) }
            next.after = .zero
            next.reportedThrough = losses.removedThrough
            return .gap(Gap(after: cursor, through: losses.removedThrough), next: next)
        }
        let lost = losses.highest(isWaiting: position.isWaiting)
        guard cursor < lost, position.reportedThrough < lost else { return nil }
        next.reportedThrough = lost
        return .gap(Gap(after: cursor, through: lost), next: next)
    }

    /// The losses of a topic, together with those of vanished topics that are not known by name.
    func losses(of record: TopicRecord) -> Losses {
        var losses = tombstones.floor
        losses.rise(to: record)
        return losses
    }

    /// The same of a name, whether or not there is such a topic.
    func losses(of name: TopicName) -> Losses {
        if let record = records[name] { return losses(of: record) }
        var losses = tombstones.floor
        if let left = tombstones[name] { losses.rise(to: left) }
        return losses
    }

    /// The losses of those topics of a selector that lost something, or came back, since the loss
    /// of this number. Where too many did to look at each, the losses of any topic.
    ///
    /// - Complexity: O(topics that changed × terms), bounded by ``Limits/turnStepsMax``.
    func losses(of selector: Selector, changedSince number: UInt64) -> Losses {
        guard lossNumber != number else { return Losses() }
        var losses = Losses()
        if tombstones.floorNumber > number { losses.rise(to: tombstones.floor) }
        let countMax = max(1, Limits.turnStepsMax / selector.terms.count)
        let isAll = lossOrder.visit(lostSince: number, atMost: countMax) { record in
            if selector.matches(record.name) { losses.rise(to: record) }
        }
        let areAll = tombstones.visit(since: number, atMost: countMax) { name, lost in
            if selector.matches(name) { losses.rise(to: lost) }
        }
        return isAll && areAll ? losses : mostLost
    }
}
