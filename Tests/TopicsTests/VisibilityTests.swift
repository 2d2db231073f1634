import Testing
import Topics

/// What a selector that is limited to some topics reads.
struct VisibilityTests {
    /// Hides every topic that begins with `h`.
    private static let visibility = TopicVisibility([1]) { !$0.text.hasPrefix("h") }

    private func read(
        _ bench: Bench, _ position: LogPosition, _ selector: String
    ) throws -> LogRead {
        bench.bus.read(
            position, matching: try Selector(selector).limited(to: Self.visibility), filter: .all,
            limit: .standard)
    }

    @Test func hiddenEventsAreNotThereAndTheCursorPassesThem() throws {
        let bench = try Bench()
        let first = try bench.publish("a", "1")[0].before
        try bench.publish("hidden", "2")
        try bench.publish("b", "3")
        let last = try bench.publish("hide.more", "4")[0]
        for selector in [">", "*,hide.*", "a,b,*"] {
            let read = try read(bench, LogPosition(after: first), selector)
            #expect(read.texts == ["1", "3"])
            #expect(read.next.after == last)
        }
        #expect(try bench.read(after: first, ">").texts == ["1", "2", "3", "4"])
    }

    @Test func whatHiddenTopicsLostIsNoGap() throws {
        let bench = try Bench()
        let before = try bench.publish("a", "1")[0].before
        try bench.register("hidden", keep: 1)
        let lost = try bench.publish("hidden", "2", "3", "4")[1]
        try bench.remove("hidden")
        try bench.publish("b", "5")
        #expect(try read(bench, LogPosition(after: before), ">").texts == ["1", "5"])
        #expect(try bench.read(after: before, ">").gap.map { $0.through >= lost } == true)
    }

    @Test func whatVisibleTopicsLostIsAGap() throws {
        let bench = try Bench()
        try bench.register("a", keep: 1)
        let ids = try bench.publish("a", "1", "2", "3")
        try bench.publish("hidden", "4")
        let before = ids[0].before
        let told = try read(bench, LogPosition(after: before), ">")
        #expect(told.gap == Gap(after: before, through: ids[1]))
        #expect(try read(bench, told.next, ">").texts == ["3"])
    }

    @Test func topicsThatComeLaterAreJudgedByTheirNames() throws {
        let bench = try Bench()
        let start = try bench.publish("a", "1")[0]
        // The index of the pattern is there before the topics are.
        #expect(try read(bench, LogPosition(after: start), "*").isCaughtUp)
        try bench.publish("hidden", "2")
        try bench.publish("later", "3")
        #expect(try read(bench, LogPosition(after: start), "*").texts == ["3"])
    }

    @Test func standingAndSubscribersCountWhatIsVisible() throws {
        let bench = try Bench()
        let selector = try Selector(">").limited(to: Self.visibility)
        bench.bus.beginSubscription(selector)
        #expect(try bench.receipt("a", [Payload([1])]).subscribers == 1)
        #expect(try bench.receipt("hidden", [Payload([1])]).subscribers == 0)
        #expect(bench.bus.summary(of: selector).count == 1)
        bench.bus.endSubscription(selector)
        #expect(try bench.receipt("a", [Payload([1])]).subscribers == 0)
    }

    @Test func aSingleNameStaysAsItIs() throws {
        let name = try Selector("hidden")
        #expect(name.limited(to: Self.visibility) == name)
        let wide = try Selector("a,b")
        #expect(wide.limited(to: nil) == wide)
        #expect(wide.limited(to: Self.visibility) != wide)
        #expect(wide.limited(to: Self.visibility).limited(to: nil) == wide)
        #expect(
            wide.limited(to: Self.visibility)
                == wide.limited(to: TopicVisibility([1]) { _ in false }))
    }
}
