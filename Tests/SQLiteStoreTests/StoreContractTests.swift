import Protection
import TestSupport
import Testing
import Topics

@testable import SQLiteStore

/// What `EventStore` promises, as one body for every store there is.
@Suite(.blocking) struct StoreContractTests {
    @Test(arguments: StoreRig.Kind.allCases)
    func eventsAreWhatWasPublishedWithRisingIDsAndTimesThatNeverFall(kind: StoreRig.Kind) throws {
        let rig = try StoreRig(kind)
        #expect(rig.contents.topics.isEmpty && rig.contents.tombstones.isEmpty)
        let start = rig.clock.now()
        var all: [Event] = []
        for round in 0..<20 {
            let batch = PublishBatch(
                topic: try TopicName("t\(round % 3)"),
                metadata: try EventMetadata(type: "type", key: "\(round)", contentType: "a/b"),
                sender: Sender(uid: 7, pid: Int32(round)),
                payloads: (0...(round % 3)).map { Payload(Array("\(round).\($0)".utf8)) })
            let persists = round % 4 > 0
            guard case .events(let events) = try rig.commit(.events(batch, persists: persists))
            else { throw StoreRig.WrongReceipt() }
            #expect(events.map(\.payload.array) == batch.payloads.map(\.array))
            #expect(events.allSatisfy { $0.topic == batch.topic && $0.sender == batch.sender })
            #expect(events.allSatisfy { $0.metadata == batch.metadata })
            let isStored = persists && rig.store.capabilities.keepsOlder
            #expect(events.allSatisfy { $0.isStored == isStored })
            #expect(Set(events.map(\.time)).count == 1)
            all += events
            rig.clock.advance(seconds: round.isMultiple(of: 2) ? -100 : 60)
        }
        #expect(all[0].id > rig.contents.newest && rig.contents.newest >= rig.contents.floor)
        #expect(all[0].id > rig.contents.unusedThrough)
        #expect(all.allSatisfy { $0.time >= start })
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.id < $1.id && $0.time <= $1.time })
    }

    @Test(arguments: StoreRig.Kind.allCases)
    func everyAnswerComesOnceInTheOrderOfIDsAndOneAtATime(kind: StoreRig.Kind) throws {
        let rig = try StoreRig(kind)
        let places = Protected<[EventID]>([])
        let inside = Protected(0)
        let overlaps = Protected(0)
        let settings = TopicSettings(
            retention: Retention(keep: nil, bytes: nil, age: nil), persists: true)
        let gate = Gate(openings: 6 * 120)
        try inParallel(6) { thread in
            for round in 0..<120 {
                let topic = try TopicName("t\(thread)")
                let batch = PublishBatch(
                    topic: topic, payloads: Array(repeating: .empty, count: 1 + round % 3))
                let entry: StoreEntry =
                    switch round % 10 {
                    case 3: .registration(topic, SettingsChange(settings), owner: nil)
                    case 7: .removal(topic)
                    default: .events(batch, persists: round % 4 > 0)
                    }
                rig.store.commit(entry) { outcome in
                    let others = inside.write { inside in
                        defer { inside += 1 }
                        return inside
                    }
                    if others > 0 { overlaps.write { $0 += 1 } }
                    switch outcome {
                    case .success(.events(let events)): places.write { $0 += events.map(\.id) }
                    case .success(.removal(let id)): places.write { $0.append(id) }
                    case .success: break
                    case .failure(let error): Issue.record("\(error)")
                    }
                    inside.write { $0 -= 1 }
                    gate.open()
                }
            }
        }
        try gate.wait(within: .seconds(60))
        let ids = places.value
        // Of ten rounds one takes no place, one takes one, and the others those of their events.
        let taken = (0..<120).reduce(0) { $0 + ($1 % 10 == 3 ? 0 : $1 % 10 == 7 ? 1 : 1 + $1 % 3) }
        #expect(overlaps.value == 0)
        #expect(ids.count == 6 * taken)
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test(arguments: StoreRig.Kind.allCases)
    func anAnswerMayCommitAgainAndWhatWaitsIsBounded(kind: StoreRig.Kind) throws {
        let rig = try StoreRig(kind, queueBytesMax: 2_000)
        let batch = PublishBatch(
            topic: try TopicName("a"), payloads: [Payload(Array("inner".utf8))])
        let taken = Protected<[EventID]>([])
        let refused = Protected(0)
        let gate = Gate(openings: 21)
        let store = rig.store
        store.commit(.events(batch, persists: true)) { outcome in
            if case .success(.events(let events)) = outcome {
                taken.write { $0 += events.map(\.id) }
            }
            for _ in 0..<20 {
                store.commit(.events(batch, persists: true)) { outcome in
                    switch outcome {
                    case .success(.events(let events)): taken.write { $0 += events.map(\.id) }
                    case .failure(.limit): refused.write { $0 += 1 }
                    default: Issue.record("\(outcome)")
                    }
                    gate.open()
                }
            }
            gate.open()
        }
        try gate.wait(within: .seconds(60))
        let last = try rig.publish("a", "there is room again")[0]
        #expect(refused.value > 0 && taken.value.count > 1)
        #expect(taken.value.count + refused.value == 21)
        guard rig.store.capabilities.keepsOlder else { return }
        #expect(
            try rig.read("a", from: .after(.zero), through: last.id).map(\.id)
                == taken.value + [last.id])
    }

    @Test(arguments: StoreRig.Kind.keepingOlder)
    func aReadFindsExactlyWhatIsStoredBetweenItsEnds(kind: StoreRig.Kind) throws {
        let rig = try StoreRig(kind)
        var random = SeededRandom(for: "reads of \(kind)")
        var all: [Event] = []
        for round in 0..<200 {
            let persists = Int.random(in: 0..<8, using: &random) > 0
            let name = ["a", "b", "a.x", "a.y"].randomElement(using: &random)!
            let events = try rig.publish(
                name, "\(round)", "\(round), too", type: round % 3 == 0 ? "third" : nil,
                persists: persists)
            if persists { all += events }
            rig.clock.advance(seconds: 1)
        }
        for _ in 0..<60 {
            let text = ["a", ">", "a.*", "b,a.x", "*,a.y"].randomElement(using: &random)!
            let type = Bool.random(using: &random) ? "third" : nil
            let selector = try Selector(text)
            let wanted = all.filter {
                selector.matches($0.topic) && (type == nil || $0.metadata.type == type)
            }
            let (low, high) = (
                all.randomElement(using: &random)!, all.randomElement(using: &random)!
            )
            let through = max(low.id, high.id)
            let inReach = wanted.filter { $0.id <= through }
            let count = Int.random(in: 1...30, using: &random)
            let starts: [(start: StartPosition, expected: [Event])] = [
                (.after(min(low.id, high.id)), inReach.filter { $0.id > min(low.id, high.id) }),
                (
                    .time(min(low.time, high.time)),
                    inReach.filter { $0.time >= min(low.time, high.time) }
                ),
                (.last(count), Array(inReach.suffix(count))),
            ]
            for (start, expected) in starts {
                let found = try rig.read(
                    text, from: start, through: through, type: type,
                    events: [1, 7, 1_000].randomElement(using: &random)!)
                #expect(found.map(\.id) == expected.map(\.id), "\(text) from \(start)")
                #expect(found.map(\.payload.array) == expected.map(\.payload.array))
                #expect(found.allSatisfy { $0.isStored })
            }
        }
    }

    @Test(arguments: StoreRig.Kind.keepingOlder)
    func aTrimRemovesTheOldestUntilTheBoundsAreMetAndSaysWhatIsLost(kind: StoreRig.Kind) throws {
        let rig = try StoreRig(kind)
        var events: [Event] = []
        for round in 0..<40 {
            events += try rig.publish("a", "\(round % 10)\(round / 10)")
            try rig.publish("other", "stays")
            rig.clock.advance(seconds: 1)
        }
        let none = Retention(keep: nil, bytes: nil, age: nil)
        func check(
            _ bounds: Retention, through: EventID, removes count: Int, leaves first: Int
        ) throws {
            let loss = try rig.trim("a", through: through, bounds)
            #expect(loss.sum == EventSum(count: count, bytes: 2 * count))
            #expect(loss.oldest == events[first].id && loss.oldestTime == events[first].time)
            #expect(
                loss.removedThrough >= events[first - 1].id
                    && loss.removedThrough < events[first].id)
            let last = events[39].id
            #expect(
                try rig.read("a", from: .after(.zero), through: last).map(\.id)
                    == events[first...].map(\.id))
        }
        // Of what goes up to the id the log knows: only what goes beyond is counted.
        try check(none, through: events[4].id, removes: 0, leaves: 5)
        try check(
            Retention(keep: 30, bytes: nil, age: nil), through: .zero, removes: 5, leaves: 10)
        try check(
            Retention(keep: nil, bytes: 40, age: nil), through: events[14].id, removes: 5,
            leaves: 20)
        // The clock is a second behind the last one.
        try check(
            Retention(keep: nil, bytes: nil, age: 10_000_000), through: .zero, removes: 11,
            leaves: 31)
        try check(none, through: .zero, removes: 0, leaves: 31)
        let all = try rig.trim("a", through: .zero, Retention(keep: 0, bytes: nil, age: nil))
        #expect(all.sum.count == 9 && all.oldest == nil && all.removedThrough == events[39].id)
        #expect(
            try rig.read(">", from: .after(.zero), through: rig.publish("a", "new")[0].id).count
                == 41)
    }

    @Test(arguments: StoreRig.Kind.keepingOlder)
    func aRemovalTakesAPlaceAndWithItAllThatCameBefore(kind: StoreRig.Kind) throws {
        let rig = try StoreRig(kind)
        let before = try rig.publish("a", "x", "y")
        let others = try rig.publish("b", "z")
        let place = try rig.remove("a")
        let after = try rig.publish("a", "new")
        #expect(before[1].id < others[0].id && others[0].id < place && place < after[0].id)
        #expect(
            try rig.read(">", from: .after(.zero), through: after[0].id).map(\.id)
                == [others[0].id, after[0].id])
    }

    @Test(arguments: StoreRig.Kind.lasting)
    func anotherLifeHasEveryEventOrSaysThatItIsLostAndGivesNoIDAgain(kind: StoreRig.Kind) throws {
        var rig = try StoreRig(kind)
        let unused = rig.contents.unusedThrough
        var all: [(event: Event, persists: Bool)] = []
        for life in 0..<4 {
            let first = try rig.publish("kept", "\(life)")
            #expect(all.allSatisfy { $0.event.id < first[0].id })
            all += first.map { ($0, true) }
            all += try rig.publish("signal", "\(life)", persists: false).map { ($0, false) }
            all += try rig.publish("gone", "\(life)").map { ($0, true) }
            _ = try rig.remove("gone")
            all += try rig.publish("kept", "\(life), too", type: "t").map { ($0, true) }
            rig.clock.advance(seconds: -50)
            rig = try rig.reopened()
            let contents = rig.contents
            #expect(contents.newest >= all[all.count - 1].event.id)
            #expect(contents.unusedThrough == unused || contents.unusedThrough == .zero)
            #expect(all.allSatisfy { $0.event.id > contents.unusedThrough })
            for (event, persists) in all {
                let topic = contents.topics.first { $0.name == event.topic }
                let stone = contents.tombstones.first { $0.name == event.topic }
                let isLost =
                    event.id
                    <= max(topic?.removedThrough ?? stone?.removedThrough ?? .zero, contents.floor)
                let keeps = rig.store.capabilities.keepsOlder && persists
                #expect(isLost == (!keeps || event.topic.text == "gone"), "\(event.topic)")
            }
            guard rig.store.capabilities.keepsOlder else { continue }
            let kept = all.map(\.event).filter { $0.topic.text == "kept" }
            let older = try #require(contents.topics.first { $0.name.text == "kept" }?.older)
            #expect(older.sum.count == kept.count && older.oldest == kept[0].id)
            #expect(older.newest == kept[kept.count - 1].id)
            #expect(
                try rig.read("kept", from: .after(.zero), through: contents.newest).map(\.id)
                    == kept.map(\.id))
        }
    }
}
