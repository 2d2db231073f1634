/// The topics one pattern matches, those with the newest events first, and what they lost.
///
/// A cache: reading a pattern then costs what happened since its cursor, however many topics sleep.
/// Losses only ever rise, so their maximum outlives the topics it came from.
final class PatternIndex {
    let pattern: TopicPattern
    var lastRead: Timestamp
    private(set) var losses: Losses
    private(set) var count = 0

    private var nodes: [Node] = []
    private var free: [Int] = []
    private var front = Node.none
    private var back = Node.none

    private struct Node {
        static let none = -1

        var record: TopicRecord?
        var previous: Int
        var next: Int
    }

    init(pattern: TopicPattern, losses: Losses, now: Timestamp) {
        self.pattern = pattern
        self.losses = losses
        lastRead = now
    }

    /// Adds a topic: in front if it is about to have the newest event, else at the back. Topics
    /// that are added one by one at the back come with falling newest ids.
    func insert(_ record: TopicRecord, inFront: Bool) -> Int {
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
        losses.rise(to: record)
        return node
    }

    func remove(_ node: Int) {
        unlink(node)
        nodes[node].record = nil
        free.append(node)
        count -= 1
    }

    func moveToFront(_ node: Int) {
        guard front != node else { return }
        unlink(node)
        linkInFront(node)
    }

    func noteLosses(of record: TopicRecord) {
        losses.rise(to: record)
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

    /// Visits every topic.
    func visitAll(_ body: (TopicRecord) -> Void) {
        for node in nodes { if let record = node.record { body(record) } }
    }

    private func linkInFront(_ node: Int) {
        nodes[node].previous = Node.none
        nodes[node].next = front
        if front == Node.none { back = node } else { nodes[front].previous = node }
        front = node
    }

    private func linkAtBack(_ node: Int) {
        nodes[node].next = Node.none
        nodes[node].previous = back
        if back == Node.none { front = node } else { nodes[back].next = node }
        back = node
    }

    private func unlink(_ node: Int) {
        let (previous, next) = (nodes[node].previous, nodes[node].next)
        if previous == Node.none { front = next } else { nodes[previous].next = next }
        if next == Node.none { back = previous } else { nodes[next].previous = previous }
    }
}

/// Where one pattern index has one topic.
struct PatternPlace {
    let index: Int
    let node: Int
}

/// The highest ids that were removed from some topics.
struct Losses {
    /// Removed from retention.
    var lost = EventID.zero
    /// The time of that event.
    var lostTime = Timestamp.distantPast
    /// Not even there for those who wait.
    var hardLost = EventID.zero

    /// What counts for a reader who waits, or states its cursor.
    func highest(isWaiting: Bool) -> EventID { isWaiting ? hardLost : lost }

    mutating func rise(to record: TopicRecord) {
        rise(to: Losses(lost: record.lost, lostTime: record.lostTime, hardLost: record.hardLost))
    }

    mutating func rise(to other: Losses) {
        lost = max(lost, other.lost)
        lostTime = max(lostTime, other.lostTime)
        hardLost = max(hardLost, other.hardLost)
    }
}
