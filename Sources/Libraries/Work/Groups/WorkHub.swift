internal import Broadcasting
internal import Protection
internal import Topics

/// The one observer that wakes groups, each only for topics of its own while somebody waits; and
/// where groups are found that reply to events of a topic.
///
/// - Complexity: For each admitted batch what it takes to find the selectors of groups where somebody
///   waits, see ``SelectorIndex``.
final class WorkHub: TopicObserver {
    typealias Groups = [ObjectIdentifier: WorkGroup]

    private struct Table {
        let listening = SelectorIndex<Groups>()
        let replying = SelectorIndex<Groups>()
    }

    private let table = Protected(Table())

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
        let woken = table.write { table in
            var woken: [WorkGroup] = []
            table.listening.visit(admission.topic) { woken += $0.values }
            return woken
        }
        for (index, group) in woken.enumerated() {
            group.look(isInline: index < Limits.inlineGroupsMax)
        }
    }

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
