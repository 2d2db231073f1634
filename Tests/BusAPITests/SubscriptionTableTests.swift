import Access
import Broadcasting
import HTTPFront
import Telemetry
import TestSupport
import Testing
import Topics

@testable import BusAPI

@Suite final class SubscriptionTableTests {
    private let bus: EventBus
    private let memory = MemoryBudget(bytesMax: 1 << 20)
    private let table: SubscriptionTable

    init() throws {
        table = SubscriptionTable(memory: memory)
        bus = try EventBus(
            store: MemoryStore(ceiling: nil), memory: MemoryBudget(bytesMax: 1 << 20),
            broadcaster: Broadcaster(), log: Log(level: .error) { _, _ in })
    }

    /// Subscriptions and their table hold each other until they leave it, as on a loop.
    deinit {
        for subscription in table.all { table.remove(subscription) }
    }

    private func subscribe(_ selector: String) throws -> QuietListener {
        let listener = QuietListener(try Selector(selector), bus)
        table.insert(listener)
        return listener
    }

    /// Those that are found, each of which comes with the topics that it matches.
    private func found(by topics: [TopicName]) -> [any HTTPSubscription] {
        var found: [SubscriptionTable.Woken] = []
        table.find(matching: topics, into: &found)
        return found.flatMap { members, told in
            let selector = members[0].reader.selector
            #expect(told == (selector.singleName == nil ? topics.filter(selector.matches) : []))
            return Array(members)
        }
    }

    private func found(_ topics: String...) throws -> [String] {
        try found(by: topics.map { try TopicName($0) })
            .map { $0.reader.selector.description }.sorted()
    }

    @Test(
        "a topic finds the selectors that match it, each once",
        arguments: [
            (["a"], ["a", "a,b", "*", "*,a", ">", ">,a,*"]),
            (["b"], ["a,b", "*", "*,a", ">", ">,a,*"]),
            (["a.b"], ["a.*", "a.>", "*.b", ">", ">,a,*"]),
            (["a.b.c"], ["a.>", "a.*.c", ">", ">,a,*"]),
            (["x.y.z"], [">", ">,a,*"]),
            (["$bus"], ["$bus"]),
            (["a", "b"], ["a", "a,b", "*", "*,a", ">", ">,a,*"]),
            (["a.b", "a.b.c"], ["a.*", "a.>", "*.b", "a.*.c", ">", ">,a,*"]),
        ] as [([String], [String])])
    func finding(topics: [String], expected: [String]) throws {
        for selector in [
            "a", "a,b", "a.*", "a.>", "*", "*,a", "*.b", "a.*.c", ">", ">,a,*", "$bus",
        ] {
            _ = try subscribe(selector)
        }
        let found = try found(by: topics.map { try TopicName($0) })
            .map { $0.reader.selector.description }
        #expect(found.sorted() == expected.sorted())
    }

    @Test func whatIsRemovedIsNotFoundAndTheOthersAre() throws {
        let subscriptions = try ["a", "a", "a", "a.*", "a.*", "a,a.*"].map(subscribe)
        for (index, subscription) in subscriptions.enumerated() {
            table.remove(subscription)
            table.remove(subscription)
            #expect(table.all.count == subscriptions.count - 1 - index)
            for other in subscriptions[(index + 1)...] {
                #expect(table.all.contains { $0 === other })
            }
        }
        #expect(try found("a", "a.b").isEmpty)
        #expect(try table.all(named: TopicName("a")).isEmpty)
    }

