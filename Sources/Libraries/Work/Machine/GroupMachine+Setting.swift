internal import Topics

/// What a wish makes of a group.
extension GroupMachine {
    /// Lets other settings hold; what never changes has to be as it is.
    ///
    /// - Parameter caller: Who wishes it.
    mutating func set(_ wish: GroupSettings, by caller: StoredCaller) -> Result<Void, WorkError> {
        let kept: [(String, Bool)] = [
            ("of", wish.selector.map { Set($0.terms) == Set(selector.terms) } ?? true),
            ("type", wish.type == nil || wish.type == record.type),
            ("order", wish.isOrderedByKey == nil || wish.isOrderedByKey == record.isOrderedByKey),
            ("replies", wish.replies == nil || wish.replies == record.replies),
            ("persist", wish.persists == nil || wish.persists == record.persists),
        ]
        if let (setting, _) = kept.first(where: { !$0.1 }) {
            return .failure(.groupDiffers(name, setting: setting))
        }
        var changed = record
        if let error = changed.apply(wish, selector, by: caller) { return .failure(error) }
        set { $0 = changed }
        return .success(())
    }
}

extension GroupRecord {
    /// A new group by a wish that names its topics.
    static func make(
        _ name: GroupName, _ wish: GroupSettings, _ selector: Selector, at position: LogPosition,
        by maker: StoredCaller
    ) -> Result<GroupRecord, WorkError> {
        var record = GroupRecord(
            name: name.text, terms: selector.terms.map(\.description), type: wish.type,
            lease: Limits.leaseMicrosecondsDefault, attempts: Limits.attemptsDefault, dead: nil,
            deadChooser: nil, isOrderedByKey: wish.isOrderedByKey ?? false,
            inFlightMax: Limits.inFlightDefault,
            replies: wish.replies ?? false, persists: wish.persists ?? true, owner: maker.uid,
            epoch: 1, reach: position.after, reportedThrough: position.reportedThrough, gap: nil,
            tally: JobTally())
        if let error = record.apply(wish, selector, by: maker) { return .failure(error) }
        return .success(record)
    }

    /// Takes over what can change; returns what is out of its range.
    fileprivate mutating func apply(
        _ wish: GroupSettings, _ selector: Selector, by caller: StoredCaller
    ) -> WorkError? {
        if let lease = wish.lease?.wholeMicroseconds {
            guard Limits.leaseMicroseconds.contains(lease) else {
                return .valueInvalid("a lease lasts 1 s to 12 h")
            }
            self.lease = lease
        }
        if let attempts = wish.attempts {
            guard Limits.attempts.contains(attempts) else {
                return .valueInvalid("a job is tried 1 to 1,000 times, not \(attempts)")
            }
            self.attempts = attempts
        }
        if let inFlightMax = wish.inFlightMax {
            guard Limits.inFlight.contains(inFlightMax) else {
                return .valueInvalid("1 to 10,000 jobs are leased at once, not \(inFlightMax)")
            }
            self.inFlightMax = inFlightMax
        }
        switch wish.dead {
        case .topic(let topic):
            guard !selector.matches(topic) else { return .deadInside(topic) }
            (dead, deadChooser) = (topic, caller)
        case .nowhere: (dead, deadChooser) = (nil, nil)
        case nil: break
        }
        return nil
    }
}
