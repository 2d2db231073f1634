import Broadcasting
import Protection
import StoreSupport
import TestSupport
import Testing

@testable import Topics

struct TopicTests {
    // MARK: Coming and going

    @Test func aTopicMadeByPublishingVanishesWithItsLastEventAndKeepsItsLoss() throws {
        let bench = try Bench(defaults: Retention(keep: nil, bytes: nil, age: 1_000_000))
        let name = try TopicName("a")
        let ids = try bench.publish("a", "1", "2")
        bench.clock.advance(seconds: 1)
        bench.bus.sweep()
        #expect(bench.bus.description(of: name)?.events == 0)
        bench.clock.advance(seconds: 2)
        bench.bus.sweep()
        #expect(bench.bus.description(of: name) == nil)
        #expect(try bench.read(after: ids[0], "a").gap == Gap(after: ids[0], through: ids[1]))
        #expect(try bench.read(after: ids[0], "*").gap == Gap(after: ids[0], through: ids[1]))
        #expect(try bench.read(after: ids[1], "a").isCaughtUp)
        try bench.publish("a", "3")
        #expect(try bench.read(after: ids[0], "a").gap == Gap(after: ids[0], through: ids[1]))
    }

    @Test func aTopicVanishesWhoeverWaitsForItsName() throws {
        let bench = try Bench(defaults: Retention(keep: nil, bytes: nil, age: 1_000_000))
        let name = try TopicName("a")
        bench.bus.beginSubscription(Selector(name))
        bench.bus.beginSubscription(try Selector("*"))
        let ids = try bench.publish("a", "1")
        bench.clock.advance(seconds: 10)
        bench.bus.sweep()
        bench.clock.advance(seconds: 10)
        bench.bus.sweep()
        #expect(bench.bus.description(of: name) == nil)
        // They wait on for the next topic of that name.
        #expect(try bench.read(after: ids[0], "a").isCaughtUp)
        let receipt = try bench.receipt("a", [Payload(Array("2".utf8))])
        #expect(receipt.subscribers == 2)
        bench.bus.endSubscription(Selector(name))
        #expect(bench.bus.description(of: name)?.subscribers == 1)
    }

    @Test func aRegisteredTopicStaysEmpty() throws {
        let bench = try Bench()
        #expect(try bench.register("a", keep: 5, by: 7).isNew)
        bench.clock.advance(seconds: 100)
        bench.bus.sweep()
        let topic = try #require(bench.bus.description(of: try TopicName("a")))
        #expect(topic.isRegistered && topic.owner == 7 && topic.retention.keep == 5)
        #expect(try !bench.register("a", keep: 6, by: 8).isNew)
        let changed = bench.bus.description(of: try TopicName("a"))
        #expect(changed?.owner == 7)
        #expect(changed?.retention == Retention(keep: 6, bytes: nil, age: nil))
    }

