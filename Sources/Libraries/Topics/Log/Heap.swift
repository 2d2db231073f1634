/// A queue whose first element is always the smallest.
///
/// - Complexity: O(log count) to change, O(1) to look.
package struct Heap<Element: Comparable> {
    private var elements: [Element] = []

    package init() {}

    package init(_ elements: [Element]) {
        self.elements = elements
        for index in stride(from: elements.count / 2 - 1, through: 0, by: -1) { sink(index) }
    }

    package var first: Element? { elements.first }
    package var count: Int { elements.count }

    package mutating func insert(_ element: Element) {
        elements.append(element)
        var index = elements.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard elements[index] < elements[parent] else { return }
            elements.swapAt(index, parent)
            index = parent
        }
    }

    package mutating func removeFirst() -> Element {
        elements.swapAt(0, elements.count - 1)
        let removed = elements.removeLast()
        sink(0)
        return removed
    }

    /// Lets go of the elements that are not to be kept.
    ///
    /// - Complexity: O(count).
    package mutating func keep(where isKept: (Element) -> Bool) {
        self = Heap(elements.filter(isKept))
    }

    package mutating func replaceFirst(with element: Element) {
        elements[0] = element
        sink(0)
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while true {
            var smallest = index
            for child in (2 * index + 1)..<(2 * index + 3) where child < elements.count {
                if elements[child] < elements[smallest] { smallest = child }
            }
            guard smallest != index else { return }
            elements.swapAt(index, smallest)
            index = smallest
        }
    }
}

extension Heap: Sendable where Element: Sendable {}
