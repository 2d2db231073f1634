/// A queue in one circular buffer: append at the end, remove at the front, or put back there, and index
/// anywhere.
///
/// - Complexity: all O(1), amortised where it grows or shrinks.
public struct Ring<Element> {
    @usableFromInline var slots: [Element?] = []
    @usableFromInline var head = 0
    @usableFromInline var elementCount = 0

    /// Below this a buffer is not worth shrinking.
    @usableFromInline static var slotsMin: Int { 16 }

    /// A ring without elements.
    @inlinable
    public init() {}

    /// How many elements there are.
    @inlinable
    public var count: Int { elementCount }
    /// Whether there is no element.
    @inlinable
    public var isEmpty: Bool { count == 0 }
    /// The first element, if there is one.
    @inlinable
    public var first: Element? { isEmpty ? nil : slots[head] }
    /// The last element, if there is one.
    @inlinable
    public var last: Element? { isEmpty ? nil : self[count - 1] }

    /// The element at `index`, which counts from the first one and has to be below ``count``.
    @inlinable
    public subscript(index: Int) -> Element {
        get {
            assert(index >= 0 && index < count, "index \(index) of a ring of \(count)")
            return slots[(head + index) & (slots.count - 1)].unsafelyUnwrapped
        }
        set {
            assert(index >= 0 && index < count, "index \(index) of a ring of \(count)")
            slots[(head + index) & (slots.count - 1)] = newValue
        }
    }

    /// Adds an element behind the others.
    @inlinable
    public mutating func append(_ element: Element) {
        if count == slots.count { move(to: max(2, slots.count * 2)) }
        slots[(head + count) & (slots.count - 1)] = element
        elementCount += 1
    }

    /// Puts an element in front of the others.
    @inlinable
    public mutating func prepend(_ element: Element) {
        if count == slots.count { move(to: max(2, slots.count * 2)) }
        head = (head - 1) & (slots.count - 1)
        slots[head] = element
        elementCount += 1
    }

    /// Puts another element in the place of the first, of which there has to be one.
    @inlinable
    public mutating func replaceFirst(with element: Element) {
        precondition(count > 0, "an empty ring has no first element")
        slots[head] = element
    }

    /// Takes the first element, of which there has to be one.
    @inlinable
    public mutating func removeFirst() -> Element {
        precondition(count > 0, "an empty ring has no first element")
        let element = slots[head].unsafelyUnwrapped
        slots[head] = nil
        head = (head + 1) & (slots.count - 1)
        elementCount -= 1
        if slots.count > Self.slotsMin, count < slots.count / 4 { move(to: slots.count / 2) }
        return element
    }

    @inlinable
    mutating func move(to capacity: Int) {
        var moved: [Element?] = []
        moved.reserveCapacity(capacity)
        for index in 0..<count { moved.append(self[index]) }
        for _ in count..<capacity { moved.append(nil) }
        slots = moved
        head = 0
    }
}

extension Ring {
    /// The first index in `range` whose element is `beyond`, or its end; every element after one
    /// that is beyond is so too.
    ///
    /// Looks from the end in growing steps, since readers are usually close to it.
    ///
    /// - Complexity: O(log of the distance from the end).
    @inlinable
    public func partition(_ range: Range<Int>, beyond: (Element) -> Bool) -> Int {
        var low = range.lowerBound
        var high = range.upperBound
        var step = 1
        while low < high {
            let probe = max(low, high - step)
            if beyond(self[probe]) {
                high = probe
                step *= 2
            } else {
                low = probe + 1
                break
            }
        }
        while low < high {
            let middle = low + (high - low) / 2
            if beyond(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
