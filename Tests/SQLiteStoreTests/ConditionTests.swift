import CSQLite
import DiskSupport
import Glibc
import Protection
import StoreSupport
import TestSupport
import Testing
import Topics

@testable import SQLiteStore

/// Publishes under conditions, on a bus with a file.
@Suite(.blocking) struct ConditionTests {
    private static let second: Int64 = 1_000_000
    private static let aged = Retention(keep: nil, bytes: nil, age: 10 * second)

    /// A bench without grace: topics vanish with their last events.
    private static func bench(
        memoryBytesMax: Int = 1 << 30, tombstonesMax: Int = 10_000
    ) throws -> StoreBench {
        try StoreBench(
            StoreBench.Settings(
                tombstonesMax: tombstonesMax, memoryBytesMax: memoryBytesMax, graceMicroseconds: 0,
                defaults: aged))
    }

    private static func next(_ bench: StoreBench, isKilled: Bool) throws -> StoreBench {
        isKilled ? try bench.killed() : try bench.reopened()
    }

    @Test(arguments: [false, true])
    func retentionThatTookAllLeavesTheVersion(isKilled: Bool) throws {
        var bench = try Self.bench()
        try bench.register("live", keep: 0)
        try bench.register("aged", age: Self.second)
        let newest = try ["live", "aged", "vanishing"].map { name in
            (name, try bench.publish(name, "x", "y")[1])
        }
        bench.pass(20)
        for _ in 0..<3 {
            for (name, id) in newest {
                #expect(try bench.settles(name) { $0?.events ?? 0 == 0 })
                let isThere = name != "vanishing"
                #expect(try bench.version(name) == TopicVersion(exists: isThere, newest: id))
                let refusal = try bench.refusal(name, under: isThere ? .isNew : .exists)
                #expect(refusal == .conditionFailed(newest: id))
                #expect(try bench.refusal(name, under: .newest(.zero)) == refusal)
                #expect(try bench.refusal(name, under: .newest(id.before)) == refusal)
            }
            bench = try Self.next(bench, isKilled: isKilled)
        }
        for (name, id) in newest { try bench.publish(name, under: .newest(id)) }
        bench.close()
        #expect(try SQLiteStore.check(bench.path) == [])
    }

    @Test(arguments: [false, true])
    func theVersionIsThatOfAllRowsAlsoBeyondMemory(isKilled: Bool) throws {
        var bench = try Self.bench(memoryBytesMax: 24_000)
        let ids = try (0..<300).flatMap { try bench.publish("a", "\($0)") }
        #expect(bench.bus.statistics.evicted > 100)
        for _ in 0..<3 {
            try bench.publish("b", [Payload](repeating: .empty, count: 50))
            #expect(try bench.version("a") == TopicVersion(exists: true, newest: ids[299]))
            let refusal = try bench.refusal("a", under: .newest(ids[298]))
            #expect(refusal == .conditionFailed(newest: ids[299]))
            bench = try Self.next(bench, isKilled: isKilled)
        }
        let last = try bench.publish("a", under: .newest(ids[299])).last
        bench.pass(10)
        #expect(try bench.settles("a") { $0 == nil })
        bench = try Self.next(bench, isKilled: isKilled)
        #expect(try bench.version("a") == TopicVersion(exists: false, newest: last))
        try bench.publish("a", under: .newest(last))
    }

    @Test(arguments: [false, true])
    func aRemovalIsForgottenBehindARestartToo(isKilled: Bool) throws {
        var bench = try Self.bench()
        var gone: [EventID] = []
        for round in 0..<8 {
            let (isRegistered, persists) = (round % 2 == 0, round % 4 == 0)
            if isRegistered { try bench.register("a", persists: persists) }
            if round % 3 == 0 { bench = try Self.next(bench, isKilled: isKilled) }
            gone += [try bench.version("a").newest, try bench.publish("a", "x")[0]]
            try bench.remove("a")
            for _ in 0..<2 {
                let none = TopicVersion(exists: false, newest: .zero)
                #expect(try bench.version("a") == none)
                for id in gone {
                    let refusal = try bench.refusal("a", under: .newest(id))
                    #expect(refusal == .conditionFailed(newest: nil), "\(id) in round \(round)")
                }
                bench = try Self.next(bench, isKilled: isKilled)
            }
        }
        try bench.publish("a", under: .isNew)
    }

    /// All of its events count as lost, up to the highest id that may have been given.
    @Test func aTopicThatDoesNotPersistHasALaterVersionBehindAKill() throws {
        var bench = try Self.bench()
        try bench.register("a", persists: false)
        let first = try bench.publish("a", under: .newest(.zero))
        bench = try bench.reopened()
        #expect(try bench.version("a") == TopicVersion(exists: true, newest: first.last))
        let second = try bench.publish("a", under: .newest(first.last))
        #expect(try bench.refusal("a", under: .newest(first.last)) != nil)
        bench = try bench.killed()
        let version = try bench.version("a")
        #expect(version.exists && version.newest > second.last)
        for id in [EventID.zero, first.last, second.last] {
            let refusal = try bench.refusal("a", under: .newest(id))
            #expect(refusal == .conditionFailed(newest: version.newest))
        }
        let third = try bench.publish("a", under: .newest(version.newest))
        #expect(third.first > version.newest)
    }

