/// Requests of one thread that are taken further together: those to one group are then part of one
/// change, and cost one commit.
///
/// Belongs to its thread, which calls ``go()`` soon after it added a request.
package final class GroupBatch {
    private var groups: [ObjectIdentifier: WorkGroup] = [:]

    package init() {}

    func add(_ group: WorkGroup) { groups[ObjectIdentifier(group)] = group }

    /// Takes the requests further that were added since the last call.
    ///
    /// - Complexity: O(groups), beside that of each of their changes.
    package func go() {
        let due = Array(groups.values)
        groups.removeAll(keepingCapacity: true)
        for group in due { group.drive() }
    }
}
