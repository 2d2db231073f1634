internal import Broadcasting
internal import Protection
internal import Topics

/// The one observer that wakes groups, each only for topics of its own while somebody waits; and
/// where groups are found that reply to events of a topic.
///
/// - Complexity: For each admitted batch what it takes to find the selectors of groups where somebody
///   waits, see ``SelectorIndex``; and ``Limits/inlineGroupsMax`` of these groups at most.
final class WorkHub: TopicObserver {
    typealias Groups = [ObjectIdentifier: WorkGroup]

    private struct Table {
        let listening = SelectorIndex<Groups>()
        let replying = SelectorIndex<Groups>()
        /// Topics whose groups are woken by the thread for that, each once however much comes.
        var crowded: Set<TopicName> = []
        var isWaking = false

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

    /// - Parameter thread: Where groups are woken that are too many for a publisher.
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
            defer { table.isWaking = true }
            return ([], !table.isWaking)
        }
        for group in woken { group.look() }
        if isFirst { thread.run(for: nil) { self.wakeCrowd() } }
    }

    /// Wakes some groups of one crowded topic, and the others in turns to come; then those of the next.
    private func wakeCrowd(_ rest: ArraySlice<WorkGroup> = []) {
        guard let crowd = rest.isEmpty ? nextCrowd() : rest else { return }
        for group in crowd.prefix(Limits.inlineGroupsMax) { group.look() }
        thread.run(for: nil) { self.wakeCrowd(crowd.dropFirst(Limits.inlineGroupsMax)) }
    }

    /// The groups of a crowded topic; nil if there is none.
    private func nextCrowd() -> ArraySlice<WorkGroup>? {
        table.write { table in
            guard let topic = table.crowded.popFirst() else {
                table.isWaking = false
                return nil
            }
            return (table.listeners(of: topic) ?? [])[...]
        }
    }

    /// Topics whose groups are yet to be woken by the thread for that.
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