    @Test func aRepeatIsARepeatAlsoWhereItsConditionHoldsNoMore() throws {
        var bench = try Self.bench()
        func key(_ name: UInt64) -> IdempotencyKey {
            IdempotencyKey(
                IdempotencyKey.Identity(high: 7, low: name), print: 1, windowSeconds: 900)
        }
        #expect(try bench.refusal("a", under: .exists, key: key(1)) != nil)
        #expect(try bench.description("a") == nil)
        // A refused publish leaves its key.
        let first = try bench.publish("a", under: .isNew, key: key(1))
        try bench.publish("a", "x")
        for _ in 0..<3 {
            let again = try bench.publish("a", under: .isNew, key: key(1))
            #expect(again.standing == .repeated && again.first == first.first)
            #expect(try bench.refusal("a", under: .isNew, key: key(2)) != nil)
            bench = try bench.killed()
        }
    }

    @Test func ofTwoAtOnceExactlyOneIsFirst() throws {
        let bench = try StoreBench()
        let (topic, attempts) = (try TopicName("a"), 120)
        let taken = Protected<[EventID]>([])
        try inParallel(8) { _ in
            for _ in 0..<attempts {
                let version = bench.bus.version(of: topic)
                let condition = version.condition
                do {
                    let text = "\(version.newest)"
                    let receipt = try bench.publish("a", [text], under: condition)
                    taken.append(receipt.first)
                } catch BusError.conditionFailed(let newest) {
                    #expect(newest.map { $0 > version.newest } == true)
                }
            }
        }
        let events = try bench.follow("a", from: .earliest).events
        #expect(events.map(\.id) == taken.value.sorted())
        // Where one fails, another one has come before it: so many succeed at least.
        #expect(events.count >= attempts)
        #expect(bench.bus.statistics.conditionsFailed == 8 * attempts - events.count)
        let followed = [EventID.zero] + events.map(\.id).dropLast()
        #expect(events.map(\.payload.text) == followed.map(\.description))
        bench.close()
        #expect(try SQLiteStore.check(bench.path) == [])
    }

    // MARK: Log and store alike

    /// An event without a row takes no part in a transaction that fails.
    @Test func aConditionIsDecidedAnewWhereTheDiskRefusesTheOthers() throws {
        let disk = Disk()
        let bench = try StoreBench(StoreBench.Settings(disk: disk))
        try bench.register("live", persists: false)
        let first = try bench.publish("live", "x")[0]
        // The writer stands still until two publishes wait, which go through one transaction.
        let (isStill, goesOn, told) = (Gate(), Gate(), Gate(openings: 2))
        let outcomes = Protected<[Result<PublishReceipt, BusError>]>([])
        bench.bus.publish(PublishBatch(topic: try TopicName("b"), payloads: [.empty])) { _ in
            isStill.open()
            try? goesOn.wait()
        }
        try isStill.wait()
        for (name, condition) in [("live", PublishCondition.newest(first)), ("a", .isNew)] {
            let batch = PublishBatch(
                topic: try TopicName(name), payloads: [.empty], condition: condition)
            bench.bus.publish(batch) { outcome in
                outcomes.append(outcome)
                told.open()
            }
        }
        disk.fail(.write, SQLITE_FULL)
        goesOn.open()
        try told.wait()
        let newest = try bench.version("live").newest
        switch outcomes.value[0] {
        case .success(let receipt): #expect(newest == receipt.last)
        case .failure(.storeFull): #expect(newest == first)
        case .failure(let error): Issue.record("\(error), behind \(first)")
        }
        guard case .failure(.storeFull) = outcomes.value[1] else {
            Issue.record("\(outcomes.value[1])")
            return
        }
        disk.heal()
        try bench.publishUnderItsVersion("live")
        try bench.publishUnderItsVersion("a")
    }

    @Test func aVersionThatTheStoreHasForgottenIsToldByItsRefusal() throws {
        let bench = try Self.bench(tombstonesMax: 8)
        for index in 0..<12 {
            try bench.publish("t\(index)", "x")
            bench.clock.advance(seconds: 1)
        }
        bench.pass(20)
        // The writer goes round, and merges tombstones.
        for _ in 0..<20 { try bench.register("other") }
        for index in 0..<12 {
            if index % 2 == 0 { try bench.register("t\(index)") }
            try bench.publishUnderItsVersion("t\(index)", attempts: 2)
        }
    }

