/// Topics in the order of their newest events, the newest first.
///
/// - Complexity: All verbs O(1), visiting O(topics visited).
struct TopicOrder {
    private var nodes: [Node] = []
    private var free: [Int] = []
    private var front = Node.none
    private var back = Node.none
    private(set) var count = 0

    private struct Node {
        static let none = -1

        var record: TopicRecord?
        var previous: Int
        var next: Int
    }

    /// Adds a topic: in front if it is about to have the newest event, else at the back. Topics
    /// that are added one by one at the back come with falling newest ids.
    mutating func insert(_ record: TopicRecord, inFront: Bool) -> Int {
        let node: Int
        if let reused = free.popLast() {
            node = reused
        } else {
            node = nodes.count
            nodes.append(Node(record: nil, previous: Node.none, next: Node.none))
        }
        nodes[node].record = record
        count += 1
        if inFront { linkInFront(node) } else { linkAtBack(node) }
        return node
    }

    mutating func remove(_ node: Int) {
        unlink(node)
        nodes[node].record = nil
        free.append(node)
        count -= 1
    }

    /// The topic at `node` is about to have the newest event.
    mutating func moveToFront(_ node: Int) {
        guard front != node else { return }
        unlink(node)
        linkInFront(node)
    }

    /// Visits the topics that have events after `id`, the newest first.
    ///
    /// - Complexity: O(topics visited).
    func visit(newerThan id: EventID, _ body: (TopicRecord) -> Void) {
        var node = front
        while node != Node.none, let record = nodes[node].record, record.newest > id {
            body(record)
            node = nodes[node].next
        }
    }

    /// Visits the same topics as long as they are no more than `countMax`; false where there are more.
    func visit(newerThan id: EventID, atMost countMax: Int, _ body: (TopicRecord) -> Void) -> Bool {
        var left = countMax
        var node = front
        while node != Node.none, let record = nodes[node].record, record.newest > id {
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

    /// Visits every topic.
    func visitAll(_ body: (TopicRecord) -> Void) {
        for node in nodes { if let record = node.record { body(record) } }
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
