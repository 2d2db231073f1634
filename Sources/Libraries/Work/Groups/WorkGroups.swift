internal import Broadcasting
package import Protection
package import Telemetry
public import Topics

/// The work groups of a bus: each shares the events of a selector among workers, one job in one
/// worker's hands at a time.
///
/// ```swift
/// let groups = WorkGroups(on: bus)
/// let mail = try await groups.group("mail", of: "jobs.mail")
/// while let job = try await mail.next() {
///     show(job.event.payload.text)
///     try await mail.settle(job, .done)
/// }
/// ```
///
/// Every hand-out and settlement is committed before it is told. So no job is handed out after its
/// settlement was told, and attempts are exact, over restarts too if the bus has a file. A job that
/// is not settled comes again once its lease has passed: it is done at least once. Nothing is
/// promised about which worker gets a job.
///
/// The groups of a bus outlive this object if the bus has a file: the `WorkGroups` of its next run
/// have them again. Make one for a bus, after the bus itself: a second one stops the process with a
/// message. It looks after itself each second for as long as somebody holds it or one of its
/// ``Group``s.
///
/// - Important: Every verb may be called from any thread, and from any task. None blocks beyond short
///   locks.
public final class WorkGroups: Sendable {
    let parts: WorkParts
    let selfSweeping = SelfSweeping()
    let seeks = WaitingSeeks()
    let table: Protected<Table>

    enum Entry {
        case group(WorkGroup)
        /// It is on its way into the store; these are called once it is there, or failed.
        case coming([@Sendable () -> Void])
    }

    struct Table {
        var entries: [GroupName: Entry] = [:]
        /// How many groups each user made, those on their way included.
        var byOwner: [UInt32?: Int] = [:]
        var numbers: Set<GroupNumber> = []
        /// Dead letters that are about to be published again, each with those that want the same.
        var reviving: [EventID: [@Sendable () -> Void]] = [:]

        mutating func countDown(_ owner: UInt32?) {
            let left = (byOwner[owner] ?? 0) - 1
            byOwner[owner] = left > 0 ? left : nil
        }

        var groups: [WorkGroup] {
            entries.values.compactMap { if case .group(let group) = $0 { group } else { nil } }
        }
    }

    /// The groups of `bus`, with those that its file retained.
    ///
    /// - Parameters:
    ///   - bus: The bus that has their events. It is held for as long as the groups are.
    ///   - limits: How much they take on together.
    ///   - warn: Takes a line when something needs attention; nil for standard error.
    /// - Complexity: O(jobs that were open).
    public convenience init(
        on bus: EventBus, limits: WorkLimits = WorkLimits(),
        warn: (@Sendable (String) -> Void)? = nil
    ) {
        self.init(on: bus, limits: limits, log: EventBus.log(warn))
        sweepItself()
    }

    /// The same, which somebody else sweeps.
    ///
    /// - Parameter letters: Judges dead letters from the first one on; nil lets all of them go.
    package convenience init(
        on bus: EventBus, limits: WorkLimits = WorkLimits(), letters: LetterRule? = nil, log: Log
    ) {
        let tokens = LeaseTokens()
        self.init(
            on: bus, limits: limits, letters: letters, log: log, mint: { tokens.next() })
    }

    /// The same with other tokens, and perhaps without a thread of its own.
    ///
    /// - Parameter starter: Starts the tasks beside requests; in use they have a thread.
    package init(
        on bus: EventBus, limits: WorkLimits, letters: LetterRule? = nil, log: Log,
        starter: any WorkStarter = ThreadStarter(), mint: @escaping @Sendable () -> LeaseToken
    ) {
        parts = WorkParts(
            bus: bus, quota: JobQuota(limits, bus.memory), letters: letters, log: log,
            starter: starter, mint: mint)
        table = Protected(Table())
        let (now, newest) = (parts.clock(), bus.newest)
        guard let retained = bus.takeStoredGroups() else {
            fatalError("a bus has one WorkGroups: use the one that was made first")
        }
        for stored in retained { takeOver(stored, now: now, newest: newest) }
        parts.shared?.begin(for: self)
        bus.broadcaster.register((any TopicObserver).self, observer: parts.hub)
        sweep()
    }

    deinit {
        parts.hub.close()
        parts.replies.close()
        parts.shared?.close()
    }

