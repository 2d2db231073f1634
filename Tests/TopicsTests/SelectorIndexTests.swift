import TestSupport
import Testing

@testable import Topics

struct SelectorIndexTests {
    private static let segments = ["a", "b", "x", "y"]

    private static func selector(_ random: inout SeededRandom) throws -> Selector {
        let terms = (0..<Int.random(in: 1...3, using: &random)).map { _ in
            var term = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                (segments + ["*"]).randomElement(using: &random)!
            }
            if Int.random(in: 0..<4, using: &random) == 0 { term.append(">") }
            return term.joined(separator: ".")
        }
        return try Selector(terms.joined(separator: ","))
    }

    @Test func aNameFindsEachSelectorThatMatchesItOnceAndNoOther() throws {
        var random = SeededRandom(for: "selector index")
        let names =
            try Self.segments.flatMap { first in
                try [first, "\(first).a", "\(first).x", "\(first).a.y", "\(first).b.x.a"].map {
                    try TopicName($0)
                }
            } + [try TopicName("$a"), try TopicName("$a.x")]
        let index = SelectorIndex<Selector>()
        var model: Set<Selector> = []
        for _ in 0..<2_000 {
            let selector = try Self.selector(&random)
            if model.count > 40 || Int.random(in: 0..<3, using: &random) == 0 {
                let gone = model.randomElement(using: &random) ?? selector
                index[gone] = nil
                model.remove(gone)
            } else {
                index[selector] = selector
                model.insert(selector)
            }
            let name = names.randomElement(using: &random)!
            var found: [Selector] = []
            index.visit(name) { found.append($0) }
            #expect(found.count == Set(found).count)
            #expect(Set(found) == model.filter { $0.matches(name) })
            #expect(Set(index.values) == model && index.count == model.count)
        }
    }

    @Test func whatComesAndGoesLeavesNothingBehind() throws {
        var random = SeededRandom(for: "selector index that empties")
        let tree = PatternTree<Held>()
        let patterns = try (0..<200).map { number in
            try TopicPattern("a.*.p\(number % 50).\(Int.random(in: 0..<9, using: &random)).>")
        }
        let held = patterns.map { _ in Held() }
        for (member, pattern) in zip(held, patterns) { tree.add(member, at: pattern) }
        #expect(!tree.isEmpty)
        for (member, pattern) in zip(held, patterns).shuffled(using: &random) {
            tree.remove(member, at: pattern)
        }
        #expect(tree.isEmpty)
    }

    private final class Held {}

    @Test func aNameIsNotLookedUpInPatternsThatBeginOtherwise() throws {
        let index = SelectorIndex<Int>()
        for number in 0..<10_000 { index[try Selector("host\(number).*.log.>")] = number }
        var found: [Int] = []
        index.visit(try TopicName("host77.app.log.errors")) { found.append($0) }
        #expect(found == [77])
        #expect(index.visitedNodes <= 5)
        index.visit(try TopicName("elsewhere")) { found.append($0) }
        #expect(found == [77] && index.visitedNodes <= 6)
    }

    @Test func aValueIsChangedWhereItLies() throws {
        let index = SelectorIndex<[Int]>()
        for text in ["a", "a.*,b"] {
            let selector = try Selector(text)
            index.change(selector) { $0.append(0) }
            #expect(index[selector] == nil)
            index[selector] = [1]
            index.change(selector) { $0.append(2) }
            #expect(index[selector] == [1, 2])
            index[selector] = nil
            #expect(index[selector] == nil)
        }
        #expect(index.count == 0)
    }
}
