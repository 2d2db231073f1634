internal import Protection

/// The first id that each work group still needs of the topics that are held for it.
///
/// A group that is not known here holds nothing. Safe from any thread.
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
