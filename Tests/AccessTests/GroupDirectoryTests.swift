import Protection
import TestSupport
import Testing

@testable import Access

/// A directory service that answers when a test lets it, and counts.
private final class SlowUsers: UserDatabase {
    let gate = Gate()
    let entered = Gate()
    let asked = Protected<[UInt32]>([])

    func uid(ofUser name: String) -> UInt32? { nil }
    func gid(ofGroup name: String) -> UInt32? { nil }
    func groups(of uid: UInt32) -> [UInt32] {
        asked.write { $0.append(uid) }
        entered.open()
        try? gate.wait()
        return [uid, 50]
    }
}

extension GroupDirectory.Answer {
    /// Whether the callback will say.
    fileprivate var isLater: Bool {
        if case .later = self { true } else { false }
    }
}

@Suite(.blocking) struct GroupDirectoryTests {
    private let users = SlowUsers()
    private let clock = Protected(1_000)
    private let directory: GroupDirectory

    init() {
        directory = GroupDirectory(users: users) { [clock] in clock.value }
    }

    /// What is asked for, as the callback tells it.
    private final class Outcome: Sendable {
        let groups = Protected<[[UInt32]?]>([])
        let gate = Gate()

        func tell(_ groups: [UInt32]?) {
            self.groups.write { $0.append(groups) }
            gate.open()
        }
    }

    @Test func nothingIsLookedUpWhileNobodyNeedsGroups() throws {
        #expect(directory.groups(of: 1) { _ in } == .known(nil))
        #expect(users.asked.value == [])
    }

    @Test func aUserIsLookedUpOnceForAllWhoAskAndThenRemembered() throws {
        directory.reset(isNeeded: true)
        let (first, second) = (Outcome(), Outcome())
        #expect(directory.groups(of: 1, then: first.tell).isLater)
        #expect(directory.groups(of: 1, then: second.tell).isLater)
        users.gate.open()
        try first.gate.wait()
        try second.gate.wait()
        #expect(first.groups.value == [[1, 50]])
        #expect(second.groups.value == [[1, 50]])
        #expect(users.asked.value == [1])
        #expect(directory.groups(of: 1) { _ in } == .known([1, 50]))
    }

    @Test func whatIsKnownIsForgottenAfterAMinuteAndByAReload() throws {
        directory.reset(isNeeded: true)
        users.gate.open()
        let first = Outcome()
        #expect(directory.groups(of: 1, then: first.tell).isLater)
        try first.gate.wait()
        clock.write { $0 += AccessLimits.groupsSecondsMax }
        #expect(directory.groups(of: 1) { _ in } == .known([1, 50]))
        clock.write { $0 += 1 }
        let second = Outcome()
        #expect(directory.groups(of: 1, then: second.tell).isLater)
        try second.gate.wait()
        directory.reset(isNeeded: true)
        let third = Outcome()
        #expect(directory.groups(of: 1, then: third.tell).isLater)
        try third.gate.wait()
        #expect(users.asked.value == [1, 1, 1])
        directory.reset(isNeeded: false)
        #expect(directory.groups(of: 1) { _ in } == .known(nil))
    }

    @Test func whatWasAskedBeforeAReloadIsToldAndNotKept() throws {
        directory.reset(isNeeded: true)
        let first = Outcome()
        #expect(directory.groups(of: 1, then: first.tell).isLater)
        try users.entered.wait()
        directory.reset(isNeeded: true)
        users.gate.open()
        try first.gate.wait()
        #expect(first.groups.value == [[1, 50]])
        let second = Outcome()
        #expect(directory.groups(of: 1, then: second.tell).isLater)
        try second.gate.wait()
    }

    @Test func moreThanMayWaitStayUnknownInsteadOfPilingUp() throws {
        directory.reset(isNeeded: true)
        let outcomes = (0..<AccessLimits.lookUpsMax + 2).map { _ in Outcome() }
        var later = 0
        for (uid, outcome) in outcomes.enumerated() {
            switch directory.groups(of: UInt32(uid), then: outcome.tell) {
            case .later: later += 1
            case .known(let groups): #expect(groups == nil)
            }
        }
        // One may be out of the queue already, in the hands of the thread.
        #expect((AccessLimits.lookUpsMax...AccessLimits.lookUpsMax + 1).contains(later))
        users.gate.open()
        for outcome in outcomes[..<later] { try outcome.gate.wait() }
    }

    /// What a callback holds on to, as a connection's loop would.
    private final class Held: Sendable {}

    @Test func aServiceThatHangsIsLeftWithNobodyWhoWaitsNoLonger() throws {
        directory.reset(isNeeded: true)
        for _ in 0..<1_000 {
            weak var left: Held?
            do {
                let held = Held()
                left = held
                let answer = directory.groups(of: 1) { _ in withExtendedLifetime(held) {} }
                guard case .later(let ticket) = answer else {
                    Issue.record("\(answer)")
                    return
                }
                directory.withdraw(ticket, about: 1)
            }
            #expect(left == nil)
        }
        // Those who still wait are told, and whoever was withdrawn is asked for once all the same.
        let outcome = Outcome()
        #expect(directory.groups(of: 1, then: outcome.tell).isLater)
        users.gate.open()
        try outcome.gate.wait()
        #expect(outcome.groups.value == [[1, 50]])
        #expect(users.asked.value == [1])
    }

    @Test func whoIsToldAndThenWithdrawsChangesNothing() throws {
        directory.reset(isNeeded: true)
        users.gate.open()
        let outcome = Outcome()
        guard case .later(let ticket) = directory.groups(of: 1, then: outcome.tell) else {
            Issue.record("known at once")
            return
        }
        try outcome.gate.wait()
        directory.withdraw(ticket, about: 1)
        directory.withdraw(ticket + 1, about: 2)
        #expect(outcome.groups.value == [[1, 50]])
        #expect(directory.groups(of: 1) { _ in } == .known([1, 50]))
    }
}
