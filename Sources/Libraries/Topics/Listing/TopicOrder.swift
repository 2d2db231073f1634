/// Topics in the order in which something last happened to them, the latest first. The order of all
/// topics goes by their newest events.
///
/// - Complexity: All verbs O(1), visiting O(topics visited).
struct TopicOrder {
    private var nodes: [Node] = []
    private var free: [Int] = []
    private var front = Node.none
    private var back = Node.none

    /// The number of places, some of them empty: a topic keeps its own.
    var places: Int { nodes.count }

    /// The topic at a place, if there is one.
    subscript(place: Int) -> TopicRecord? { nodes[place].record }

    private struct Node {
        static let none = -1

        var record: TopicRecord?
        var previous: Int
        var next: Int
    }

    /// Adds a topic: in front if it is about to be the latest, else at the back. Topics that are
    /// added one by one at the back come latest first.
    mutating func insert(_ record: TopicRecord, inFront: Bool) -> Int {
        let node: Int
        if let reused = free.popLast() {
            node = reused
        } else {
            node = nodes.count
            nodes.append(Node(record: nil, previous: Node.none, next: Node.none))
        }
        nodes[node].record = record
        if inFront { linkInFront(node) } else { linkAtBack(node) }
        return node
    }

    mutating func remove(_ node: Int) {
        unlink(node)
        nodes[node].record = nil
        free.append(node)
    }

    /// The topic at `node` is about to be the latest.
    mutating func moveToFront(_ node: Int) {
        guard front != node else { return }
        unlink(node)
        linkInFront(node)
    }

    /// Visits the topics that have events after `id`, the newest first, as long as they are no more
    /// than `countMax`; false where there are more.
    func visit(newerThan id: EventID, atMost countMax: Int, _ body: (TopicRecord) -> Void) -> Bool {
        visit(atMost: countMax, while: { $0.newest > id }, body)
    }

    /// The same of those that lost something since the loss of this number.
    func visit(
        lostSince number: UInt64, atMost countMax: Int, _ body: (TopicRecord) -> Void
    ) -> Bool {
        visit(atMost: countMax, while: { $0.lossNumber > number }, body)
    }

    private func visit(
        atMost countMax: Int, while isWanted: (TopicRecord) -> Bool, _ body: (TopicRecord) -> Void
    ) -> Bool {
        var left = countMax
        var node = front
        while node != Node.none, let record = nodes[node].record, isWanted(record) {
            guard left > 0 else { return false }
            left -= 1
            body(record)
            node = nodes[node].next
        }
        return true
    }

    /// Visits as many topics, those first that were without a new event for longest.
    func visitQuiet(atMost countMax: Int, _ body: (TopicRecord) -> Void) {
        var node = back
        for _ in 0..<countMax {
            guard node != Node.none, let record = nodes[node].record else { return }
            body(record)
            node = nodes[node].previous
        }
    }

    private mutating func linkInFront(_ node: Int) {
        nodes[node].previous = Node.none
        nodes[node].next = front
        if front == Node.none { back = node } else { nodes[front].previous = node }
        front = node
    }

    private mutating func linkAtBack(_ node: Int) {
        nodes[node].next = Node.none
        nodes[node].previous = back
        if back == Node.none { front = node } else { nodes[back].next = node }
        back = node
    }

    private mutating func unlink(_ node: Int) {
        let (previous, next) = (nodes[node].previous, nodes[node].next)
        if previous == Node.none { front = next } else { nodes[previous].next = next }
        if next == Node.none { back = previous } else { nodes[next].previous = previous }
    }
}
