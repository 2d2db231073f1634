/// A moment of one life of the log: a list of topics shows it, and later changes are found by it.
package struct ListMoment: Hashable, Sendable {
    /// The newest visible id.
    package let newest: EventID
    /// The number of the last change of a topic that was no event.
    package let number: UInt64

    /// A moment that ``EventLog`` told of before, or the first one.
    package init(newest: EventID = .zero, number: UInt64 = 0) {
        self.newest = newest
        self.number = number
    }
}

extension EventLog {
    /// This moment.
    var moment: ListMoment { ListMoment(newest: newest, number: lossNumber) }

    /// Whether everything that changed since a moment is known.
    func knowsChanges(since moment: ListMoment) -> Bool {
        moment.newest <= newest && moment.number <= lossNumber
            && moment.number >= tombstones.forgottenNumber
    }
}

extension TopicRecord {
    /// Whether its row changed since a moment.
    func hasChanged(since moment: ListMoment) -> Bool {
        newest > moment.newest || lossNumber > moment.number
    }
}
