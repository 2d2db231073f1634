/// Values in the order they came.
///
/// Never releases a value by itself: what is taken out, is given out.
///
/// - Complexity: O(1) to add and to take the first one, amortised.
struct ValueQueue<Element> {
    /// Nil where one was taken, before `head`.
    private var slots: [Element?] = []
    private var head = 0

    var count: Int { slots.count - head }

    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element) {
        slots.append(element)
    }

    mutating func popFirst() -> Element? {
        guard head < slots.count else { return nil }
        let element = slots[head].take()
        head += 1
        if head == slots.count {
            slots.removeAll(keepingCapacity: slots.capacity <= BroadcastingLimits.keptSlotsMax)
            head = 0
        } else if head >= BroadcastingLimits.keptSlotsMax, head >= count {
            slots.removeFirst(head)
            head = 0
        }
        return element
    }

    /// All of them at once, in O(1).
    mutating func take() -> ValueQueue {
        defer { self = ValueQueue() }
        return self
    }
}

extension ValueQueue: Sequence, IteratorProtocol {
    mutating func next() -> Element? { popFirst() }
}

extension ValueQueue: Sendable where Element: Sendable {}