    private func takeOver(_ stored: StoredGroup, now: Int64, newest: EventID) {
        let record = stored.record
        guard let name = try? GroupName(record.name),
            let selector = try? Selector(record.terms.joined(separator: ","))
        else {
            return parts.log.error(
                "the store has a group \(record.name) of \(record.terms.joined(separator: ",")), "
                    + "which is no group: it is left alone")
        }
        let machine =
            parts.shared == nil
            ? GroupMachine(stored, name, selector, now: now, newest: newest)
            : GroupMachine(shared: stored, name, selector)
        let group = WorkGroup(machine, parts)
        if parts.shared != nil { group.watchLeases() }
        // A group of the store stays, however much memory it takes.
        parts.quota.begin(group.bytes, for: group.owner)
        begin(group)
        table.write { table in
            table.entries[name] = .group(group)
            table.numbers.insert(group.number)
            table.byOwner[record.owner, default: 0] += 1
        }
    }

    /// Begins with a group before anybody can find it by its name: from then on others may hold a
    /// topic for it, or end it.
    func begin(_ group: WorkGroup) {
        parts.bus.setHeld(group: group.number, from: group.read { $0.heldFrom })
        if group.replies { parts.hub.addReplying(group) }
    }

    /// The group of a name.
    func group(_ name: GroupName) throws(WorkError) -> WorkGroup {
        guard case .group(let group)? = table.read({ $0.entries[name] }) else {
            throw .groupUnknown(name)
        }
        return group
    }

    // MARK: Groups

    /// One group as it is; nil if there is none.
    package func description(of name: GroupName) -> GroupDescription? {
        var steps = 0
        return description(of: name, &steps)
    }

    /// The same. Adds the steps of counting the events that it is behind, some 30 ns to 200 ns
    /// each.
    package func description(of name: GroupName, _ steps: inout Int) -> GroupDescription? {
        guard let group = try? group(name) else { return nil }
        var description = describe(group)
        description.behind = GroupRead(group).count(behind: group.read { $0.position }, &steps)
        return description
    }

    /// The topics of a group, which of their events it takes, its maker, and its number, which tells
    /// it from others of its name; nil if there is no such group.
    ///
    /// - Complexity: O(1).
    package func scope(
        of name: GroupName
    ) -> (selector: Selector, filter: EventFilter, owner: UInt32?, number: GroupNumber)? {
        guard case .group(let group)? = table.read({ $0.entries[name] }) else { return nil }
        return (group.selector, group.filter, group.owner, group.number)
    }

    /// All groups as they are, by their names; without how far each is behind.
    ///
    /// - Complexity: O(groups).
    public func descriptions() -> [GroupDescription] {
        all.map(describe).sorted { $0.name < $1.name }
    }

    func describe(_ group: WorkGroup) -> GroupDescription {
        group.description
    }

    /// Open jobs of a group, ids rising, behind an id, at most 1,000.
    ///
    /// - Complexity: O(jobs that it returns).
    package func jobs(
        of name: GroupName, after: EventID = .zero, countMax: Int
    ) throws(WorkError) -> [JobDescription] {
        let now = parts.shared?.time.microseconds ?? parts.clock()
        let countMax = min(countMax, Limits.listedJobsMax)
        return try group(name).read { $0.jobs(after: after, countMax: countMax, now: now) }
    }

    /// Ends a group: workers that wait are told, and its leases are over.
    ///
    /// - Parameter isForced: Whether topics that hold their events for it hold them no more.
    package func remove(
        _ name: GroupName, isForced: Bool, by caller: WorkCaller,
        then: @escaping @Sendable (Result<Void, WorkError>) -> Void
    ) {
        let found: WorkGroup
        do throws(WorkError) { found = try group(name) } catch { return then(.failure(error)) }
        guard isForced || !parts.bus.isHolding(for: found.number) else {
            return then(.failure(.groupHeld(name)))
        }
        found.add(
            .remove, for: caller.uid,
            .plain { outcome in
                // On an order that hosts share, it went before.
                if case .success = outcome, self.parts.shared == nil { self.forget(found) }
                then(outcome)
            })
    }

    func forget(_ group: WorkGroup) {
        table.write { table in
            if case .group(let own)? = table.entries[group.name], own === group {
                table.entries[group.name] = nil
                table.countDown(group.owner)
            }
        }
        parts.quota.end(group.bytes, for: group.owner)
        parts.bus.setHeld(group: group.number, from: nil)
        if group.replies { parts.hub.removeReplying(group) }
        parts.hub.ignore(group)
    }

    /// Whether nobody else is about to revive a dead letter; else has `again` called once they are not.
    func beginReviving(_ id: EventID, else again: @escaping @Sendable () -> Void) -> Bool {
        table.write { table in
            guard table.reviving[id] != nil else {
                table.reviving[id] = []
                return true
            }
            table.reviving[id]?.append(again)
            return false
        }
    }

    func endReviving(_ id: EventID) {
        let others = table.write { $0.reviving.removeValue(forKey: id) ?? [] }
        for again in others { again() }
    }

    /// The groups of now, in no order.
    var all: [WorkGroup] { table.read { $0.groups } }
}
