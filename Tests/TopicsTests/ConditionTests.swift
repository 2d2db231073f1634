import Protection
import StoreSupport
import TestSupport
import Testing

@testable import Topics

/// Publishes under conditions, on a bus in memory.
@Suite(.blocking) struct ConditionTests {
    private static let second: Int64 = 1_000_000
    private static let aged = Retention(keep: nil, bytes: nil, age: 10 * second)

    /// The state of the topic that conditions are about, and ids that are not its newest.
    private struct State {
        var exists = true
        var newest = EventID.zero
        var others: [EventID] = []

        func holds(_ condition: PublishCondition) -> Bool {
            switch condition {
            case .exists: exists
            case .isNew: !exists
            case .newest(.zero): exists && newest == .zero
            case .newest(let id): id == newest
            }
        }

        var version: TopicVersion { TopicVersion(exists: exists, newest: newest) }
        var refusal: BusError {
            .conditionFailed(newest: exists || newest > .zero ? newest : nil)
        }
    }

    /// A moment in the life of a topic.
    enum Moment: CaseIterable {
        case nothing, registered, published, publishedAndRegistered, registeredAndPublished
        case emptied, graced, vanished, vanishedAndRegistered, vanishedAndPublished
        case removed, removedAndRegistered, removedAndPublished, removedOfVanished
    }

    /// Brings a topic to a moment.
    private static func reach(_ moment: Moment, on bench: Bench) throws -> State {
        switch moment {
        case .nothing: return State(exists: false)
        case .registered:
            try bench.register("a")
            return State()
        case .published: return try State(newest: bench.publish("a", "x")[0])
        case .publishedAndRegistered:
            let ids = try bench.publish("a", "x", "y")
            try bench.register("a")
            return State(newest: ids[1], others: [ids[0]])
        case .registeredAndPublished:
            try bench.register("a")
            return try State(newest: bench.publish("a", "x")[0])
        case .emptied:
            try bench.register("a", keep: 0)
            let ids = try bench.publish("a", "x", "y")
            bench.pass(2)
            #expect(try bench.description("a")?.events == 0)
            return State(newest: ids[1], others: [ids[0]])
        case .graced:
            let ids = try bench.publish("a", "x", "y")
            bench.pass(10)
            // Readers that wait may still have its events.
            #expect(try bench.description("a")?.events == 0)
            return State(newest: ids[1], others: [ids[0]])
        case .vanished:
            let ids = try bench.publish("a", "x", "y")
            bench.pass(10)
            bench.pass(2)
            #expect(try bench.description("a") == nil)
            return State(exists: false, newest: ids[1], others: [ids[0]])
        case .vanishedAndRegistered, .removedAndRegistered:
            let before = moment == .vanishedAndRegistered ? Moment.vanished : .removed
            var state = try reach(before, on: bench)
            try bench.register("a")
            state.exists = true
            return state
        case .vanishedAndPublished, .removedAndPublished:
            let before = moment == .vanishedAndPublished ? Moment.vanished : .removed
            let state = try reach(before, on: bench)
            let id = try bench.publish("a", "z")[0]
            return State(newest: id, others: state.others + [state.newest])
        case .removed:
            let state = try reach(.publishedAndRegistered, on: bench)
            try bench.remove("a")
            return State(exists: false, others: state.others + [state.newest])
        case .removedOfVanished:
            let state = try reach(.vanished, on: bench)
            try bench.hold("a")
            try bench.remove("a")
            return State(exists: false, others: state.others + [state.newest])
        }
    }

    @Test(arguments: Moment.allCases)
    func aConditionIsAboutTheTopicAsItIs(moment: Moment) throws {
        let state = try Self.reach(moment, on: Bench(defaults: Self.aged))
        let ids: [EventID] = [.zero, .max, state.newest] + state.others
        let conditions: [PublishCondition] = [.exists, .isNew] + ids.map { .newest($0) }
        for condition in conditions {
            // The same ids again: nothing but the manual clock gives them.
            let bench = try Bench(defaults: Self.aged)
            try #require(try Self.reach(moment, on: bench).version == state.version)
            #expect(try bench.version("a") == state.version)
            #expect(try (bench.description("a") != nil) == state.exists)
            guard state.holds(condition) else {
                #expect(try bench.refusal("a", under: condition) == state.refusal, "\(condition)")
                #expect(try bench.version("a") == state.version)
                continue
            }
            let receipt = try bench.publish("a", under: condition)
            #expect(receipt.standing == .new && receipt.first > state.newest, "\(condition)")
            #expect(try bench.version("a") == TopicVersion(exists: true, newest: receipt.last))
        }
    }

