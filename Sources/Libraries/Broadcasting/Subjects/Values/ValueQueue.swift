/// Values in the order they came.
///
/// Never releases a value by itself: a value that is taken out is given to the caller.
///
/// - Complexity: O(1) to add and to take the first one, amortised.
@usableFromInline
struct ValueQueue<Element> {
    @inlinable
    init() {}

    /// Nil where one was taken, before `head`.
    @usableFromInline var slots: [Element?] = []
    @usableFromInline var head = 0

    @inlinable
    var count: Int { slots.count - head }

    @inlinable
    var isEmpty: Bool { count == 0 }

    @inlinable
    mutating func append(_ element: Element) {
        slots.append(element)
    }

    @inlinable
    mutating func popFirst() -> Element? {
        guard head < slots.count else { return nil }
        // The one value of a queue that hardly ever has two.
        if slots.count == 1, slots.capacity <= SubjectLimits.keptSlotsMax {
            return slots.removeLast()
        }
        let element = slots[head].take()
        head += 1
        if head == slots.count {
            slots.removeAll(keepingCapacity: slots.capacity <= SubjectLimits.keptSlotsMax)
            head = 0
        } else if head >= SubjectLimits.keptSlotsMax, head >= count {
            slots.removeFirst(head)
            head = 0
        }
        return element
    }

    /// All of them at once, in O(1).
    @inlinable
    mutating func take() -> ValueQueue {
        defer { self = ValueQueue() }
        return self
    }
}

extension ValueQueue: Sequence, IteratorProtocol {
    @inlinable
    mutating func next() -> Element? { popFirst() }
}

extension ValueQueue: Sendable where Element: Sendable {}
