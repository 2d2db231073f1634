internal import Protection

/// From which id on each work group still needs the events of topics that are held for it.
///
/// What is not known here is not held. Safe from any thread.
package final class HeldGroups: Sendable {
    private let firsts = Protected<[GroupNumber: EventID]>([:])

    /// No group.
    package init() {}

    /// The first id that a group needs; nil where nothing is held for it.
    package subscript(group: GroupNumber) -> EventID? {
        get { firsts.read { $0[group] } }
        set { firsts.write { $0[group] = newValue } }
    }
}