    @Test(arguments: Moment.allCases)
    func theVersionIsTheConditionUnderWhichATopicIsAsItWas(moment: Moment) throws {
        let bench = try Bench(defaults: Self.aged)
        _ = try Self.reach(moment, on: bench)
        let version = try bench.version("a")
        // A condition that never holds says the version too.
        let refusal = try bench.refusal("a", under: .newest(.max))
        #expect(refusal == .conditionFailed(newest: version.known))
        let condition = version.condition
        #expect(try bench.publish("a", under: condition).standing == .new)
        let other = try bench.refusal("a", under: condition)
        #expect(try other == .conditionFailed(newest: bench.version("a").newest))
    }

    @Test func aConditionOfABatchIsAboutTheStateBeforeItsFirstEvent() throws {
        let bench = try Bench()
        let first = try bench.publish("a", ["1", "2", "3"], under: .isNew)
        #expect(first.count == 3 && first.last.rawValue == first.first.rawValue + 2)
        let second = try bench.publish("a", ["4", "5", "6"], under: .newest(first.last))
        #expect(try bench.refusal("a", ["7", "8", "9"], under: .newest(second.first)) != nil)
        #expect(try bench.read(from: .earliest, "a").texts == ["1", "2", "3", "4", "5", "6"])
        try bench.register("b")
        _ = try bench.publish("b", ["1", "2", "3"], under: .newest(.zero))
        #expect(try bench.read(from: .earliest, "b").texts == ["1", "2", "3"])
    }

    @Test func aRefusedBatchLeavesNoTrace() throws {
        let bench = try Bench()
        try bench.publish("other", "x")
        let (newest, events) = (bench.bus.newest, bench.memory.used(.events))
        let topics = bench.memory.used(.topics)
        var expected = bench.bus.statistics
        for condition in [.exists, .newest(.zero), .newest(newest)] as [PublishCondition] {
            let refusal = try bench.refusal(
                "a", ["1", "2", "3"], under: condition, key: Self.key(1))
            #expect(refusal == .conditionFailed(newest: nil))
            expected.conditionsFailed += 1
            #expect(bench.bus.statistics == expected)
        }
        #expect(try bench.description("a") == nil)
        #expect(bench.bus.newest == newest && bench.memory.used(.keys) == 0)
        #expect(bench.memory.used(.events) == events && bench.memory.used(.topics) == topics)
        // The key is free still.
        let receipt = try bench.publish("a", ["1"], under: .isNew, key: Self.key(1))
        #expect(receipt.standing == .new && receipt.first > newest)
        #expect(try bench.read(from: .earliest, "a").texts == ["1"])
    }

    private static func key(_ name: UInt64, print: UInt64 = 1) -> IdempotencyKey {
        IdempotencyKey(
            IdempotencyKey.Identity(high: 7, low: name), print: print, windowSeconds: 900)
    }

    @Test func aRepeatIsARepeatAlsoWhereItsConditionHoldsNoMore() throws {
        let bench = try Bench()
        let first = try bench.publish("a", under: .isNew, key: Self.key(1))
        let second = try bench.publish("a", under: .newest(first.last), key: Self.key(2))
        for _ in 0..<2 {
            let again = try bench.publish("a", under: .isNew, key: Self.key(1))
            #expect(again.standing == .repeated && again.first == first.first)
            let next = try bench.publish("a", under: .newest(first.last), key: Self.key(2))
            #expect(next.standing == .repeated && next.first == second.first)
            #expect(try bench.version("a").newest == second.last)
            let other = Self.key(1, print: 2)
            #expect(try bench.refusal("a", under: .isNew, key: other) == .keyDiffers)
            let refusal = try bench.refusal("a", under: .isNew, key: Self.key(3))
            #expect(refusal == .conditionFailed(newest: second.last))
        }
        #expect(bench.bus.statistics.conditionsFailed == 2 && bench.bus.statistics.repeated == 4)
        bench.bus.drain()
        #expect(try bench.publish("a", under: .isNew, key: Self.key(1)).standing == .repeated)
        #expect(try bench.refusal("a", under: .exists, key: Self.key(3)) == .draining)
    }

