/// Members by the patterns they stand for, found by a topic's name.
///
/// One node a segment, shared by all patterns that begin alike; a node that no pattern needs any
/// more goes. The owner is the only one who holds it.
///
/// - Complexity: To add and to remove O(segments of the pattern + members of exactly it); to visit
///   O(beginnings of patterns that the name has), however many other patterns there are.
final class PatternTree<Member: AnyObject> {
    private final class Node {
        var children: [Substring: Node] = [:]
        /// Those whose pattern ends here.
        var members: [Member] = []

        var isEmpty: Bool { children.isEmpty && members.isEmpty }

        func child(_ segment: Substring) -> Node {
            if let child = children[segment] { return child }
            let child = Node()
            children[segment] = child
            return child
        }
    }

    private let root = Node()
    /// Nodes that visits have come to so far.
    private(set) var visitedNodes = 0

    /// Whether no pattern is left.
    var isEmpty: Bool { root.isEmpty }

    func add(_ member: Member, at pattern: TopicPattern) {
        var node = root
        for segment in pattern.text.segments { node = node.child(segment) }
        node.members.append(member)
    }

    func remove(_ member: Member, at pattern: TopicPattern) {
        Self.remove(member, pattern.text.segments[...], from: root)
    }

    private static func remove(
        _ member: Member, _ segments: ArraySlice<Substring>, from node: Node
    ) {
        guard let segment = segments.first else {
            return node.members.removeAll { $0 === member }
        }
        guard let child = node.children[segment] else { return }
        remove(member, segments.dropFirst(), from: child)
        if child.isEmpty { node.children[segment] = nil }
    }

    /// Visits the members at every pattern that matches `name`, once for each of their patterns.
    func visit(_ name: TopicName, _ body: (Member) -> Void) {
        guard !isEmpty, !name.isReserved else { return }
        visit(root, name.text.segments[...], body)
    }

    private func visit(
        _ node: Node, _ segments: ArraySlice<Substring>, _ body: (Member) -> Void
    ) {
        visitedNodes += 1
        guard let segment = segments.first else { return node.members.forEach(body) }
        let rest = segments.dropFirst()
        if let child = node.children[segment] { visit(child, rest, body) }
        if let child = node.children["*"] { visit(child, rest, body) }
        if let child = node.children[">"] { child.members.forEach(body) }
    }
}

extension String {
    /// The parts between the dots of a name or pattern. They are found by bytes: to look for
    /// characters costs several times as much.
    fileprivate var segments: [Substring] {
        utf8.split(separator: UInt8(ascii: ".")).map(Substring.init)
    }
}