    @Test func theOldestTombstonesMergeIntoTheFloorOfEveryTopic() throws {
        var limits = BusLimits()
        limits.tombstonesMax = 2
        let bench = try Bench(limits: limits)
        let first = try bench.publish("t0", "x")
        try bench.remove("t0")
        #expect(try bench.read(after: first[0].before, "t9").isCaughtUp)
        for index in 1...2 {
            try bench.publish("t\(index)", "x")
            try bench.remove("t\(index)")
        }
        #expect(bench.bus.statistics.tombstones == 2)
        #expect(
            try bench.read(after: first[0].before, "t9").gap
                == Gap(after: first[0].before, through: first[0]))
        #expect(try bench.read(after: first[0], "t9").isCaughtUp)
    }

    @Test func topicsThatComeAndGoForEverLeaveNothingBehind() throws {
        let bench = try Bench()
        try bench.publish("a", "x")
        try bench.remove("a")
        let used = bench.memory.used
        for _ in 0..<20_000 {
            try bench.publish("a", "x")
            try bench.remove("a")
        }
        #expect(bench.memory.used == used)
        #expect(bench.bus.withLog { $0.dues.count } < 100)
    }

    // MARK: Removal

    @Test func removalTakesAPlaceInTheOrder() throws {
        let bench = try Bench()
        let before = try bench.publish("a", "1", "2")
        let waiting = try bench.read(LogPosition(after: before[0]), "*").next
        let place = try bench.remove("a")
        #expect(place > before[1])
        #expect(bench.bus.newest == place)
        let after = try bench.publish("a", "3")
        #expect(after[0] > place)
        #expect(
            try bench.read(after: before[0], "a").gap == Gap(after: before[0], through: before[1]))
        #expect(try bench.read(waiting, "*").texts == ["3"])
        #expect(try bench.read(from: .earliest, "a").texts == ["3"])
        #expect(bench.bus.description(of: try TopicName("a"))?.isRegistered == false)
    }

    @Test func removingIsWithoutGraceAndGapsOnlyThoseWhoHadNotHadEverything() throws {
        let bench = try Bench()
        let start = try bench.read(try bench.start(.now, "*"), "*").next
        let ids = try bench.publish("a", "1", "2")
        let had = try bench.read(start, "*").next
        try bench.remove("a")
        #expect(try bench.read(start, "*").gap == Gap(after: start.after, through: ids[1]))
        #expect(try bench.read(had, "*").isCaughtUp)
    }

    @Test func allTopicsOfASelectorAreRemovedSomeAtATime() async throws {
        let bench = try Bench()
        for number in 0..<1_000 {
            try bench.publish("jobs.\(number)", "x")
            try bench.publish("other.\(number)", "x")
        }
        let selector = try Selector("jobs.*")
        var (seen, place): (Int, TopicPlace?) = (0, .first)
        while let from = place {
            let (topics, next) = bench.bus.someTopics(matching: selector, from: from)
            #expect(topics.count <= Limits.removalStepsMax / 8)
            (seen, place) = (seen + topics.count, next)
        }
        #expect(seen == 1_000)
        let before = bench.bus.newest
        #expect(try await bench.bus.remove(matching: selector) == 1_000)
        #expect(bench.bus.statistics.topics == 1_000 && bench.bus.newest > before)
        #expect(bench.bus.topics(matching: try TopicPattern("jobs.*")).topics.isEmpty)
        #expect(try bench.read(after: .zero, "jobs.7").gap != nil)
        #expect(try await bench.bus.remove(matching: Selector("jobs.*,none")) == 0)
        #expect(try await bench.bus.remove(matching: Selector("other.1,other.2")) == 2)
    }

    @Test func aRemovalOfManyTopicsThatFailsSaysWhy() async throws {
        let bench = try Bench()
        try bench.publish("a", "x")
        bench.bus.drain()
        await #expect(throws: BusError.draining) {
            try await bench.bus.remove(matching: try Selector("*"))
        }
    }

    @Test func aTopicThatIsNotThereCannotBeRemoved() throws {
        let bench = try Bench()
        #expect(throws: BusError.topicUnknown(try TopicName("a"))) { try bench.remove("a") }
    }

    // MARK: Subscribers, lookups and lists

    @Test func theReceiptCountsSubscriptionsThatMatchAtTheMomentOfCommit() throws {
        let bench = try Bench()
        let selectors = try ["a.x", "a.x", "a.*", "a.>,a.x", "b", "*"].map { try Selector($0) }
        for selector in selectors { bench.bus.beginSubscription(selector) }
        #expect(try bench.receipt("a.x", [.empty]).subscribers == 4)
        #expect(try bench.receipt("b", [.empty]).subscribers == 2)
        #expect(try bench.receipt("c.d", [.empty]).subscribers == 0)
        bench.bus.endSubscription(selectors[2])
        #expect(try bench.receipt("a.x", [.empty]).subscribers == 3)
        for selector in selectors where selector != selectors[2] {
            bench.bus.endSubscription(selector)
        }
        #expect(try bench.receipt("a.x", [.empty]).subscribers == 0)
        #expect(bench.bus.statistics.subscribers == 0)
    }

    @Test func subscriptionsOutliveTheTopicsOfTheirName() throws {
        let bench = try Bench()
        let name = try TopicName("a")
        let selector = Selector(name)
        var count = 0
        func change(by change: Int) {
            for _ in 0..<abs(change) {
                if change > 0 {
                    bench.bus.beginSubscription(selector)
                } else {
                    bench.bus.endSubscription(selector)
                }
            }
            count += change
            #expect(bench.bus.subscriptions(to: name) == count)
            #expect(bench.bus.statistics.subscribers == count)
        }
        change(by: 3)
        for _ in 0..<2 {
            #expect(try bench.receipt("a", [.empty]).subscribers == count)
            change(by: 2)
            change(by: -1)
            #expect(bench.bus.description(of: name)?.subscribers == count)
            try bench.remove("a")
            #expect(bench.bus.subscriptions(to: name) == count)
            change(by: 1)
            change(by: -3)
        }
        change(by: -count)
        try bench.publish("a", "x")
        #expect(bench.bus.subscriptions(to: name) == 0)
    }

    @Test func oneIDIsFoundRemovedOrUnknown() throws {
        let bench = try Bench()
        try bench.register("a", keep: 1)
        let ids = try bench.publish("a", "1", "2")
        let name = try TopicName("a")
        guard case .found(let event) = bench.bus.event(ids[1], in: name) else {
            return #expect(Bool(false), "the retained event is found")
        }
        #expect(event.payload.text == "2")
        guard case .removed = bench.bus.event(ids[0], in: name),
            case .unknown = bench.bus.event(.max, in: name),
            case .unknown = bench.bus.event(ids[0], in: try TopicName("b"))
        else { return #expect(Bool(false), "the others are not") }
        try bench.remove("a")
        guard case .removed = bench.bus.event(ids[1], in: name) else {
            return #expect(Bool(false), "a removed topic remembers what it had")
        }
    }

    @Test func anIDThatWasPerhapsRemovedIsRemovedWhetherItsTopicIsThereOrNot() throws {
        var limits = BusLimits()
        limits.tombstonesMax = 1
        let bench = try Bench(limits: limits)
        let before = bench.bus.newest
        let ids = try bench.publish("gone", "1")
        for topic in ["gone", "other", "last"] {
            try bench.publish(topic, "2")
            try bench.remove(topic)
        }
        try bench.publish("there", "3")
        for text in ["gone", "there", "never"] {
            let name = try TopicName(text)
            for id in [before, ids[0]] {
                guard case .removed = bench.bus.event(id, in: name) else {
                    Issue.record("\(id) may have been removed from \(text)")
                    continue
                }
            }
            guard case .unknown = bench.bus.event(bench.bus.newest, in: name) else {
                if text != "there" { Issue.record("the newest event is not in \(text)") }
                continue
            }
        }
    }

    @Test func anIDFromBeforeTheFirstLifeIsUnknownAndOneOfAnEarlierLifeIsRemoved() throws {
        let folder = TemporaryFolder()
        let clock = ManualClock()
        var earlier = EventID.zero
        for life in 1...2 {
            let ceiling = try IDCeiling(directory: folder.path)
            let bench = try Bench(store: MemoryStore(ceiling: ceiling), clock: clock)
            let floor = bench.bus.newest
            let ids = try bench.publish("there", "1")
            for topic in ["there", "never"] {
                let name = try TopicName(topic)
                switch bench.bus.event(life == 1 ? floor : earlier, in: name) {
                case .unknown: #expect(life == 1, "\(topic)")
                case .removed: #expect(life == 2, "\(topic)")
                default: Issue.record("\(topic) has an event of before it was made")
                }
            }
            earlier = ids[0]
            clock.advance(seconds: 1)
        }
    }

    @Test func topicsAreListedByNameWithWhatTheyHold() throws {
        let bench = try Bench()
        try bench.register("b.x")
        let ids = try bench.publish("a", "12", "345")
        let listed = bench.bus.topics(matching: nil)
        #expect(listed.topics.map(\.name.text) == ["a", "b.x"])
        #expect(listed.cursor == ids[1])
        let topic = listed.topics[0]
        #expect(topic.events == 2 && topic.bytes == 5)
        #expect(topic.oldest == ids[0] && topic.newest == ids[1])
        #expect(bench.bus.topics(matching: try TopicPattern("b.*")).topics.count == 1)
        let summary = bench.bus.summary(of: try Selector("*,b.x"))
        #expect(summary == SelectorSummary(exists: true, cursor: ids[1], oldest: ids[0], count: 2))
        #expect(!bench.bus.summary(of: try Selector("nowhere.>")).exists)
    }

    // MARK: Refusals

    @Test func theBusKeepsItsOwnTopicsAndTypes() throws {
        let bench = try Bench()
        let reserved = BusError.topicReserved(try TopicName("$SYS"))
        #expect(throws: reserved) { try bench.publish("$SYS", "x") }
        #expect(throws: reserved) { try bench.register("$SYS") }
        #expect(throws: reserved) { try bench.remove("$SYS") }
        #expect(throws: BusError.typeReserved("$gap")) {
            try bench.publish("a", "x", type: "$gap")
        }
        #expect(bench.bus.statistics.published == 0)
    }

    @Test func withoutAutocreateOnlyRegisteredTopicsExist() throws {
        let bench = try Bench(autocreate: false)
        let unknown = BusError.topicUnknown(try TopicName("a"))
        #expect(throws: unknown) { try bench.publish("a", "x") }
        #expect(throws: unknown) { try bench.bus.checkSubscribable(try Selector("b.*,a")) }
        try bench.register("a")
        try bench.publish("a", "x")
        try bench.bus.checkSubscribable(try Selector("b.*,a"))
    }

    @Test func aBatchIsCheckedWholeBeforeAnythingIsStored() throws {
        var limits = BusLimits()
        limits.eventBytesMax = 4
        limits.batchEventsMax = 3
        limits.batchBytesMax = 8
        let bench = try Bench(limits: limits)
        #expect(throws: BusError.eventTooLarge(bytesMax: 4, index: 2)) {
            try bench.publish("a", "1", "2", "12345")
        }
        let tooLarge = BusError.batchTooLarge(eventsMax: 3, bytesMax: 8)
        #expect(throws: tooLarge) { try bench.publish("a", "1", "2", "3", "4") }
        #expect(throws: tooLarge) { try bench.publish("a", "1234", "1234", "1") }
        #expect(bench.bus.statistics.topics == 0)
        try bench.publish("a", "1234", "1", "123")
    }

    @Test func topicsAreLimited() throws {
        var limits = BusLimits()
        limits.topicsMax = 2
        let bench = try Bench(limits: limits)
        try bench.publish("a", "x")
        try bench.register("b")
        #expect(throws: BusError.self) { try bench.publish("c", "x") }
        #expect(throws: BusError.self) { try bench.register("c") }
        try bench.publish("b", "x")
        try bench.remove("a")
        try bench.publish("c", "x")
    }

    /// How many topics there are once all of a burst has come to the store before any was answered:
    /// what an answer publishes is committed behind it.
    private func topicsOfABurst(
        _ limits: BusLimits, from uids: [UInt32?], registers: Bool = false
    ) throws -> (topics: Int, refused: Int) {
        let bench = try Bench(limits: limits)
        let refused = Protected(0)
        let bus = bench.bus
        let settings = TopicSettings(retention: .standard, persists: true)
        let first = PublishBatch(
            topic: try TopicName("first"), sender: Sender(uid: 1, pid: nil), payloads: [.empty])
        let names = try uids.indices.map { try TopicName("t\($0 / 2)") }
        bus.publish(first) { _ in
            for (name, uid) in zip(names, uids) {
                let sender = Sender(uid: uid, pid: nil)
                if registers {
                    bus.register(name, settings: settings, by: sender) { outcome in
                        if case .failure = outcome { refused.value += 1 }
                    }
                } else {
                    let batch = PublishBatch(topic: name, sender: sender, payloads: [.empty])
                    bus.publish(batch) { outcome in
                        if case .failure = outcome { refused.value += 1 }
                    }
                }
            }
        }
        return (bus.statistics.topics, refused.value)
    }

    @Test(arguments: [false, true])
    func topicsThatAreOnTheirWayCountAgainstTheLimits(registers: Bool) throws {
        // Two batches for each of 10 topics.
        let one = [UInt32?](repeating: 7, count: 20)
        var limits = BusLimits()
        limits.topicsMax = 4
        #expect(try topicsOfABurst(limits, from: one, registers: registers) == (4, 14))
        limits.topicsMax = 100
        limits.topicsPerUIDMax = 3
        #expect(try topicsOfABurst(limits, from: one, registers: registers) == (4, 14))
        // Each topic is made by two, each of whom it may count for.
        let two = (0..<20).map { UInt32?($0.isMultiple(of: 2) ? 7 : 8) }
        #expect(try topicsOfABurst(limits, from: two, registers: registers) == (4, 14))
        limits.topicsPerUIDMax = nil
        #expect(try topicsOfABurst(limits, from: two, registers: registers) == (11, 0))
    }

    @Test func thePlaceOfATopicThatTheStoreRefusesIsGivenBack() throws {
        var limits = BusLimits()
        limits.topicsMax = 2
        limits.topicsPerUIDMax = 1
        limits.commitQueueBytesMax = 20_000
        let bench = try Bench(limits: limits)
        let bus = bench.bus
        let owner = Sender(uid: 7, pid: nil)
        let large = PublishBatch(
            topic: try TopicName("large"), sender: owner,
            payloads: [Payload(count: 30_000) { _ in }])
        let small = PublishBatch(
            topic: try TopicName("small"), sender: owner, payloads: [.empty])
        let refusals = Protected<[BusError]>([])
        let first = PublishBatch(topic: try TopicName("first"), payloads: [.empty])
        bus.publish(first) { _ in
            for batch in [large, small, large] {
                bus.publish(batch) { outcome in
                    if case .failure(let error) = outcome { refusals.append(error) }
                }
            }
        }
        guard refusals.value.count == 2, case .limit = refusals.value[0],
            case .limit = refusals.value[1]
        else {
            Issue.record("\(refusals.value)")
            return
        }
        #expect(bus.statistics.topics == 2)
    }

    @Test func aTopicThatIsRemovedWhileMoreOfItComesKeepsItsPlace() throws {
        var coming = ComingTopics()
        let name = try TopicName("a")
        coming.reserve(name, for: 7)
        coming.reserve(name, for: 7)
        coming.reserve(name, for: nil)
        #expect(coming.count == 1 && coming.count(of: 7) == 1 && coming.count(of: nil) == 1)
        coming.note(name, isThere: true)
        coming.release(name, for: 7, isThere: true)
        #expect(coming.count == 0 && coming.count(of: 7) == 0 && coming.has(name, of: 7))
        coming.note(name, isThere: false)
        #expect(coming.count == 1 && coming.count(of: 7) == 1)
        coming.release(name, for: 7, isThere: false)
        #expect(coming.count == 1 && coming.count(of: 7) == 0 && !coming.has(name, of: 7))
        coming.release(name, for: nil, isThere: false)
        #expect(coming.count == 0 && coming.count(of: nil) == 0 && !coming.has(name))
    }

    @Test func aStoppingBusRefusesWhatIsNewAndReadsOn() throws {
        let bench = try Bench()
        try bench.publish("a", "x")
        #expect(bench.bus.readiness == .ready)
        bench.bus.drain()
        #expect(throws: BusError.draining) { try bench.publish("a", "y") }
        #expect(throws: BusError.draining) { try bench.register("a") }
        #expect(throws: BusError.draining) { try bench.remove("a") }
        #expect(bench.bus.readiness != .ready)
        #expect(try bench.read(from: .earliest, "a").texts == ["x"])
    }

    // MARK: Observers

    private final class Witness: TopicObserver {
        let seen = Protected<[Admission]>([])
        func admitted(_ admission: Admission) { seen.write { $0.append(admission) } }
    }

    @Test func observersLearnOfEachChangeBeforeThePublisherDoes() throws {
        let bench = try Bench()
        let witness = Witness()
        bench.broadcaster.register((any TopicObserver).self, observer: witness)
        let name = try TopicName("a")
        let batch = PublishBatch(topic: name, payloads: [.empty, .empty])
        let seenByThen = Protected<[Admission]>([])
        let receipt = try bench.answer { then in
            bench.bus.publish(batch) { outcome in
                seenByThen.value = witness.seen.value
                then(outcome)
            }
        }
        let hub = ObjectIdentifier(bench.bus.followers)
        let events = Admission(
            topic: name, newest: receipt.last, change: .events, subscribers: 0, hub: hub)
        #expect(seenByThen.value == [events])
        let place = try bench.remove("a")
        let removal = Admission(
            topic: name, newest: place, change: .removal, subscribers: 0, hub: hub)
        #expect(witness.seen.value == [events, removal])
    }

    @Test func publishingIsAlsoAsynchronous() async throws {
        let bench = try Bench()
        let batch = PublishBatch(topic: try TopicName("a"), payloads: [.empty])
        let receipt = try await bench.bus.publish(batch)
        #expect(receipt.first == bench.bus.newest && receipt.count == 1)
        let reserved = PublishBatch(topic: try TopicName("$a"), payloads: [.empty])
        await #expect(throws: BusError.topicReserved(reserved.topic)) {
            try await bench.bus.publish(reserved)
        }
    }
}
