/// Requests of one thread that are taken further together: those to one group are then part of one
/// change, and cost one commit.
///
/// Belongs to its thread. Whoever adds to it calls ``go()`` soon.
package final class WorkRound {
    private var groups: [ObjectIdentifier: WorkGroup] = [:]

    package init() {}

    func add(_ group: WorkGroup) { groups[ObjectIdentifier(group)] = group }

    /// Takes further what was added since the last call.
    ///
    /// - Complexity: O(groups), beside what each of their changes takes.
    package func go() {
        let due = Array(groups.values)
        groups.removeAll(keepingCapacity: true)
        for group in due { group.drive() }
    }
}