    /// Such a copy may lack events, and the losses of all topics are told together.
    @Test func aCopyWithoutItsRecordTellsTheVersionsThatItHas() throws {
        var bench = try Self.bench()
        for name in ["a", "b", "c"] { try bench.publish(name, "x") }
        bench.pass(20)
        for name in ["a", "b", "c"] { #expect(try bench.settles(name) { $0 == nil }) }
        bench = try bench.killed(meddling: { unlink("\($0)/belfry.db-life") })
        try bench.publishUnderItsVersion("a", attempts: 2)
        try bench.register("b")
        try bench.publishUnderItsVersion("b", attempts: 2)
        bench = try bench.killed()
        for name in ["a", "b", "c"] { try bench.publishUnderItsVersion(name, attempts: 2) }
    }

    // MARK: A model

    /// One topic as somebody knows it who did everything to it, one after the other.
    private struct Model {
        var isRegistered = false
        var persists = true
        var newest = EventID.zero
        /// All ids that it ever had, under any life of its name.
        var ids: [EventID] = []
        var latest: Timestamp?

        func exists(at now: Timestamp) -> Bool {
            isRegistered || latest.map { !ConditionTests.aged.isExpired($0, at: now) } ?? false
        }
    }

    private struct Run {
        var random: SeededRandom
        var bench: StoreBench
        var models = ["a": Model(), "a.b": Model(), "c": Model()]
        var refused = 0
        var published = 0

        mutating func pick<Value>(_ values: [Value]) -> Value {
            values.randomElement(using: &random)!
        }

        mutating func step() throws {
            let name = pick(models.keys.sorted())
            switch Int.random(in: 0..<24, using: &random) {
            case 0..<5: try publish(name, under: nil)
            case 5..<12: try publish(name, under: try condition(name))
            // The main promise: the bus says the condition that holds.
            case 12..<16:
                let version = try bench.version(name)
                try publish(name, under: version.condition, isToHold: true)
            case 16, 17:
                let persists = pick([true, true, false])
                try bench.register(
                    name, keep: pick([nil, 0, 2, 30]), age: pick([nil, 5 * ConditionTests.second]),
                    persists: persists)
                models[name]?.isRegistered = true
                models[name]?.persists = persists
            case 18, 19: try remove(name)
            case 20: try restart(isKilled: false)
            case 21: try restart(isKilled: true)
            default: bench.pass(Double.random(in: 0...6, using: &random))
            }
            for name in models.keys.sorted() { try compare(name) }
        }

        func version(of name: String) -> TopicVersion {
            let model = models[name]!
            return TopicVersion(
                exists: model.exists(at: bench.clock.now()), newest: model.newest)
        }

        mutating func condition(_ name: String) throws -> PublishCondition {
            let model = models[name]!
            let known = [model.newest, .zero, .max] + model.ids.suffix(3)
            return pick([.exists, .isNew, .newest(model.newest), .newest(pick(known))])
        }

        mutating func publish(
            _ name: String, under condition: PublishCondition?, isToHold: Bool = false
        ) throws {
            let version = version(of: name)
            let texts = (0..<pick([1, 1, 2, 20])).map { "\($0)" }
            if let condition, let error = version.refusal(of: condition) {
                #expect(!isToHold, "\(name) under \(condition), with \(version)")
                let refusal = try bench.refusal(name, texts, under: condition)
                #expect(refusal == error, "\(name) under \(condition)")
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
            guard version(of: name).exists else { return }
            try bench.remove(name)
            models[name] = Model(ids: models[name]!.ids)
        }

        mutating func restart(isKilled: Bool) throws {
            bench = try ConditionTests.next(bench, isKilled: isKilled)
            guard isKilled else { return }
            for name in models.keys.sorted() where models[name]?.persists == false {
                let version = try bench.version(name)
                #expect(version.newest > models[name]!.newest, "\(name)")
                models[name]?.newest = version.newest
            }
        }

        /// Removals on the disk take a moment. Then the bus is as the model.
        func compare(_ name: String) throws {
            let version = version(of: name)
            try #require(try bench.settles(name) { ($0 != nil) == version.exists }, "\(name)")
            #expect(try bench.version(name) == version, "\(name)")
        }
    }

    @Test(arguments: 0..<6) func aHistoryOfATopicOutlivesStopsAndKills(number: Int) throws {
        var run = Run(
            random: SeededRandom(for: "history \(number) of topics with restarts"),
            bench: try Self.bench(memoryBytesMax: 40_000))
        for _ in 0..<200 { try run.step() }
        #expect(run.refused > 10 && run.published > 10)
        run.bench.close()
        #expect(try SQLiteStore.check(run.bench.path) == [])
    }
}

extension StoreBench {
    @discardableResult
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
            try publish(topic, texts, under: condition, key: key)
            return nil
        } catch let error as BusError {
            return error
        }
    }

    /// Publishes under the version that the bus says, which has to hold: nothing else is under way. Of a topic that
    /// vanished the store may know another one, which its refusal says.
    fileprivate func publishUnderItsVersion(_ topic: String, attempts: Int = 1) throws {
        for _ in 1..<attempts {
            if try refusal(topic, under: version(topic).condition) == nil { return }
        }
        let version = try version(topic)
        #expect(try refusal(topic, under: version.condition) == nil, "\(topic) had \(version)")
    }

    fileprivate func version(_ topic: String) throws -> TopicVersion {
        bus.version(of: try TopicName(topic))
    }

    /// Lets time pass, and looks after the topics.
    fileprivate func pass(_ seconds: Double) {
        clock.advance(seconds: seconds)
        bus.sweep()
    }
}
