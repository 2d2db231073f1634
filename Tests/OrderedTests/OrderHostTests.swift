import Protection
import TestSupport
import Testing
import Topics

@testable import Ordered

@Suite struct OrderHostTests {
    @Test func anEntryIsAnsweredOnceThisHostHasAppliedIt() throws {
        var rig = OrderRig()
        try rig.commit("1")
        try rig.goUp()
        let append = try rig.nextAppend()
        rig.host.appended(append.token, .taken, rig.now)
        try rig.show(append)
        #expect(rig.told.value.isEmpty)
        #expect(try rig.apply() == ["own"])
        #expect(rig.isAtRest)
    }

    @Test func entriesWaitForAnOrderAndAreRefusedAfterThat() throws {
        var rig = OrderRig()
        try rig.commit("1")
        rig.fail()
        rig.pass(seconds: 14)
        rig.fail()
        #expect(rig.refused() == [])
        rig.pass(seconds: 1)
        let error = BusError.storeUnreachable("the order is away")
        #expect(rig.refused() == [error])
        #expect(rig.readiness == .refusing("the order is away"))
        #expect(throws: error) { try rig.commit("2") }
        // It takes entries again with the first look that is good.
        try rig.goUp()
        #expect(rig.readiness == .ready)
        try rig.commit("3")
        #expect(try OrderRig.texts(rig.nextAppend()) == ["3"])
    }

    @Test func anAppendWithoutAnOutcomeIsMadeAgainWithItsToken() throws {
        var rig = OrderRig()
        try rig.commit("1")
        try rig.goUp()
        let append = try rig.nextAppend()
        rig.host.appended(append.token, .unknown, rig.now)
        try rig.commit("2")
        rig.pass(seconds: 1)
        try rig.goUp()
        #expect(try rig.nextAppend() == append)
    }

