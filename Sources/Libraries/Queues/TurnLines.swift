/// Elements that wait in lines, and lines that take turns: a line for each user, where several
/// users share a thread or a store.
///
/// However much one line has waiting, the first element of another one is taken after at most one
/// of each line. A line's elements are taken in the order in which they came. A line may have a
/// bound for waiting elements, and one for elements that were taken and are still under way. An
/// element is over once nobody wants it any more. Such elements do not pile up.
///
/// A plain value: it waits for nothing. Where threads share it, its owner has a lock around it.
public struct TurnLines<Line: Hashable, Element> {
    @usableFromInline struct Waiting {
        @usableFromInline var elements = Ring<Element>()
        /// The cost that was taken in the line's turn. Once that reaches a turn's cost, others go
        /// first, one turn for each such cost.
        @usableFromInline var spent = 0
        /// The number of elements at which the line looks which of them are over.
        @usableFromInline var lookAt = QueueLimits.lineLookMin

        @inlinable
        init() {}

        /// Forgets elements that are over, once there may be as many of them as of the rest.
        @inlinable
        mutating func forget(_ isOver: (Element) -> Bool) {
            guard elements.count >= lookAt else { return }
            for _ in 0..<elements.count {
                let element = elements.removeFirst()
                if !isOver(element) { elements.append(element) }
            }
            lookAt = max(QueueLimits.lineLookMin, 2 * elements.count)
        }
    }

    @usableFromInline var lines: [Line: Waiting] = [:]
    /// The same lines, none of them empty, as their turns come.
    @usableFromInline var order = Ring<Line>()
    /// How many of each line are under way, where that has a bound.
    @usableFromInline var underWay: [Line: Int] = [:]
    @usableFromInline let bounds: (@Sendable (Line) -> LineBounds)?
    @usableFromInline let isOver: (@Sendable (Element) -> Bool)?

    /// No lines yet.
    ///
    /// - Parameters:
    ///   - bounds: The bounds of a line, always the same; nil for none.
    ///   - isOver: Whether nobody wants an element any more, so that it may be forgotten. Nil where
    ///     elements are never over.
    @inlinable
    public init(
        bounds: (@Sendable (Line) -> LineBounds)? = nil,
        isOver: (@Sendable (Element) -> Bool)? = nil
    ) {
        self.bounds = bounds
        self.isOver = isOver
    }

    /// Whether nothing waits.
    @inlinable
    public var isEmpty: Bool { order.isEmpty }

    /// How many lines have something.
    @inlinable
    public var lineCount: Int { lines.count }

    /// How many elements wait.
    ///
    /// - Complexity: O(lines).
    @inlinable
    public var count: Int { lines.values.reduce(0) { $0 + $1.elements.count } }

    /// How many a line has waiting.
    @inlinable
    public func count(of line: Line) -> Int { lines[line]?.elements.count ?? 0 }

    /// Adds an element behind the others of its line; false where the line is at its bound.
    ///
    /// - Complexity: O(1), amortised.
    @inlinable @discardableResult
    public mutating func add(_ element: Element, to line: Line) -> Bool {
        let count = count(of: line)
        guard count == 0 || count < bounds?(line).waiting ?? .max else { return false }
        putBack(element, to: line)
        return true
    }

    /// Puts an element that was taken behind the others of its line, even beyond the line's bound.
    ///
    /// - Complexity: O(1), amortised.
    @inlinable
    public mutating func putBack(_ element: Element, to line: Line) {
        let isOver = isOver
        change(line) { waiting in
            if let isOver { waiting.forget(isOver) }
            waiting.elements.append(element)
        }
    }

    /// Puts back an element that was taken, as the next of its line.
    ///
    /// - Complexity: O(1).
    @inlinable
    public mutating func putFirst(_ element: Element, of line: Line) {
        change(line) { $0.elements.prepend(element) }
    }

    @inlinable
    mutating func change(_ line: Line, _ body: (inout Waiting) -> Void) {
        var waiting = lines.removeValue(forKey: line) ?? Waiting()
        if waiting.elements.isEmpty { order.append(line) }
        body(&waiting)
        lines[line] = waiting
    }

    /// Takes the first element of the line whose turn it is. Nil where nothing waits, or each line
    /// that has something is at its bound of elements under way.
    ///
    /// - Complexity: O(lines that are at that bound).
    @inlinable
    public mutating func take() -> Element? {
        for _ in 0..<order.count {
            let line = order.removeFirst()
            let underWayMax = bounds?(line).underWay
            if let underWayMax, underWay[line] ?? 0 >= underWayMax {
                order.append(line)
                continue
            }
            guard var waiting = lines.removeValue(forKey: line) else { continue }
            let element = waiting.elements.removeFirst()
            if !waiting.elements.isEmpty {
                lines[line] = waiting
                order.append(line)
            }
            if underWayMax != nil { underWay[line, default: 0] += 1 }
            return element
        }
        return nil
    }

    /// Takes elements that together cost at most `costMax`, in turns that cost `turn` each; at
    /// least one element, where any waits.
    ///
    /// A line whose element costs more than a turn leaves out that many turns afterwards, in this
    /// call and later ones. An element that costs more than is left waits at its place, and other
    /// lines' elements that fit are taken. For lines without a bound of elements under way.
    ///
    /// - Parameter body: Is given the taken elements, one after the other.
    /// - Complexity: O(lines + elements + lines · cost of one element / `turn`).
    @inlinable
    public mutating func take(
        atMost countMax: Int, costing costMax: Int, turn: Int, _ cost: (Element) -> Int,
        _ body: (Element) -> Void
    ) {
        var taken = 0
        var left = costMax
        var passedOver: [Line] = []
        // Once nothing more fits, no turns are left out: those of others are yet to come.
        while taken < countMax, taken == 0 || left > 0, let line = order.first,
            var waiting = lines.removeValue(forKey: line), let next = waiting.elements.first
        {
            _ = order.removeFirst()
            let cost = cost(next)
            if waiting.spent >= turn {
                waiting.spent -= turn
                order.append(line)
            } else if taken > 0, cost > left {
                passedOver.append(line)
            } else {
                _ = waiting.elements.removeFirst()
                body(next)
                taken += 1
                left -= cost
                waiting.spent += cost
                if waiting.elements.isEmpty { continue }
                order.prepend(line)
            }
            lines[line] = waiting
        }
        for line in passedOver.reversed() { order.prepend(line) }
    }

    /// Notes that an element that was taken of this line is not under way any more.
    @inlinable
    public mutating func end(_ line: Line) {
        guard let count = underWay[line] else { return }
        underWay[line] = count > 1 ? count - 1 : nil
    }

    /// Takes all that waits.
    @inlinable
    public mutating func takeAll() -> [Element] {
        var all: [Element] = []
        while let element = take() { all.append(element) }
        return all
    }
}

/// The bounds of one line of ``TurnLines``.
public struct LineBounds: Sendable {
    /// How many wait behind one another.
    public var waiting: Int
    /// How many are under way: taken, and not said to be over. Those of a line without a bound are not
    /// counted.
    public var underWay: Int?

    /// Bounds as given, by default none.
    @inlinable
    public init(waiting: Int = .max, underWay: Int? = nil) {
        self.waiting = waiting
        self.underWay = underWay
    }
}
