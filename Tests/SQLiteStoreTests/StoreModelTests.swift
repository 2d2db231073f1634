import Protection
import TestSupport
import Testing
import Topics

@testable import SQLiteStore

/// Does the same random things to a store under a bus and to lists in memory, with restarts and
/// kills in between, and compares what readers are told.
@Suite(.blocking) struct StoreModelTests {
    /// What there should be of one topic.
    private struct Topic {
        var events: [(id: EventID, text: String)] = []
        var keep: Int?
        var lost = EventID.zero

        mutating func publish(_ ids: [EventID], _ texts: [String]) {
            events += zip(ids, texts).map { (id: $0, text: $1) }
            trim()
        }

        mutating func trim() {
            while events.count > keep ?? .max { lost = events.removeFirst().id }
        }

        mutating func remove() {
            lost = events.last?.id ?? lost
            events = []
            keep = nil
        }
    }

    private struct Run {
        var random: SeededRandom
        var bench: StoreBench
        var topics: [String: Topic] = [:]
        var ids: [EventID] = []
        let names = ["a", "b", "a.x", "a.y", "b.x"]

        mutating func pick<Value>(_ values: [Value]) -> Value {
            values[Int.random(in: 0..<values.count, using: &random)]
        }

        mutating func step(_ number: Int) throws {
            let name = pick(names)
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<11:
                let texts = (0..<pick([1, 1, 1, 2, 5, 40])).map { "\(number).\($0)" }
                let published = try bench.publish(name, texts.map { Payload(Array($0.utf8)) })
                ids += published
                topics[name, default: Topic()].publish(published, texts)
            case 11:
                let keep = pick([nil, 0, 3, 30])
                try bench.register(name, keep: keep)
                topics[name, default: Topic()].keep = keep
                topics[name]?.trim()
            case 12 where topics[name]?.events.isEmpty == false:
                try bench.remove(name)
                topics[name]?.remove()
            case 13: bench = try bench.reopened()
            case 14: bench = try bench.killed()
            case 15..<18: try compareReader()
            default: try compareTopics()
            }
        }

        /// Waits for removals on the disk, which come a moment later.
        mutating func settle() throws {
            for (name, topic) in topics {
                let settles = try bench.settles(name) { ($0?.events ?? 0) == topic.events.count }
                let found = try bench.description(name)
                try #require(settles, "\(name): \(topic.events.count), not \(found?.events ?? 0)")
            }
            topics["settling"] = nil
        }

        mutating func compareTopics() throws {
            try settle()
            for (name, topic) in topics {
                let received = try bench.follow(name, from: .earliest, events: pick([1, 7, 100]))
                #expect(received.events.map(\.payload.text) == topic.events.map(\.text), "\(name)")
                #expect(received.gaps.isEmpty)
            }
        }

        mutating func compareReader() throws {
            guard let first = ids.first else { return }
            try settle()
            let after = Bool.random(using: &random) ? pick(ids) : first.before
            let text = pick(["a", "b", "a.*", ">", "a,b.x", "*,a.y"])
            let selector = try Selector(text)
            let matching = try topics.filter { selector.matches(try TopicName($0.key)) }.values
            let expected = matching.flatMap(\.events).filter { $0.id > after }
                .sorted { $0.id < $1.id }
            let lost = matching.map(\.lost).max() ?? .zero
            let received = try bench.follow(
                text, from: .after(after), events: pick([1, 7, 100]))
            let isSame = received.ids == expected.map(\.id)
            #expect(isSame, "\(text) after \(after): \(received.ids.count) of \(expected.count)")
            #expect(received.events.map(\.payload.text) == expected.map(\.text))
            #expect(received.gaps.isEmpty == (after >= lost), "\(text) after \(after)")
            #expect(received.gaps.allSatisfy { $0.through == lost })
        }
    }

    @Test(arguments: [1, 2, 3, SeededRandom.runSeed])
    func readersAreToldWhatTheModelSays(seed: UInt64) throws {
        // Without grace: the model does not know who waits.
        let settings = StoreBench.Settings(
            tombstonesMax: 100, memoryBytesMax: 40_000, graceMicroseconds: 0)
        var run = Run(random: SeededRandom(seed: seed), bench: try StoreBench(settings))
        for number in 0..<200 { try run.step(number) }
        try run.compareTopics()
        run.bench.close()
        #expect(try SQLiteStore.check(run.bench.path) == [])
    }
}