    @Test func anIDOfARemovedTopicNeverMatchesAgain() throws {
        let bench = try Bench(defaults: Self.aged)
        var gone: [EventID] = []
        func check() throws {
            for id in gone {
                let version = try bench.version("a")
                let newest = version.known
                let refusal = try bench.refusal("a", under: .newest(id))
                #expect(refusal == .conditionFailed(newest: newest), "\(id)")
            }
        }
        for round in 0..<6 {
            if round % 2 == 0 { try bench.register("a") }
            try check()
            let condition = round % 2 == 0 ? PublishCondition.exists : .isNew
            let receipt = try bench.publish("a", ["x", "y"], under: condition)
            try check()
            gone += [receipt.first, receipt.last]
            if round % 3 == 2 { bench.pass(11) }
            try bench.remove("a")
            try check()
        }
        #expect(try bench.version("a") == TopicVersion(exists: false, newest: .zero))
    }

    @Test func ofTwoAtOnceExactlyOneIsFirst() throws {
        let bench = try Bench()
        let (topic, attempts) = (try TopicName("a"), 120)
        let taken = Protected<[EventID]>([])
        try inParallel(8) { _ in
            for _ in 0..<attempts {
                let version = bench.bus.version(of: topic)
                let batch = PublishBatch(
                    topic: topic, payloads: [Payload(Array("\(version.newest)".utf8))],
                    condition: version.condition)
                let told = Gate()
                bench.bus.publish(batch) { outcome in
                    switch outcome {
                    case .success(let receipt): taken.append(receipt.first)
                    case .failure(.conditionFailed(let newest)):
                        #expect(newest.map { $0 > version.newest } == true)
                    case .failure(let error): Issue.record("\(error)")
                    }
                    told.open()
                }
                try told.wait()
            }
        }
        let events = try bench.read(from: .earliest, "a").events
        #expect(events.map(\.id) == taken.value.sorted())
        // Where one fails, another one has come before it: so many succeed at least.
        #expect(events.count >= attempts)
        #expect(bench.bus.statistics.conditionsFailed == 8 * attempts - events.count)
        let followed = [EventID.zero] + events.map(\.id).dropLast()
        #expect(events.map { $0.payload.text } == followed.map(\.description))
    }

    // MARK: A model

    /// One topic as somebody knows it who did everything to it, one after the other.
    private struct Model {
        var isRegistered = false
        var newest = EventID.zero
        /// All ids that it ever had, under any life of its name.
        var ids: [EventID] = []
        var latest: Timestamp?
    }

    private struct Run {
        var random: SeededRandom
        let bench: Bench
        var models = ["a": Model(), "a.b": Model(), "c": Model()]
        var refused = 0
        var published = 0

        mutating func pick<Value>(_ values: [Value]) -> Value {
            values.randomElement(using: &random)!
        }

        mutating func step() throws {
            let name = pick(models.keys.sorted())
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<5: try publish(name, under: nil)
            case 5..<13: try publish(name, under: try condition(name))
            case 13, 14:
                let exists = try state(of: name).exists
                let registered = try bench.register(
                    name, keep: pick([nil, 0, 2]), age: pick([nil, 5 * ConditionTests.second]))
                #expect(registered.isNew == !exists)
                models[name]?.isRegistered = true
            case 15, 16: try remove(name)
            default: bench.pass(Double.random(in: 0...6, using: &random))
            }
            for name in models.keys.sorted() { try compare(name) }
        }