    @Test func anEntryWithoutAnOutcomeIsUnansweredAndArrivesLater() throws {
        var rig = OrderRig()
        try rig.commit("1")
        try rig.goUp()
        let append = try rig.nextAppend()
        rig.answersLooks = true
        rig.pass(seconds: 15)
        // The append is in doubt, what waits behind it is not.
        #expect(throws: BusError.storeUnreachable("the order does not answer")) {
            try rig.commit("2")
        }
        #expect(rig.refused() == [])
        rig.pass(seconds: 45)
        #expect(rig.refused() == [.unanswered])
        try rig.show(append)
        #expect(try rig.apply() == ["another host's"])
        // The order takes appends: it has shown one.
        try rig.commit("3")
    }

    @Test func anAppendThatIsShownNeedsNoOutcome() throws {
        var rig = OrderRig()
        try rig.commit("1")
        try rig.goUp()
        let append = try rig.nextAppend()
        try rig.commit("2")
        try rig.show(append)
        #expect(try rig.apply() == ["own"])
        #expect(try OrderRig.texts(rig.nextAppend()) == ["2"])
        // The late outcome says nothing of the next one.
        for outcome in [EntryOutbox.Outcome.refused, .unknown] {
            rig.host.appended(append.token, outcome, rig.now)
        }
        #expect(rig.refused().isEmpty && rig.readiness == .ready)
        #expect(throws: OrderRig.Unexpected.self) { try rig.nextAppend() }
    }

    @Test func entriesDoNotWaitBehindAnAppendThatNeverHasAnOutcome() throws {
        var rig = OrderRig()
        try rig.goUp()
        try rig.commit("1")
        for _ in 0..<15 {
            rig.host.appended(try rig.nextAppend().token, .unknown, rig.now)
            rig.pass(seconds: 1)
            try rig.goUp()
        }
        let error = BusError.storeUnreachable("the order does not answer")
        #expect(throws: error) { try rig.commit("2") }
        #expect(rig.readiness == .refusing("the order does not answer"))
        rig.host.appended(try rig.nextAppend().token, .taken, rig.now)
        try rig.commit("3")
    }

    @Test func anOrderThatRefusesAnAppendEndsItsEntries() throws {
        var rig = OrderRig()
        try rig.commit("1")
        try rig.goUp()
        rig.host.appended(try rig.nextAppend().token, .refused, rig.now)
        #expect(rig.refused() == [.storeFailed("the order refused the append")])
        #expect(rig.isAtRest)
    }

    @Test func aHostWhoseClockIsFarOffAppendsNothing() throws {
        var rig = OrderRig()
        try rig.commit("0")
        try rig.goUp(clockAhead: 61)
        let detail = "the clock of this host is more than 60 s from that of the order: set it"
        #expect(rig.readiness == .refusing(detail))
        #expect(throws: BusError.storeUnreachable(detail)) { try rig.commit("1") }
        // Others are followed meanwhile.
        #expect(rig.reads() == true)
        #expect(throws: OrderRig.Unexpected.self) { try rig.nextAppend() }
        for _ in 0..<14 {
            rig.pass(seconds: 1)
            try rig.goUp(clockAhead: -61)
        }
        rig.pass(seconds: 1)
        #expect(rig.refused() == [.storeUnreachable(detail)])
        try rig.goUp()
        try rig.commit("2")
        #expect(rig.readiness == .ready)
    }

    @Test func anOrderOfAnotherPastIsNotFollowed() throws {
        let other = OrderLife(identity: 3, base: SampleItems.life.base)
        let cases: [(OrderStanding, String)] = [
            (OrderRig.standing(life: other), "another one"),
            (OrderRig.standing(line: 1), "does not lead"),
            (OrderRig.standing(high: 3), "set back"),
            (OrderRig.standing(chain: 9), "set back"),
        ]
        for (standing, words) in cases {
            let place = OrderPlace(
                sequence: 4, chain: 7, line: 2, time: Timestamp(microseconds: 0))
            var rig = OrderRig(at: place)
            #expect(rig.look() == 4)
            rig.host.looked(.success(standing), rig.now)
            #expect(rig.reads() == false)
            rig.pass(seconds: 15)
            guard case .refusing(let detail) = rig.readiness else {
                Issue.record("it follows \(standing)")
                continue
            }
            #expect(detail.contains(words))
        }
    }

    @Test func anAppendThatCannotBeReadEndsTheWay() throws {
        var rig = OrderRig()
        try rig.goUp()
        #expect(rig.reads() == true)
        rig.items.add([1, 2, 3])
        try rig.commit("1")
        try rig.ask(7)
        rig.host.read(.success(rig.items.items), rig.now)
        let detail = "append 1: a group of the order is damaged: it does not begin like one"
        #expect(rig.refused() == [.storeUnreachable(detail)])
        #expect(rig.ended() == 1)
        #expect(rig.readiness == .refusing(detail))
        #expect(throws: BusError.storeUnreachable(detail)) { try rig.commit("2") }
        #expect(throws: BusError.storeUnreachable(detail)) { try rig.ask(7) }
    }

    @Test func aGroupThatTheReplicaRefusesIsAppliedAgain() throws {
        var rig = OrderRig()
        try rig.goUp()
        for text in ["1", "2"] { try rig.items.add(text) }
        #expect(rig.reads() == true)
        rig.host.read(.success(rig.items.items), rig.now)
        try rig.commit("0")
        let groups = [try rig.nextGroup(), try rig.nextGroup()]
        let full = BusError.storeFull("no room")
        // The second one does not follow then.
        for error in [full, .storeFailed("no place")] {
            #expect(rig.host.applied(.failure(error), rig.now) == nil)
        }
        #expect(rig.readiness == .refusing("no room"))
        #expect(throws: full) { try rig.commit("3") }
        #expect(rig.refused() == [full])
        rig.pass(seconds: 1)
        #expect(try rig.nextGroup().place == groups[0].place)
        #expect(try rig.apply() == ["another host's"])
        #expect(rig.readiness == .ready)
    }

    @Test func aCursorAheadIsAnsweredWithAllThatTheOrderHadWhenItWasAsked() throws {
        var rig = OrderRig()
        try rig.goUp()
        try rig.items.add("1")
        try rig.ask(7)
        try rig.goUp()
        #expect(rig.reads() == true)
        rig.host.read(.success(rig.items.items), rig.now)
        _ = try rig.nextGroup()
        let outcome = rig.host.applied(.success(AppliedGroup(steps: [], newest: .zero)), rig.now)
        let applied = try #require(outcome)
        // Nobody was told of it yet.
        #expect(rig.answered() == 0)
        rig.host.tell(applied)
        #expect(rig.answered() == 1)
        #expect(rig.answered() == 0)
    }

    @Test func aQuestionBehindALookHasALookOfItsOwn() throws {
        var rig = OrderRig()
        #expect(rig.look() == 0)
        try rig.ask(7)
        rig.host.looked(.success(OrderRig.standing(high: 0, chain: nil)), rig.now)
        #expect(rig.look() == 0)
    }

    @Test func questionsOfOneUserAreBoundedAndThoseWhoLeaveMakeRoom() throws {
        var rig = OrderRig()
        for _ in 0..<Limits.questionsPerUserMax { try rig.ask(7) }
        #expect(throws: BusError.readsFull) { try rig.ask(7) }
        try rig.ask(8)
        let numbers = rig.host.waitingReads.keys
        let number = try #require(numbers.min())
        #expect(rig.host.forget([number, number + 100_000]).count == 1)
        try rig.ask(7)
    }

    @Test func aHostThatIsBehindForLongSaysHowFar() throws {
        var rig = OrderRig()
        for text in ["1", "2", "3"] { try rig.items.add(text) }
        try rig.goUp()
        #expect(rig.readiness == .ready)
        rig.pass(seconds: 5)
        #expect(rig.readiness == .refusing("catching up: 3 left"))
        // It looks more often then.
        try rig.goUp()
        #expect(rig.reads() == true)
        rig.host.read(.success(rig.items.items), rig.now)
        for _ in 0..<3 {
            _ = try rig.nextGroup()
            _ = rig.host.applied(.success(AppliedGroup(steps: [], newest: .zero)), rig.now)
        }
        #expect(rig.readiness == .ready)
    }

    /// So topics age where nothing else comes.
    @Test func somethingThatIsDueIsAskedForByTheHostThatAppendedLast() throws {
        var (near, far) = (OrderRig(), OrderRig())
        try near.goUp()
        try far.goUp()
        let due = near.now.time.advanced(microseconds: 7_000_000)
        // Each asks once when it begins.
        let append = try near.nextAppend()
        far.host.appended(try far.nextAppend().token, .refused, far.now)
        far.skipTokens()
        try near.show(append)
        try far.show(append)
        #expect(try near.apply(due: due) == [] && far.apply(due: due) == [])
        (near.answersLooks, far.answersLooks) = (true, true)
        near.pass(seconds: 6)
        far.pass(seconds: 7)
        #expect(near.refused() == [] && near.isAtRest)
        #expect(far.refused() == [] && far.isAtRest)
        near.pass(seconds: 1)
        #expect(try OrderRig.texts(near.nextAppend()) == [])
        far.pass(seconds: 1)
        #expect(try OrderRig.texts(far.nextAppend()) == [])
    }

    @Test func theEndTellsWhichEntriesAreCertainlyNotInTheOrder() throws {
        var rig = OrderRig()
        try rig.commit("1")
        try rig.goUp()
        _ = try rig.nextAppend()
        try rig.commit("2")
        try rig.ask(7)
        let (refused, unknown, reads) = rig.host.close()
        #expect((refused.count, unknown.count, reads.count) == (1, 1, 1))
        #expect(rig.host.close().unknown.isEmpty)
    }

    @Test func requestsAreDecidedOnceAllGroupsBeforeWereTold() throws {
        var rig = OrderRig()
        try rig.goUp()
        try rig.items.add("1")
        try rig.items.add(request: 2)
        try rig.items.add("3")
        #expect(rig.reads() == true)
        rig.host.read(.success(rig.items.items), rig.now)
        // Nobody decides so far, and the groups behind it wait too.
        _ = try rig.nextGroup()
        rig.host.beginDeciding()
        #expect(rig.isAskedToDecide() == false)
        let first = rig.host.applied(.success(AppliedGroup(steps: [], newest: .zero)), rig.now)
        let applied = try #require(first)
        #expect(rig.isAskedToDecide() == false)
        rig.host.tell(applied)
        #expect(rig.isAskedToDecide() == true)
        #expect(rig.isAskedToDecide() == false)
        rig.host.decided(.success([.removal(try TopicName("a"))]), rig.now)
        let group = try rig.nextGroup()
        #expect(group.place.sequence == 2)
        guard case .removal = try #require(group.entries.first) else {
            Issue.record("the replica gets \(group.entries)")
            return
        }
        // What has no requests goes to the replica behind it at once.
        #expect(try rig.nextGroup().place.sequence == 3)
    }

    @Test func aGroupThatCouldNotBeDecidedIsDecidedAgain() throws {
        var rig = OrderRig()
        try rig.goUp()
        rig.host.beginDeciding()
        try rig.items.add(request: 1)
        #expect(rig.reads() == true)
        rig.host.read(.success(rig.items.items), rig.now)
        #expect(rig.isAskedToDecide() == true)
        rig.host.decided(.failure(.storeFailed("the disk fails")), rig.now)
        #expect(rig.isAskedToDecide() == false)
        #expect(rig.readiness == .refusing("the disk fails"))
        rig.pass(seconds: 1)
        #expect(rig.isAskedToDecide() == true)
        rig.host.decided(.success([.together([])]), rig.now)
        #expect(try rig.apply() == ["another host's"])
        #expect(rig.readiness == .ready)
    }
}
