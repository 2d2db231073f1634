internal import Protection
package import Topics

/// How groups are made, and changed.
extension WorkGroups {
    /// Makes a group, or changes one that is there; settings that are not named stay.
    ///
    /// - Parameter hasLeft: Whether nobody waits for it any more: then no group is made.
    /// - Complexity: Of a new group, that of finding its start position in the log; on another
    ///   thread, in the turns of the caller.
    package func set(
        _ name: GroupName, _ wish: GroupSettings, by caller: WorkCaller,
        unless hasLeft: @escaping @Sendable () -> Bool = { false },
        then:
            @escaping @Sendable (Result<(group: GroupDescription, isNew: Bool), WorkError>) -> Void
    ) {
        let entry = table.write { table -> Result<Entry?, WorkError> in
            switch table.entries[name] {
            case .coming(var others):
                guard others.count < Limits.askedPerUserMax else { return .failure(.tooMuchAsked) }
                others.append {
                    if hasLeft() { return then(.failure(.bus(.clientLeft))) }
                    self.set(name, wish, by: caller, unless: hasLeft, then: then)
                }
                table.entries[name] = .coming(others)
                return .success(table.entries[name])
            case let entry: return .success(entry)
            }
        }
        switch entry {
        case .failure(let error): then(.failure(error))
        case .success(.coming): return
        case .success(.group(let group)):
            group.add(
                .set(wish, by: caller.stored), for: caller.uid,
                .plain { outcome in then(outcome.map { (self.describe(group), false) }) })
        case .success(nil): make(name, wish, by: caller, unless: hasLeft, then)
        }
    }

    private func make(
        _ name: GroupName, _ wish: GroupSettings, by caller: WorkCaller,
        unless hasLeft: @escaping @Sendable () -> Bool,
        _ then:
            @escaping @Sendable (Result<(group: GroupDescription, isNew: Bool), WorkError>) -> Void
    ) {
        guard let selector = wish.selector else { return then(.failure(.selectorMissing(name))) }
        let limits = parts.quota.limits
        let refusal = table.write { table -> WorkError? in
            guard table.entries[name] == nil else { return .groupUnknown(name) }
            guard table.entries.count < limits.groupsMax else {
                return .limit(
                    .groups,
                    "there are \(limits.groupsMax) groups, and may not be more: remove some, or "
                        + "raise the limit")
            }
            let own = JobQuota.share(limits.groupsMax)
            guard table.byOwner[caller.uid, default: 0] < own else {
                return .limit(
                    .groupsOfCaller,
                    "one user has \(own) groups at most: remove some, or raise the limit")
            }
            table.entries[name] = .coming([])
            table.byOwner[caller.uid, default: 0] += 1
            return nil
        }
        if let refusal {
            if case .groupUnknown = refusal {
                return set(name, wish, by: caller, unless: hasLeft, then: then)
            }
            return then(.failure(refusal))
        }
        let bytes = JobQuota.bytes(of: selector, wish.filter, replies: wish.replies ?? false)
        let hasRoom = parts.quota.begin(bytes, for: caller.uid)
        let then: @Sendable (Result<(group: GroupDescription, isNew: Bool), WorkError>) -> Void = {
            [parts] outcome in
            // Where there was one of the name by then, this one is none.
            let isMade = if case .success((_, true)) = outcome { true } else { false }
            if !isMade { parts.quota.end(bytes, for: caller.uid) }
            then(outcome)
        }
        guard hasRoom else { return finish(name, caller, .failure(.groupsFillMemory), then) }
        let client = StoreClient(user: caller.uid, hasLeft: hasLeft)
        let isTaken = parts.thread.ask(for: caller.uid) { [parts] over in
            let read = GroupRead(selector, wish.filter, for: client, parts)
            read.place(of: wish.start ?? .earliest) { place in
                defer { over() }
                switch place {
                case .failure(let error): self.finish(name, caller, .failure(.bus(error)), then)
                case .success(let (position, gap)):
                    if let shared = parts.shared {
                        let making = GroupRequest.Making(
                            name: name.text, wish: wish,
                            place: GroupRequest.Place(position, missing: gap),
                            maker: caller.stored)
                        return shared.make(making, self.newNumber()) {
                            self.endMaking(name, caller, $0, then)
                        }
                    }
                    self.commit(name, wish, selector, position, gap, by: caller, then)
                }
            }
        }
        if !isTaken { finish(name, caller, .failure(.tooMuchAsked), then) }
    }

    private func commit(
        _ name: GroupName, _ wish: GroupSettings, _ selector: Selector, _ position: LogPosition,
        _ gap: Gap?, by caller: WorkCaller,
        _ then:
            @escaping @Sendable (Result<(group: GroupDescription, isNew: Bool), WorkError>) -> Void
    ) {
        let record: GroupRecord
        switch GroupRecord.make(name, wish, selector, at: position, by: caller.stored) {
        case .failure(let error): return finish(name, caller, .failure(error), then)
        case .success(let made): record = made
        }
        var machine = GroupMachine(newNumber(), name, selector, record)
        if let gap { machine.miss(gap) }
        parts.bus.commit(machine.creation) { [machine] outcome in
            let group = outcome.map { _ in WorkGroup(machine, self.parts) }
            self.finish(name, caller, group.mapError { .bus($0) }, then)
        }
    }

    /// A number that no group has.
    private func newNumber() -> GroupNumber {
        while true {
            let number = GroupNumber(rawValue: Int64(parts.mint().high & ((1 << 51) - 1)) + 1)
            if table.write({ $0.numbers.insert(number).inserted }) { return number }
        }
    }

    private func finish(
        _ name: GroupName, _ caller: WorkCaller, _ outcome: Result<WorkGroup, WorkError>,
        _ then: @Sendable (Result<(group: GroupDescription, isNew: Bool), WorkError>) -> Void
    ) {
        if case .success(let group) = outcome { begin(group) }
        let others = table.write { table -> [@Sendable () -> Void] in
            guard case .coming(let others)? = table.entries[name] else { return [] }
            switch outcome {
            case .success(let group): table.entries[name] = .group(group)
            case .failure:
                table.entries[name] = nil
                table.countDown(caller.uid)
            }
            return others
        }
        then(outcome.map { (self.describe($0), true) })
        for other in others { other() }
    }

    /// Ends the making of a group on an order that hosts share. Another host may have made it before: then it
    /// has the settings of this request.
    private func endMaking(
        _ name: GroupName, _ caller: WorkCaller,
        _ outcome: Result<(group: WorkGroup, isNew: Bool), WorkError>,
        _ then: @Sendable (Result<(group: GroupDescription, isNew: Bool), WorkError>) -> Void
    ) {
        if case .success(let made) = outcome, made.isNew {
            return then(.success((describe(made.group), true)))
        }
        let others = table.write { table -> [@Sendable () -> Void] in
            table.countDown(caller.uid)
            guard case .coming(let others)? = table.entries[name] else { return [] }
            table.entries[name] = nil
            return others
        }
        then(outcome.map { (describe($0.group), false) })
        for other in others { other() }
    }

    /// Takes in a group that this host or another one has made on an order that hosts share.
    func adopt(_ group: WorkGroup, isOwn: Bool) {
        begin(group)
        if !isOwn { parts.quota.begin(group.bytes, for: group.owner) }
        let others = table.write { table -> [@Sendable () -> Void] in
            let before = table.entries.updateValue(.group(group), forKey: group.name)
            table.numbers.insert(group.number)
            if !isOwn { table.byOwner[group.owner, default: 0] += 1 }
            guard case .coming(let others)? = before else { return [] }
            return others
        }
        for other in others { other() }
    }
}
