import Queues
import TestSupport
import Testing

@testable import Topics

struct PatternTests {
    @Test func topicsThatAppearLaterBelongToAPattern() throws {
        let bench = try Bench()
        let position = try bench.read(try bench.start(.now, "a.*"), "a.*").next
        try bench.publish("b.x", "no")
        try bench.publish("a.x", "1")
        try bench.publish("a.y", "2")
        try bench.publish("a.x", "3")
        #expect(try bench.read(position, "a.*").texts == ["1", "2", "3"])
    }

    @Test func aTopicThatSeveralTermsMatchIsReadOnce() throws {
        let bench = try Bench()
        try bench.publish("a.x", "1", "2")
        #expect(try bench.read(from: .earliest, "a.x,a.*,>").texts == ["1", "2"])
    }

    @Test func aReaderWhoKeepsUpLooksOnlyAtTopicsWithSomethingNew() throws {
        let bench = try Bench()
        for index in 0..<2_000 { try bench.publish("a.t\(index)", "x") }
        let selector = try Selector("a.*")
        let position = try bench.read(try bench.start(.now, "a.*"), "a.*").next
        try bench.publish("a.t7", "new")
        let now = bench.clock.now()
        let read = SelectorRead(from: position, selector, .all, .standard, now: now)
        var steps = 10
        let turn = bench.bus.withLog { read.turn(&$0, now: now, &steps) }
        guard case .done(let found) = turn else {
            Issue.record("it looked at more than ten topics")
            return
        }
        #expect(found.texts == ["new"])
    }

    @Test func patternsThatAreReadLeaveNothingBehind() throws {
        let bench = try Bench()
        let patterns = (0..<600).map { "p\($0).*" }
        for pattern in patterns {
            try bench.publish(pattern.dropLast() + "x", "1")
            #expect(try bench.read(from: .earliest, pattern).texts == ["1"])
        }
        let bytes = bench.memory.used(.topics)
        for pattern in patterns {
            #expect(try bench.read(from: .earliest, pattern).texts == ["1"])
        }
        #expect(bench.memory.used(.topics) == bytes)
    }

    @Test func whatAFilterSkipsIsLookedAtInTurnsAndNothingIsMissed() throws {
        let bench = try Bench()
        let first = try bench.publish("a", "1", type: "red")
        for _ in 0..<12 { try bench.publish("a", (0..<1_000).map { _ in .empty }, type: "blue") }
        try bench.publish("a", "2", type: "red")
        let read = try bench.read(after: first[0].before, "a", type: "red")
        #expect(read.texts == ["1", "2"])
        #expect(read.next.after == bench.bus.newest)
        #expect(try bench.read(after: first[0], "a", type: "green").isCaughtUp)
    }

    @Test func aHeapGivesTheSmallestFirst() {
        var random = SeededRandom(for: "heap")
        var heap = Heap<Int>()
        var sorted: [Int] = []
        for _ in 0..<2_000 {
            if Bool.random(using: &random) || sorted.isEmpty {
                let number = Int.random(in: 0..<100, using: &random)
                heap.insert(number)
                sorted.append(number)
                sorted.sort()
            } else {
                #expect(heap.removeFirst() == sorted.removeFirst())
            }
            #expect(heap.first == sorted.first)
        }
    }

    @Test func aHeapOfPlacesIsInOrderWhateverChanges() {
        var random = SeededRandom(for: "places")
        var heap = IndexedHeap<Int>()
        var keys: [Int: Int] = [:]
        for _ in 0..<2_000 {
            let place = Int.random(in: 0..<50, using: &random)
            let key =
                Int.random(in: 0..<4, using: &random) == 0
                ? nil : Int.random(in: 0..<100, using: &random)
            heap[place] = key
            keys[place] = key
            #expect(heap[place] == key && heap.count == keys.count)
            #expect(heap.rising.map(\.key) == keys.values.sorted())
            #expect(heap.first.map { keys[$0.place] == $0.key } ?? keys.isEmpty)
        }
        #expect(heap.rising.allSatisfy { keys[$0.place] == $0.key })
    }

    @Test func aRingKeepsItsOrderWhileItGrowsAndShrinks() {
        var random = SeededRandom(for: "ring")
        var ring = Ring<Int>()
        var plain: [Int] = []
        for number in 0..<5_000 {
            if (number / 500).isMultiple(of: 2)
                ? Int.random(in: 0..<4, using: &random) > 0
                : Int.random(in: 0..<4, using: &random) == 0
            {
                ring.append(number)
                plain.append(number)
            } else if !plain.isEmpty {
                #expect(ring.removeFirst() == plain.removeFirst())
            }
            let limit = Int.random(in: 0...number, using: &random)
            #expect(ring.count == plain.count)
            #expect(
                ring.partition(0..<ring.count) { $0 > limit }
                    == plain.firstIndex { $0 > limit } ?? plain.count)
        }
    }
}