    @Test func selectorsCountForMemoryOnceHoweverManyAskForThem() throws {
        let listeners = try ["a.*", "a.*", "a,b", "a", "a"].map(subscribe)
        let bytes = try ["a.*", "a,b"].map { try Selector($0).waitingBytes }.reduce(0, +)
        #expect(bytes > 0 && memory.used(.selectors) == bytes)
        let room = (1 << 20) / Limits.selectorsMemoryFraction
        memory.charge(room - bytes, to: .selectors)
        #expect(
            try table.hasRoom(for: Selector("a.*"), .all) && table.hasRoom(for: Selector("x"), .all)
        )
        #expect(try !table.hasRoom(for: Selector("x.*"), .all))
        memory.release(room - bytes, from: .selectors)
        for listener in listeners { table.remove(listener) }
        while table.hasVacant { table.clearOneVacant { _ in } }
        #expect(memory.used(.selectors) == 0)
    }

    @Test func selectorsThatNobodyAsksForAreTakenOutOneAtATime() throws {
        let texts = (0..<100).map { number in
            (0..<10).map { "topic\(number).*.part\($0)" }.joined(separator: ",")
        }
        for listener in try texts.map(subscribe) { table.remove(listener) }
        let bytes = try Selector(texts[0]).waitingBytes
        #expect(table.hasVacant && memory.used(.selectors) == 100 * bytes)
        // Somebody who comes back finds it, and is not looked for again.
        let returned = try subscribe(texts[0])
        var forgotten: [Selector] = []
        #expect(table.clearOneVacant { forgotten.append($0) } == 0)
        #expect(forgotten.isEmpty)
        #expect(table.clearOneVacant { forgotten.append($0) } == 10)
        #expect(forgotten.count == 1 && memory.used(.selectors) == 99 * bytes)
        while table.hasVacant { table.clearOneVacant { forgotten.append($0) } }
        #expect(forgotten.map(\.description) == Array(texts[1...]))
        #expect(memory.used(.selectors) == bytes)
        #expect(try found("topic0.x.part3", "topic1.x.part3") == [texts[0]])
        table.remove(returned)
        #expect(try found("topic0.x.part3").isEmpty && table.hasVacant)
    }

    @Test func onlyThoseWithTheNameAloneAreNamed() throws {
        let alone = try subscribe("a")
        for selector in ["a,b", "*", ">"] { _ = try subscribe(selector) }
        let named = try table.all(named: TopicName("a"))
        #expect(named.count == 1 && named[0] === alone)
    }

    @Test func aTopicLooksAtWhatMatchesHoweverManyOthersThereAre() throws {
        _ = try subscribe("jobs.*.done")
        _ = try subscribe("jobs.>")
        _ = try found("jobs.1.done")
        let few = table.looks
        for number in 0..<2_000 {
            _ = try subscribe("devices.\(number).*")
            _ = try subscribe("jobs.*.kind\(number)")
            _ = try subscribe("list\(number),devices.\(number).>")
        }
        let before = table.looks
        #expect(try found("jobs.1.done") == ["jobs.*.done", "jobs.>"])
        #expect(table.looks - before == few)
    }

    @Test func randomSelectorsAreFoundAsTheyMatch() throws {
        var random = SeededRandom(for: "selectors")
        let segments = ["a", "b", "*", "c"]
        func term() -> String {
            var parts = (0...Int.random(in: 0...2, using: &random)).map { _ in
                segments.randomElement(using: &random)!
            }
            if Int.random(in: 0..<4, using: &random) == 0 { parts.append(">") }
            return parts.joined(separator: ".")
        }
        var present: [QuietListener] = []
        for _ in 0..<400 {
            if present.count > 20, Bool.random(using: &random) {
                let index = Int.random(in: 0..<present.count, using: &random)
                table.remove(present.remove(at: index))
            } else {
                let terms = (0...Int.random(in: 0...2, using: &random)).map { _ in term() }
                present.append(try subscribe(terms.joined(separator: ",")))
            }
            let topic = try TopicName(term().map { "*>".contains($0) ? "b" : "\($0)" }.joined())
            let found = found(by: [topic])
            let expected = present.filter { $0.reader.selector.matches(topic) }
            #expect(found.count == expected.count)
            #expect(expected.allSatisfy { subscription in found.contains { $0 === subscription } })
        }
    }
}
