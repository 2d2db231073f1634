import Testing

@testable import Topics

/// What may happen between the steps of a call, one order at a time.
struct FollowerMachineTests {
    private static let start = EventID(rawValue: 100)

    private static func position(_ id: UInt64) -> LogPosition {
        LogPosition(after: EventID(rawValue: id), isWaiting: true)
    }

    /// One that has read everything up to 100.
    private static func level() -> FollowerMachine {
        var machine = FollowerMachine(beganAt: start)
        machine.begin(.caughtUp(next: position(100)))
        return machine
    }

    private func isWait(_ step: FollowerMachine.Step) -> Bool {
        if case .wait = step { true } else { false }
    }

    private func readPosition(_ step: FollowerMachine.Step) -> EventID? {
        if case .read(let position) = step { position.after } else { nil }
    }

    @Test func whatComesWhileItReadsIsReadNext() {
        var machine = Self.level()
        _ = machine.admitted(after: Self.start)
        #expect(readPosition(machine.next()) == EventID(rawValue: 100))
        #expect(machine.admitted(after: EventID(rawValue: 110)) == nil)
        let step = machine.took(.caughtUp(next: Self.position(110)))
        #expect(readPosition(step) == EventID(rawValue: 110))
        #expect(isWait(machine.took(.caughtUp(next: Self.position(120)))))
    }

    @Test(arguments: ["admitted", "removed", "drained", "cancelled"])
    func whatComesBeforeItWaitsIsNotSleptThrough(what: String) async {
        var machine = Self.level()
        #expect(isWait(machine.next()))
        switch what {
        case "admitted": _ = machine.admitted(after: Self.start)
        case "removed":
            _ = machine.removed(
                at: EventID(rawValue: 110), discardedThrough: Self.start, after: Self.start)
        case "drained": _ = machine.drain(after: Self.start)
        default: _ = machine.cancel(seen: Self.start)
        }
        await withCheckedContinuation { waiter in
            let waits = machine.wait(waiter)
            #expect(!waits)
            waiter.resume()
        }
        #expect(!isWait(machine.goOn()))
    }

    @Test func aBurstResumesWhoWaitsOnce() async {
        var machine = Self.level()
        var resumed = 0
        #expect(isWait(machine.next()))
        await withCheckedContinuation { waiter in
            let waits = machine.wait(waiter)
            #expect(waits)
            for id in 101...200 {
                guard let woken = machine.admitted(after: EventID(rawValue: UInt64(id - 1)))
                else { continue }
                resumed += 1
                woken.resume()
            }
        }
        #expect(resumed == 1)
        #expect(readPosition(machine.goOn()) == EventID(rawValue: 100))
    }

    @Test func aReadThatADeletionOvertookDeliversWhatLiesBeforeItAlone() throws {
        let topic = try TopicName("a")
        let events = [105, 120].map { (id: UInt64) in
            Event(
                id: EventID(rawValue: id), time: .distantPast, topic: topic, payload: .empty,
                metadata: .none, sender: .unknown, isStored: false)
        }
        let place = EventID(rawValue: 110)
        var machine = Self.level()
        _ = machine.admitted(after: Self.start)
        _ = machine.next()
        _ = machine.removed(at: place, discardedThrough: events[0].id, after: Self.start)
        let read = LogRead.events(events, next: Self.position(120), isCutShort: false)
        guard case .deliver(.event(let event)) = machine.took(read), event === events[0],
            case .end = machine.next()
        else { return #expect(Bool(false), "105 was published before the deletion, 120 behind it") }
        #expect(machine.cursor(seen: EventID(rawValue: 130)) == place)
        #expect(machine.takeLeftovers().map(\.id) == [events[1].id])
    }

    @Test func aCallThatIsCancelledWhileItReadsEndsWithWhatWasDelivered() {
        var machine = Self.level()
        _ = machine.admitted(after: Self.start)
        _ = machine.next()
        #expect(machine.cancel(seen: EventID(rawValue: 130)) == nil)
        let step = machine.took(.caughtUp(next: Self.position(120)))
        guard case .end = step else { return #expect(Bool(false), "\(step) of a cancelled one") }
        #expect(machine.cursor(seen: EventID(rawValue: 130)) == Self.start)
    }

    @Test func theCursorPassesWhatDoesNotConcernItOnlyWhileNothingIsUnread() {
        let seen = EventID(rawValue: 150)
        var machine = Self.level()
        #expect(machine.cursor(seen: seen) == seen)
        _ = machine.admitted(after: EventID(rawValue: 120))
        #expect(machine.cursor(seen: seen) == EventID(rawValue: 120))
        #expect(readPosition(machine.next()) == EventID(rawValue: 120))
        #expect(machine.cursor(seen: seen) == EventID(rawValue: 120))
        #expect(isWait(machine.took(.caughtUp(next: Self.position(140)))))
        #expect(machine.cursor(seen: seen) == seen)
    }

    @Test func itIsCountedOutOnce() {
        var machine = Self.level()
        let wasCounted = machine.leave()
        _ = machine.removed(
            at: EventID(rawValue: 110), discardedThrough: Self.start, after: Self.start)
        let leaves = machine.leave()
        _ = machine.cancel(seen: Self.start)
        let leavesAgain = machine.leave()
        #expect(!wasCounted && leaves && !leavesAgain)
    }
}
