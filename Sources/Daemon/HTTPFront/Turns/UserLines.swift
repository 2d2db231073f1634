internal import Queues

/// Tasks of one kind that wait for their moment in a turn, in a line for each user.
///
/// Users take turns, with one task each, so that a user with one connection does not stand behind
/// all connections of another. A user's own tasks are in the order in which they came. As long as
/// so few wait that a turn has room for all of them, there are no lines, and nothing is allocated.
///
/// Confined to its loop's thread.
final class UserLines<Element> {
    private let user: (Element) -> UInt32?
    /// Elements that have no place in a line yet.
    private let arrived = TurnQueue<Element>()
    private var lines = TurnLines<UInt32?, Element>()

    /// Lines of elements that belong to users. `user` returns the user of an element; nil is one
    /// user too.
    init(by user: @escaping (Element) -> UInt32?) {
        self.user = user
    }

    var isEmpty: Bool { lines.isEmpty && arrived.isEmpty }
    var count: Int { arrived.count + lines.count }

    func append(_ element: Element) { arrived.append(element) }

    /// Calls `body` with each element that waits at this moment, once, as long as there is room.
    /// Elements that are left or added meanwhile wait for the next call. Not to be called from
    /// inside itself.
    func run(while hasRoom: () -> Bool, _ body: (Element) -> Void) {
        if lines.isEmpty, arrived.count <= HTTPFrontLimits.arrivalsWithoutLinesMax {
            return arrived.run(while: hasRoom, body)
        }
        arrived.run { lines.add($0, to: user($0)) }
        while !lines.isEmpty, hasRoom(), let element = lines.take() { body(element) }
    }

    func removeAll() {
        arrived.removeAll()
        lines = TurnLines()
    }
}
