import Testing

@testable import Topics

/// What changed since a list of topics was made.
@Suite struct TopicChangesTests {
    private let bench: Bench

    init() throws {
        var limits = BusLimits()
        limits.tombstonesMax = 4
        bench = try Bench(limits: limits)
    }

    /// Everything that changed, in as many turns as it takes.
    private func changes(
        since moment: ListMoment?, _ selector: String = ">"
    ) throws -> TopicChanges {
        let changes = bench.bus.changes(since: moment, matching: try Selector(selector))
        while bench.bus.turn(of: changes) {}
        return changes
    }

    private func names(_ changes: TopicChanges) -> [String] {
        changes.topics.map(\.name.text).sorted()
    }

    private func moment() throws -> ListMoment { try changes(since: nil).next }

    @Test func aTopicIsToldForItsEventsAlone() throws {
        for topic in ["a", "b.x", "b.y"] { try bench.publish(topic, "1") }
        let first = try changes(since: nil)
        #expect(first.areAll && names(first) == ["a", "b.x", "b.y"])
        #expect(try changes(since: first.next).isEmpty)
        try bench.publish("b.x", "2", "3")
        let second = try changes(since: first.next)
        #expect(!second.areAll && names(second) == ["b.x"] && second.topics[0].events == 3)
        #expect(try names(changes(since: first.next, "a")) == [])
        #expect(try changes(since: second.next).isEmpty)
    }

    @Test func settingsAndRetentionChangeATopic() throws {
        try bench.publish("a", "1")
        try bench.publish("other", "1")
        let first = try moment()
        try bench.register("a", age: 10_000_000)
        try bench.register("empty")
        let second = try changes(since: first)
        #expect(names(second) == ["a", "empty"])
        bench.clock.advance(seconds: 11)
        bench.bus.sweep()
        let third = try changes(since: second.next)
        #expect(names(third) == ["a"] && third.topics[0].events == 0)
    }

    @Test func aTopicThatIsGoneIsTold() throws {
        for topic in ["kept", "deleted", "again"] { try bench.publish(topic, "1") }
        let first = try moment()
        try bench.remove("deleted")
        try bench.remove("again")
        try bench.publish("again", "2")
        let second = try changes(since: first)
        #expect(second.removed.map(\.text) == ["deleted"] && names(second) == ["again"])
        #expect(try changes(since: first, "kept,again").removed.isEmpty)
        // Nobody deletes it: it vanishes with its last event.
        bench.clock.advance(seconds: 2 * 86_400)
        bench.bus.sweep()
        bench.clock.advance(seconds: 60)
        bench.bus.sweep()
        let third = try changes(since: second.next)
        #expect(Set(third.removed.map(\.text)) == ["kept", "again"] && third.topics.isEmpty)
    }

    @Test func whereRemovalsAreForgottenAllIsTold() throws {
        try bench.publish("kept", "1")
        for number in 0..<6 { try bench.publish("t\(number)", "1") }
        let first = try moment()
        for number in 0..<4 { try bench.remove("t\(number)") }
        let second = try changes(since: first)
        #expect(!second.areAll && second.removed.count == 4)
        try bench.remove("t4")
        let third = try changes(since: first)
        #expect(third.areAll && names(third) == ["kept", "t5"] && third.removed.isEmpty)
        // Behind what is forgotten, changes are told again.
        #expect(try changes(since: second.next).removed.map(\.text) == ["t4"])
    }

    @Test func theEndOfATopicThatNeverHadAnEventIsNotLost() throws {
        try bench.register("empty")
        let first = try moment()
        try bench.remove("empty")
        let second = try changes(since: first)
        #expect(second.areAll && names(second) == [])
        #expect(try changes(since: second.next).isEmpty)
    }

    @Test func ofAMomentThatIsYetToComeAllIsTold() throws {
        try bench.publish("a", "1")
        let now = try moment()
        let later = EventID(rawValue: now.newest.rawValue + 1)
        for wrong in [
            ListMoment(newest: later, number: now.number),
            ListMoment(newest: now.newest, number: now.number + 1),
        ] {
            let changes = try changes(since: wrong)
            #expect(changes.areAll && changes.next == now)
        }
    }

    @Test func fewChangesCostTheSameHoweverManyTopicsThereAre() throws {
        var steps: [Int] = []
        for count in [10, 10_000] {
            for number in 0..<count { try bench.publish("t\(number)", "x") }
            let before = try moment()
            for number in 0..<3 { try bench.publish("t\(number)", "y") }
            let changes = bench.bus.changes(since: before, matching: try Selector(">"))
            var left = Limits.turnStepsMax
            #expect(!bench.bus.withLog { changes.turn(&$0, &left) })
            #expect(changes.topics.count == 3)
            steps.append(Limits.turnStepsMax - left)
        }
        #expect(steps[0] == steps[1] && steps[0] < 50)
    }

    @Test func manyChangesTakeSeveralTurnsAndMissNothing() throws {
        for number in 0..<3_000 { try bench.publish("t\(number)", "x") }
        let before = try moment()
        for number in 0..<3_000 { try bench.publish("t\(number)", "y") }
        let changes = bench.bus.changes(since: before, matching: try Selector(">"))
        var turns = 0
        var goesOn = true
        while goesOn {
            var left = Limits.turnStepsMax
            goesOn = bench.bus.withLog { changes.turn(&$0, &left) }
            #expect(left > -Limits.lastTopicStepsMax)
            turns += 1
            // What it has looked at already, or has not: it is told again behind it.
            if turns == 1 { try bench.publish("t0", "z") }
            if turns == 2 { try bench.remove("t1") }
        }
        #expect(turns > 3 && !changes.areAll && changes.topics.count >= 2_999)
        let next = try self.changes(since: changes.next)
        #expect(names(next) == ["t0"] && next.removed.map(\.text) == ["t1"])
    }
}
