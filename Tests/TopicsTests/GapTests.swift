import StoreSupport
import TestSupport
import Testing

@testable import Topics

struct GapTests {
    @Test func aCursorBelowTheHighestLossHasAGapAndNoOther() throws {
        let bench = try Bench()
        try bench.register("a", keep: 2)
        let ids = try bench.publish("a", "1", "2", "3", "4")
        for cursor in ids[..<1] {
            #expect(
                try bench.read(after: cursor, "a").gap == Gap(after: cursor, through: ids[1]))
        }
        #expect(try bench.read(after: ids[1], "a").texts == ["3", "4"])
        #expect(try bench.read(after: ids[3], "a").isCaughtUp)
    }

    @Test func whatIsRetainedInTheRangeOfAGapFollows() throws {
        let bench = try Bench()
        try bench.register("a", keep: 1)
        let first = try bench.publish("b", "kept")
        let lost = try bench.publish("a", "1", "2")
        let read = try bench.read(after: first[0].before, "a,b")
        #expect(read.gap == Gap(after: first[0].before, through: lost[0]))
        #expect(try bench.read(read.next, "a,b").texts == ["kept", "2"])
    }

    @Test func aGapIsToldOnce() throws {
        let bench = try Bench()
        try bench.register("a", keep: 1)
        let before = try bench.publish("b", "x")
        try bench.publish("a", "1", "2")
        let told = try bench.read(after: before[0].before, "a,b")
        let read = try bench.read(told.next, "a,b", events: 1)
        #expect(read.texts == ["x"])
        #expect(try bench.read(read.next, "a,b").texts.last == "2")
    }

    @Test func aCursorAboveTheNewestIsOfAnotherLifeAndStartsOver() throws {
        let bench = try Bench()
        let ids = try bench.publish("a", "1", "2")
        let floor = ids[0].before
        let cursor = EventID(rawValue: ids[1].rawValue + 1_000)
        let read = try bench.read(after: cursor, "a")
        #expect(read.gap == Gap(after: cursor, through: floor))
        #expect(try bench.read(read.next, "a").texts == ["1", "2"])
    }

    @Test func aCursorOfTheLifeBeforeHasAGapOnEveryTopic() throws {
        let bench = try Bench()
        let floor = bench.bus.newest
        for selector in ["never-was", "*", "a,b"] {
            #expect(
                try bench.read(after: floor.before, selector).gap
                    == Gap(after: floor.before, through: floor))
            #expect(try bench.read(after: floor, selector).isCaughtUp)
        }
    }

    @Test func startsThatAreNotStatedNeverGap() throws {
        let bench = try Bench()
        try bench.register("a", keep: 1)
        try bench.publish("b", "old")
        try bench.publish("a", "1", "2")
        let starts: [StartPosition] = [.now, .earliest, .latest, .last(1), .last(9), .after(.zero)]
        for start in starts {
            for selector in ["a", "b", "a,b", "*", "nowhere"] {
                #expect(try bench.read(from: start, selector).gap == nil)
                #expect(try bench.read(try bench.start(start, selector), selector).gap == nil)
            }
        }
    }

    @Test func startsFindTheirPlace() throws {
        let bench = try Bench()
        try bench.publish("a", "1")
        try bench.publish("b", "2")
        try bench.publish("a", "3")
        #expect(try bench.read(from: .earliest, "*").texts == ["1", "2", "3"])
        #expect(try bench.read(from: .latest, "b").texts == ["2"])
        #expect(try bench.read(from: .latest, "*").texts == ["3"])
        #expect(try bench.read(from: .last(2), "*").texts == ["2", "3"])
        #expect(try bench.read(from: .last(2), "a").texts == ["1", "3"])
        #expect(try bench.read(from: .last(9), "a").texts == ["1", "3"])
        #expect(try bench.read(from: .last(0), "a").isCaughtUp)
        #expect(try bench.read(from: .now, "a").isCaughtUp)
    }

    @Test func lastCountsOnlyWhatIsWanted() throws {
        let bench = try Bench()
        try bench.publish("a", "1", type: "red")
        for index in 0..<10_000 where index % 500 == 0 {
            try bench.publish("a", (0..<500).map { _ in .empty })
        }
        let start = try bench.start(.latest, "a", type: "red")
        #expect(try bench.read(start, "a", type: "red").texts == ["1"])
    }

    @Test func aTimeStartsAtTheFirstEventThatIsNotEarlier() throws {
        let bench = try Bench()
        bench.clock.advance(seconds: 1)
        try bench.publish("a", "1")
        bench.clock.advance(seconds: 10)
        let middle = bench.clock.now()
        try bench.publish("a", "2")
        bench.clock.advance(seconds: 10)
        try bench.publish("b", "3")
        #expect(try bench.read(from: .time(middle), "a").texts == ["2"])
        #expect(try bench.read(from: .ago(microseconds: 10_000_000), "*").texts == ["2", "3"])
        #expect(try bench.read(from: .ago(microseconds: 9_999_999), "*").texts == ["3"])
        #expect(try bench.read(from: .ago(microseconds: 20_000_000), "a").texts == ["1", "2"])
    }

    @Test func aTimeBeforeTheFirstStartOfAllIsNoGapAsLongAsNothingWasLost() throws {
        let folder = TemporaryFolder(inMemory: true)
        let clock = ManualClock()
        func begin() throws -> Bench {
            try Bench(
                store: MemoryStore(ceiling: try IDCeiling(directory: folder.path)), clock: clock)
        }
        let starts: [StartPosition] = [
            .ago(microseconds: 86_400_000_000), .time(Timestamp(microseconds: 1)),
        ]
        func gaps(_ bench: Bench, _ selector: String) throws -> [Gap] {
            try starts.compactMap { try bench.read(from: $0, selector).gap }
        }

        do {
            let first = try begin()
            let floor = first.bus.newest
            try first.register("a", keep: 2)
            for selector in ["a", "nowhere", "*"] { #expect(try gaps(first, selector) == []) }
            clock.advance(seconds: 1)
            try first.publish("a", "1", "2")
            #expect(try gaps(first, "a") == [])
            #expect(try first.read(from: starts[0], "*").texts == ["1", "2"])

            let lost = try first.publish("a", "3")[0].rawValue - 2
            for selector in ["a", "*"] {
                let told = Gap(after: .zero, through: EventID(rawValue: lost))
                #expect(try gaps(first, selector) == [told, told])
            }
            #expect(try gaps(first, "nowhere") == [])
            // A cursor is no time: whoever has one was told by some bus that it had seen as much.
            #expect(try first.read(after: floor.before, "nowhere").gap != nil)
        }

        // What was before is lost with memory.
        clock.advance(seconds: 1)
        let second = try begin()
        for selector in ["a", "nowhere", "*"] { #expect(try gaps(second, selector).count == 2) }
    }

    @Test func whatWasLostBeforeAStartIsAGapOfEverySelectorThatHasIt() throws {
        let now = Timestamp(microseconds: 1_700_000_000_000_000)
        let lost = EventID(rawValue: 50)
        func topic(_ name: String, lost: EventID) throws -> StoredTopic {
            StoredTopic(
                name: try TopicName(name),
                settings: TopicSettings(retention: .standard, persists: true), owner: nil,
                removedThrough: lost, removedTime: now, older: nil, recent: [])
        }
        let gone = StoredTombstone(
            name: try TopicName("was"), removedThrough: lost, removedTime: now)
        for (name, topics, tombstones) in [
            ("was", [], [gone]), ("is", [try topic("is", lost: lost)], []),
        ] as [(String, [StoredTopic], [StoredTombstone])] {
            var log = EventLog(
                contents: StoreContents(
                    newest: EventID(rawValue: 100), floor: EventID(rawValue: 10), floorTime: now,
                    topics: topics + [try topic("other", lost: .zero)], tombstones: tombstones),
                store: StoreCapabilities(keepsOlder: true), limits: BusLimits(),
                defaults: .standard, autocreate: true,
                now: now)
            for text in [name, "\(name),other", "other,\(name),nowhere", "*", "other,\(name).>,>"] {
                for isWaiting in [false, true] {
                    let position = LogPosition(
                        after: EventID(rawValue: 20), reportedThrough: EventID(rawValue: 30),
                        isWaiting: isWaiting)
                    let read = log.read(position, try Selector(text), now: now)
                    #expect(read.gap == Gap(after: position.after, through: lost), "\(text)")
                }
            }
            let position = LogPosition(after: EventID(rawValue: 20))
            #expect(log.read(position, try Selector("other,nowhere"), now: now).isCaughtUp)
        }
    }

    @Test func aTimeThatReachesIntoRemovedEventsTellsAGap() throws {
        let bench = try Bench()
        try bench.register("a", keep: 1)
        bench.clock.advance(seconds: 1)
        try bench.publish("b", "early")
        bench.clock.advance(seconds: 10)
        let lost = try bench.publish("a", "1")
        let time = bench.clock.now()
        bench.clock.advance(seconds: 10)
        try bench.publish("a", "2")
        let read = try bench.read(from: .time(time), "a,b")
        #expect(read.gap == Gap(after: .zero, through: lost[0]))
        #expect(try bench.read(read.next, "a,b").texts == ["2"])
        let later = time.advanced(microseconds: 1)
        #expect(try bench.read(from: .time(later), "a").texts == ["2"])
    }
}

extension EventID {
    var before: EventID { EventID(rawValue: rawValue - 1) }
}