        /// The state by the model; the bus only says whether the topic has vanished by its age.
        func state(of name: String) throws -> State {
            let model = models[name]!
            let exists = try bench.description(name) != nil
            let isYoung = model.latest.map {
                !ConditionTests.aged.isExpired($0, at: bench.clock.now())
            }
            if model.isRegistered || isYoung == true { #expect(exists) }
            return State(exists: exists, newest: model.newest)
        }

        mutating func condition(_ name: String) throws -> PublishCondition {
            let model = models[name]!
            let known = [model.newest, .zero, .max] + model.ids.suffix(3)
            let conditions: [PublishCondition] = [
                .exists, .isNew, .newest(model.newest), .newest(pick(known)),
                .newest(pick(models.values.map(\.newest).sorted())),
            ]
            return pick(conditions)
        }

        mutating func publish(_ name: String, under condition: PublishCondition?) throws {
            let state = try state(of: name)
            let texts = pick([["1"], ["1", "2", "3"]])
            guard condition.map(state.holds) ?? true else {
                let refusal = try bench.refusal(name, texts, under: condition)
                #expect(refusal == state.refusal, "\(name) under \(condition!)")
                refused += 1
                return
            }
            let receipt = try bench.publish(name, texts, under: condition)
            #expect(receipt.first > models.values.map(\.newest).max()!)
            published += receipt.count
            models[name]?.newest = receipt.last
            models[name]?.ids += [receipt.first, receipt.last]
            models[name]?.latest = receipt.time
        }

        mutating func remove(_ name: String) throws {
            guard try state(of: name).exists else {
                let unknown = BusError.topicUnknown(try TopicName(name))
                #expect(throws: unknown) { try bench.remove(name) }
                return
            }
            try bench.remove(name)
            models[name] = Model(ids: models[name]!.ids)
            #expect(try bench.description(name) == nil)
        }

        func compare(_ name: String) throws {
            let state = try state(of: name)
            #expect(try bench.version(name) == state.version, "\(name)")
            #expect(bench.bus.statistics.conditionsFailed == refused)
            #expect(bench.bus.statistics.published == published)
        }
    }

    @Test(arguments: 0..<20) func aHistoryOfATopicIsLinearizable(number: Int) throws {
        var run = Run(
            random: SeededRandom(for: "history \(number) of topics"),
            bench: try Bench(defaults: Self.aged))
        for _ in 0..<300 { try run.step() }
        #expect(run.refused > 10 && run.published > 10)
    }
}

extension Bench {
    fileprivate func publish(
        _ topic: String, _ texts: [String] = ["x"], under condition: PublishCondition?,
        key: IdempotencyKey? = nil
    ) throws -> PublishReceipt {
        let batch = PublishBatch(
            topic: try TopicName(topic), metadata: .none, sender: .unknown,
            payloads: texts.map { Payload(Array($0.utf8)) }, idempotencyKey: key,
            condition: condition)
        return try answer { bus.publish(batch, then: $0) }
    }

    /// The error of a publish; nil where it was taken.
    fileprivate func refusal(
        _ topic: String, _ texts: [String] = ["x"], under condition: PublishCondition?,
        key: IdempotencyKey? = nil
    ) throws -> BusError? {
        do {
            _ = try publish(topic, texts, under: condition, key: key)
            return nil
        } catch let error as BusError {
            return error
        }
    }

    fileprivate func version(_ topic: String) throws -> TopicVersion {
        bus.version(of: try TopicName(topic))
    }

    fileprivate func description(_ topic: String) throws -> TopicDescription? {
        bus.description(of: try TopicName(topic))
    }

    /// Has an event held for a topic, for an hour.
    fileprivate func hold(_ topic: String) throws {
        let batch = PublishBatch(topic: try TopicName(topic), payloads: [.empty])
        let held = HeldBatch(batch, ttl: nil, at: .after(microseconds: 3_600_000_000))
        _ = try answer { bus.hold(held, then: $0) }
    }

    /// Lets time pass, and looks after the topics.
    fileprivate func pass(_ seconds: Double) {
        clock.advance(seconds: seconds)
        bus.sweep()
    }
}
