/// What waits for its turn, in lines that take turns: a line for each user, where work is shared by
/// users.
///
/// Whatever one line has waiting, another one's first is taken after at most one of each line. What a
/// line has is taken in the order in which it came.
///
/// A plain value: it waits for nothing, and whoever has it has the lock around it.
package struct TurnLines<Line: Hashable, Element> {
    private var lines: [Line: Ring<Element>] = [:]
    /// The same lines, none of them empty, as their turns come.
    private var order = Ring<Line>()
    private let lineMax: Int

    /// No lines yet.
    ///
    /// - Parameter lineMax: How many a line takes behind one another.
    package init(lineMax: Int = .max) {
        self.lineMax = lineMax
    }

    /// Whether nothing waits.
    package var isEmpty: Bool { order.isEmpty }

    /// How many lines have something.
    package var lineCount: Int { lines.count }

    /// Adds something behind what its line has; false where that is as much as it takes.
    ///
    /// - Complexity: O(1).
    @discardableResult
    package mutating func add(_ element: Element, to line: Line) -> Bool {
        guard lines[line]?.count ?? 0 < lineMax else { return false }
        open(line)
        lines[line, default: Ring()].append(element)
        return true
    }

    /// Puts back what was taken, behind what its line has by now, however much that is.
    ///
    /// - Complexity: O(1).
    package mutating func putBack(_ element: Element, to line: Line) {
        open(line)
        lines[line, default: Ring()].append(element)
    }

    /// Puts back what was taken, as the next of its line.
    ///
    /// - Complexity: O(1).
    package mutating func putFirst(_ element: Element, of line: Line) {
        open(line)
        lines[line, default: Ring()].prepend(element)
    }

    private mutating func open(_ line: Line) {
        if lines[line] == nil { order.append(line) }
    }

    /// Takes the first of the line whose turn it is; nil where nothing waits.
    ///
    /// - Parameter mayGo: Lines for which it is false keep what they have.
    /// - Complexity: O(lines that keep theirs).
    package mutating func take(where mayGo: (Line) -> Bool = { _ in true }) -> Element? {
        for _ in 0..<order.count {
            let line = order.removeFirst()
            guard mayGo(line) else {
                order.append(line)
                continue
            }
            let element = lines[line]?.removeFirst()
            if lines[line]?.isEmpty == true { lines[line] = nil } else { order.append(line) }
            return element
        }
        return nil
    }

    /// Takes all that waits.
    package mutating func takeAll() -> [Element] {
        var all: [Element] = []
        while let element = take() { all.append(element) }
        return all
    }
}
