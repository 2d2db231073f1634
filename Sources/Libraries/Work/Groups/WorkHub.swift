internal import Broadcasting
internal import Protection
internal import Topics

/// The one observer that wakes groups, each only for topics of its own and while a worker waits. It
/// also finds the groups that reply to events of a topic.
///
/// If many groups listen to a topic, those of this very name are woken first. The ``WorkThread``
/// wakes the others, each in the turns of its maker: a user who makes many groups delays nobody
/// else's.
///
/// - Complexity: For each admitted batch, that of finding the selectors of groups where a worker
///   waits (see ``SelectorIndex``), and of waking at most ``Limits/inlineGroupsMax`` of these
///   groups.
final class WorkHub: TopicObserver {
    typealias Groups = [ObjectIdentifier: WorkGroup]

    private struct Table {
        let listening = SelectorIndex<Groups>()
        let replying = SelectorIndex<Groups>()
        /// Topics whose groups the ``WorkThread`` is yet to find, each once, however many events
        /// come.
        var crowded: Set<TopicName> = []
        var isFinding = false
        /// Groups that were found there and are yet to be woken, by their makers.
        var due: [UInt32?: Groups] = [:]

        /// The groups of exactly this name, where they are no more than a publisher wakes.
        func named(_ topic: TopicName) -> Groups? {
            guard let groups = listening[Selector(topic)] else { return nil }
            return groups.count <= Limits.inlineGroupsMax ? groups : nil
        }

        /// Has the groups that listen to a topic wait to be woken. Groups that a publisher woke are
        /// woken again: other events may have come since. Returns makers that had none.
        mutating func gather(_ topic: TopicName) -> [UInt32?] {
            var makers: [UInt32?] = []
            listening.visit(topic) { groups in
                for (identity, group) in groups {
                    if due[group.owner] == nil { makers.append(group.owner) }
                    due[group.owner, default: [:]][identity] = group
                }
            }
            return makers
        }

        /// Takes some groups of one maker; there are more where `due` has that maker still.
        mutating func takeDue(of maker: UInt32?) -> [WorkGroup] {
            guard var groups = due.removeValue(forKey: maker) else { return [] }
            var taken: [WorkGroup] = []
            while taken.count < Limits.inlineGroupsMax, let (_, group) = groups.popFirst() {
                taken.append(group)
            }
            if !groups.isEmpty { due[maker] = groups }
            return taken
        }

        /// The groups that listen to a topic; nil where they are more than so many.
        func listeners(of topic: TopicName, countMax: Int = .max) -> [WorkGroup]? {
            var found: [WorkGroup] = []
            var isCrowded = false
            listening.visit(topic) { groups in
                isCrowded = isCrowded || found.count + groups.count > countMax
                if !isCrowded { found += groups.values }
            }
            return isCrowded ? nil : found
        }
    }

    private let table = Protected(Table())
    private let thread: WorkThread

    /// - Parameter thread: Wakes groups that are too many for a publisher.
    init(waking thread: WorkThread) { self.thread = thread }

    /// Wakes a group from now on.
    func listen(_ group: WorkGroup) { table.write { Self.add(group, to: $0.listening) } }

    /// Wakes it no more.
    func ignore(_ group: WorkGroup) { table.write { Self.remove(group, from: $0.listening) } }

    /// Counts a group among those whose workers reply.
    func addReplying(_ group: WorkGroup) { table.write { Self.add(group, to: $0.replying) } }

    /// The group is gone.
    func removeReplying(_ group: WorkGroup) {
        table.write { Self.remove(group, from: $0.replying) }
    }

    /// The groups whose workers reply to events of a topic.
    func replying(to topic: TopicName) -> [WorkGroup] {
        table.write { table in
            var found: [WorkGroup] = []
            table.replying.visit(topic) { found += $0.values }
            return found
        }
    }

    /// Forgets all groups, which know it: else neither would ever go.
    func close() {
        let forgotten = table.write { table in
            defer { table = Table() }
            return table
        }
        withExtendedLifetime(forgotten) {}
    }

    /// Several buses may share a broadcaster: a group of another one looks, and finds nothing.
    func admitted(_ admission: Admission) {
        guard admission.change == .events else { return }
        let (woken, isFirst) = table.write { table -> ([WorkGroup], Bool) in
            let few = table.listeners(of: admission.topic, countMax: Limits.inlineGroupsMax)
            if let few { return (few, false) }
            table.crowded.insert(admission.topic)
            let named = table.named(admission.topic).map { Array($0.values) } ?? []
            defer { table.isFinding = true }
            return (named, !table.isFinding)
        }
        for group in woken { group.look() }
        if isFirst { thread.run(for: nil) { self.findCrowd() } }
    }

    /// Finds the groups of one crowded topic, and those of the next in a turn to come.
    private func findCrowd() {
        let makers = table.write { table -> [UInt32?]? in
            guard let topic = table.crowded.popFirst() else {
                table.isFinding = false
                return nil
            }
            return table.gather(topic)
        }
        guard let makers else { return }
        for maker in makers { thread.run(for: maker) { self.wakeDue(of: maker) } }
        thread.run(for: nil) { self.findCrowd() }
    }

    /// Wakes some groups of one maker, and the others in turns to come.
    private func wakeDue(of maker: UInt32?) {
        let (woken, goesOn) = table.write { table in
            let woken = table.takeDue(of: maker)
            return (woken, table.due[maker] != nil)
        }
        for group in woken { group.look() }
        if goesOn { thread.run(for: maker) { self.wakeDue(of: maker) } }
    }

    /// Topics whose groups are yet to be found by the thread for that.
    var crowdedCount: Int { table.read { $0.crowded.count } }

    private static func add(_ group: WorkGroup, to index: SelectorIndex<Groups>) {
        let identity = ObjectIdentifier(group)
        if index[group.selector] == nil {
            index[group.selector] = [identity: group]
        } else {
            index.change(group.selector) { $0[identity] = group }
        }
    }

    private static func remove(_ group: WorkGroup, from index: SelectorIndex<Groups>) {
        index.change(group.selector) { $0[ObjectIdentifier(group)] = nil }
        if index[group.selector]?.isEmpty == true { index[group.selector] = nil }
    }
}
