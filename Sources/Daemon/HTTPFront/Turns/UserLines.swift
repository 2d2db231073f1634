/// Tasks of one kind that wait for their moment in a turn, in a line for each user.
///
/// Users take turns, with one task each, so that a user with one connection does not stand behind
/// all connections of another. A user's own tasks are in the order in which they came. As long as
/// so few wait that a turn has room for all of them, there are no lines, and nothing is allocated.
///
/// Confined to its loop's thread.
final class UserLines<Element> {
    private final class Line {
        let user: UInt32?
        private var waiting: [Element] = []
        private var first = 0

        init(of user: UInt32?) {
            self.user = user
        }

        var isEmpty: Bool { count == 0 }
        var count: Int { waiting.count - first }

        func append(_ element: Element) { waiting.append(element) }

        func removeFirst() -> Element {
            defer {
                first += 1
                // Elements that have left are let go of once they are half of the line: O(1) for
                // each.
                if 2 * first >= waiting.count {
                    waiting.removeFirst(first)
                    first = 0
                }
            }
            return waiting[first]
        }
    }

    private let user: (Element) -> UInt32?
    /// Elements that have no place in a line yet.
    private let arrived = TurnQueue<Element>()
    private var lines: [UInt32?: Line] = [:]
    /// The same lines, none of them empty, as they have their turns.
    private var order: [Line] = []
    private var next = 0

    /// Lines of elements that belong to users. `user` returns the user of an element; nil is one
    /// user too.
    init(by user: @escaping (Element) -> UInt32?) {
        self.user = user
    }

    var isEmpty: Bool { order.isEmpty && arrived.isEmpty }
    var count: Int { order.reduce(arrived.count) { $0 + $1.count } }

    func append(_ element: Element) { arrived.append(element) }

    /// Calls `body` with each element that waits at this moment, once, as long as there is room.
    /// Elements that are left or added meanwhile wait for the next call. Not to be called from
    /// inside itself.
    func run(while hasRoom: () -> Bool, _ body: (Element) -> Void) {
        if order.isEmpty, arrived.count <= HTTPFrontLimits.arrivalsWithoutLinesMax {
            return arrived.run(while: hasRoom, body)
        }
        arrived.run { line(of: user($0)).append($0) }
        while !order.isEmpty, hasRoom() { body(takeNext()) }
    }

    func removeAll() {
        arrived.removeAll()
        lines = [:]
        order = []
        next = 0
    }

    private func line(of user: UInt32?) -> Line {
        if let line = lines[user] { return line }
        let line = Line(of: user)
        lines[user] = line
        order.append(line)
        return line
    }

    private func takeNext() -> Element {
        if next >= order.count { next = 0 }
        let line = order[next]
        let element = line.removeFirst()
        if line.isEmpty {
            lines[line.user] = nil
            order.remove(at: next)
        } else {
            next += 1
        }
        return element
    }
}
