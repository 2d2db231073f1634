public import Topics

/// Operations on a group itself: describing, seeking, reviving and removing.
extension Group {
    /// The group as it is.
    ///
    /// - Throws: ``WorkError/groupUnknown(_:)``.
    /// - Complexity: O(events that it is behind, up to 1,000).
    public func describe() throws(WorkError) -> GroupDescription {
        guard let description = groups.description(of: name) else { throw .groupUnknown(name) }
        return description
    }

    /// Open jobs, ids rising.
    ///
    /// - Parameters:
    ///   - id: Only those behind it.
    ///   - max: How many at most, up to 1,000.
    /// - Throws: ``WorkError/groupUnknown(_:)``.
    /// - Complexity: O(jobs that it returns).
    public func jobs(
        after id: EventID = .zero, max: Int = 100
    ) throws(WorkError) -> [JobDescription] {
        try groups.jobs(of: name, after: id, countMax: max)
    }

    /// Forgets open jobs and begins anew at `start`. Every lease is over, and jobs behind that
    /// position are done again.
    ///
    /// - Throws: ``WorkError``; nothing was changed then.
    public func seek(to start: StartPosition) async throws(WorkError) {
        _ = try await WorkGroups.answer {
            groups.seek(name, to: start, by: .process, then: $0)
        }
    }

    /// Publishes a dead letter of the group again to the topic that it came from, once.
    ///
    /// - Parameter letter: The id that it has in the dead topic, or that of its job, where it is one of
    ///   the 256 newest letters.
    /// - Throws: ``WorkError``: ``WorkError/letterUnknown(_:)``, or ``WorkError/letterRevived(_:)``.
    /// - Complexity: O(log events of the dead topic) and a read of the letter, on another thread.
    @discardableResult
    public func revive(_ letter: EventID) async throws(WorkError) -> PublishReceipt {
        try await WorkGroups.answer { groups.revive(name, id: letter, by: .process, then: $0) }
    }

    /// Ends the group; its topics stay as they are. Workers that wait are told
    /// ``WorkError/groupDeleted(_:)``, and its leases are over.
    ///
    /// - Parameter isForced: Whether it goes even where topics hold their events for it.
    /// - Throws: ``WorkError``; the group is there still, unless it was gone before.
    public func remove(isForced: Bool = false) async throws(WorkError) {
        try await WorkGroups.answer {
            groups.remove(name, isForced: isForced, by: .process, then: $0)
        }
    }
}
