/// Deadlines of numbered things, one for each, in a hashed wheel.
///
/// Arming and cancelling link and unlink one node, however many others are armed. Asked when the
/// next deadline is due, the wheel answers exactly or too early, never too late, so that its owner
/// can sleep until then.
///
/// Does not promise an order among deadlines of one `advance`. Deadlines that are further away
/// than one turn of the wheel are passed over once a turn.
///
/// - Complexity: arm and cancel O(1); `advance` O(buckets passed + deadlines looked at).
struct TimerWheel {
    private struct Node {
        var next: Int32 = .none
        var previous: Int32 = .none
        var bucket: Int32 = .none
        var due: UInt64 = 0
    }

    private var heads: [Int32]
    private var nodes: [Node] = []
    private var armedCount = 0
    private var turnedTo: UInt64
    private var earliest = UInt64.max
    /// The deadlines that the last `advance` returned, for `giveBack`. The array is kept for its
    /// memory.
    private var expired: [Int] = []

    /// A wheel that stands at `now`, in milliseconds of any monotonic clock.
    init(now: UInt64) {
        heads = Array(repeating: .none, count: Self.bucketCount)
        turnedTo = now
    }

    /// The earliest moment at which `advance` may return a deadline, or nil when nothing is armed.
    var nextDue: UInt64? { armedCount == 0 ? nil : earliest }

    /// Whether `id` has a deadline.
    func isArmed(_ id: Int) -> Bool { id < nodes.count && nodes[id].bucket != .none }

    /// Sets the deadline of `id`, in place of the one it may have.
    mutating func arm(_ id: Int, due: UInt64) {
        if id >= nodes.count {
            nodes.append(contentsOf: repeatElement(Node(), count: id + 1 - nodes.count))
        }
        if nodes[id].bucket != .none { unlink(id) }
        let bucket = Self.bucket(of: max(due, turnedTo))
        let head = heads[bucket]
        nodes[id] = Node(next: head, bucket: Int32(bucket), due: due)
        if head != .none { nodes[Int(head)].previous = Int32(id) }
        heads[bucket] = Int32(id)
        armedCount += 1
        earliest = min(earliest, due)
    }

    /// Forgets the deadline of `id`, if it has one.
    mutating func cancel(_ id: Int) {
        guard id < nodes.count else { return }
        // It may have been told, and be given back.
        nodes[id].due = .max
        if nodes[id].bucket != .none { unlink(id) }
    }

    /// Takes back the deadlines that the last `advance` returned, from a place in it on. They are
    /// due as before, first of all and in the same order. A deadline that was cancelled or set anew
    /// by now is left out.
    mutating func giveBack(from place: Int) {
        for id in expired[place...].reversed()
        where nodes[id].bucket == .none && nodes[id].due < .max {
            arm(id, due: nodes[id].due)
        }
    }

    /// Whether something may be due at `now`. If nothing is, the wheel moves on to that moment.
    mutating func mayBeDue(at now: UInt64) -> Bool {
        if armedCount > 0, now >= earliest { return true }
        turnedTo = max(turnedTo, now)
        return false
    }

    /// Disarms and returns the deadlines that are due at `now`, at most `countMax`; the rest stays
    /// due.
    mutating func advance(to now: UInt64, atMost countMax: Int) -> [Int] {
        if !expired.isEmpty { expired.removeAll(keepingCapacity: true) }
        guard mayBeDue(at: now) else { return [] }
        let steps = Swift.min(
            (now >> Self.tickShift) &- (turnedTo >> Self.tickShift) + 1, UInt64(Self.bucketCount))
        let first = turnedTo >> Self.tickShift
        for step in 0..<steps {
            expire(Int((first + step) & UInt64(Self.bucketCount - 1)), now: now, countMax)
            guard expired.count < countMax else {
                turnedTo = max(turnedTo, (first + step) << Self.tickShift)
                earliest = findEarliest()
                return expired
            }
        }
        turnedTo = max(turnedTo, now)
        earliest = findEarliest()
        return expired
    }

    private mutating func expire(_ bucket: Int, now: UInt64, _ countMax: Int) {
        var id = heads[bucket]
        while id != .none, expired.count < countMax {
            let node = nodes[Int(id)]
            if node.due <= now {
                unlink(Int(id))
                expired.append(Int(id))
            }
            id = node.next
        }
    }

    /// The first deadline of this turn of the wheel, else the first of all.
    private func findEarliest() -> UInt64 {
        guard armedCount > 0 else { return .max }
        let first = turnedTo >> Self.tickShift
        var later = UInt64.max
        for step in 0..<UInt64(Self.bucketCount) {
            var id = heads[Int((first + step) & UInt64(Self.bucketCount - 1))]
            var inTurn = UInt64.max
            while id != .none {
                let node = nodes[Int(id)]
                if node.due >> Self.tickShift <= first + step {
                    inTurn = min(inTurn, node.due)
                } else {
                    later = min(later, node.due)
                }
                id = node.next
            }
            if inTurn != .max { return inTurn }
        }
        return later
    }

    private mutating func unlink(_ id: Int) {
        let node = nodes[id]
        if node.previous == .none {
            heads[Int(node.bucket)] = node.next
        } else {
            nodes[Int(node.previous)].next = node.next
        }
        if node.next != .none { nodes[Int(node.next)].previous = node.previous }
        nodes[id].bucket = .none
        armedCount -= 1
        if armedCount == 0 { earliest = .max }
    }

    private static func bucket(of due: UInt64) -> Int {
        Int((due >> tickShift) & UInt64(bucketCount - 1))
    }

    /// 8 ms a bucket: finer than any deadline of HTTP needs, and far fewer buckets than 1 ms takes.
    private static let tickShift: UInt64 = 3
    /// 8,192 ms a turn: most deadlines are that near or cancelled, and the table is 4 KiB.
    private static let bucketCount = 1024
}

extension Int32 {
    /// No link.
    fileprivate static let none: Int32 = -1
}
