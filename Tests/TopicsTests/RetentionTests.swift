import Testing
import Topics

struct RetentionTests {
    @Test func keepBoundsTheNumberOfEvents() throws {
        let bench = try Bench()
        try bench.register("a", keep: 2)
        try bench.publish("a", "1", "2", "3")
        #expect(try bench.read(from: .earliest, "a").texts == ["2", "3"])
    }

    @Test func bytesBoundTheSumOfPayloads() throws {
        let bench = try Bench()
        try bench.register("a", bytes: 10)
        try bench.publish("a", "1234", "56789", "0")
        #expect(try bench.read(from: .earliest, "a").texts == ["1234", "56789", "0"])
        try bench.publish("a", "x")
        #expect(try bench.read(from: .earliest, "a").texts == ["56789", "0", "x"])
    }

    @Test func ageRemovesWhatIsOldWheneverTheTopicIsTouched() throws {
        let bench = try Bench()
        try bench.register("a", age: 10_000_000)
        try bench.publish("a", "1")
        bench.clock.advance(seconds: 6)
        try bench.publish("a", "2")
        bench.clock.advance(seconds: 3.999_999)
        #expect(try bench.read(from: .earliest, "a").texts == ["1", "2"])
        bench.clock.advance(microseconds: 1)
        #expect(try bench.read(from: .earliest, "a").texts == ["2"])
        bench.clock.advance(seconds: 6)
        #expect(bench.bus.description(of: try TopicName("a"))?.events == 0)
    }

    @Test func anEventLargerThanItsTopicIsRefusedByItsIndex() throws {
        let bench = try Bench()
        try bench.register("a", bytes: 3)
        #expect(throws: BusError.eventTooLarge(bytesMax: 3, index: 1)) {
            try bench.publish("a", "123", "1234")
        }
        #expect(try bench.read(from: .earliest, "a").isCaughtUp)
        try bench.publish("a", "123")
    }

    @Test func newSettingsTrimAtOnce() throws {
        let bench = try Bench()
        try bench.publish("a", "1", "2", "3")
        let (topic, isNew) = try bench.register("a", keep: 1)
        #expect(!isNew)
        #expect(topic.events == 1)
        #expect(try bench.read(from: .earliest, "a").texts == ["3"])
    }

    // MARK: Grace

    @Test func aWaitingReaderStillGetsWhatWasRemovedLessThanTheGraceAgo() throws {
        let bench = try Bench()
        try bench.register("a", keep: 1)
        let waiting = try bench.read(try bench.start(.now, "a"), "a").next
        #expect(waiting.isWaiting)
        try bench.publish("a", "1", "2", "3")
        bench.clock.advance(microseconds: 1_999_999)
        #expect(try bench.read(waiting, "a").texts == ["1", "2", "3"])
        let stated = try bench.read(LogPosition(after: waiting.after), "a")
        #expect(stated.gap != nil)
        #expect(try bench.read(stated.next, "a").texts == ["3"])
    }

    @Test func afterTheGraceAWaitingReaderIsToldTheGap() throws {
        let bench = try Bench()
        try bench.register("a", keep: 1)
        let waiting = try bench.read(try bench.start(.now, "a"), "a").next
        let ids = try bench.publish("a", "1", "2", "3")
        bench.clock.advance(seconds: 2)
        let read = try bench.read(waiting, "a")
        #expect(read.gap == Gap(after: waiting.after, through: ids[1]))
        #expect(try bench.read(read.next, "a").texts == ["3"])
    }

    @Test func keepingNothingIsLiveOnly() throws {
        let bench = try Bench()
        try bench.register("a", keep: 0)
        let waiting = try bench.read(try bench.start(.now, "a"), "a").next
        let ids = try bench.publish("a", "1", "2")
        #expect(try bench.read(waiting, "a").texts == ["1", "2"])
        #expect(try bench.read(from: .earliest, "a").isCaughtUp)
        #expect(try bench.read(after: ids[0], "a").gap == Gap(after: ids[0], through: ids[1]))
        #expect(bench.bus.description(of: try TopicName("a"))?.events == 0)
    }

    @Test func aClockThatIsSetBackNeitherKeepsTheGracedForEverNorLosesEvents() throws {
        let bench = try Bench()
        try bench.register("a", keep: 1)
        let ids = try bench.publish("a", "1", "2")
        bench.bus.sweep()
        let both = bench.memory.used(.events)
        bench.clock.advance(seconds: -3_600)
        bench.bus.sweep()
        #expect(bench.memory.used(.events) == both / 2)
        #expect(try bench.read(from: .earliest, "a").texts == ["2"])
        let later = try bench.publish("a", "3")
        #expect(later[0] > ids[1])
        let times = try bench.read(from: .earliest, "a").events.map(\.time)
        #expect(times.allSatisfy { $0 == times[0] })
    }

    @Test func aSweepLooksAfterEveryTopicThatIsDue() throws {
        let bench = try Bench(defaults: Retention(keep: nil, bytes: nil, age: 5_000_000))
        for index in 0..<1_000 { try bench.publish("t\(index)", "x") }
        bench.clock.advance(seconds: 5)
        bench.bus.sweep()
        #expect(bench.bus.statistics.topics == 1_000)
        bench.clock.advance(seconds: 2)
        bench.bus.sweep()
        #expect(bench.bus.statistics.topics == 0)
        #expect(bench.bus.statistics.tombstones == 1_000)
        #expect(bench.memory.used(.events) == 0)
    }
}
