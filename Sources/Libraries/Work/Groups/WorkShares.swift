internal import Protection
internal import Telemetry

/// What all groups have of what is shared, and the part of each user, who may have three quarters.
///
/// A group asks for room before a change and counts after it: groups that change at one moment may
/// exceed a bound by one change each.
final class WorkShares: Sendable {
    private struct Part {
        var open = 0
        var parked = 0
        var isEmpty: Bool { open == 0 && parked == 0 }
    }

    private struct State {
        var limits: WorkLimits
        var all = Part()
        var users: [UInt32?: Part] = [:]
    }

    private let state: Protected<State>
    private let memory: MemoryBudget

    init(_ limits: WorkLimits, _ memory: MemoryBudget) {
        state = Protected(State(limits: limits))
        self.memory = memory
    }

    var limits: WorkLimits {
        get { state.limits }
        set { state.write { $0.limits = newValue } }
    }

    /// What there is room for in a group of this user, which has so many jobs parked.
    func room(for user: UInt32?, parked: Int) -> GroupMachine.Room {
        state.read { state in
            let (limits, own) = (state.limits, state.users[user] ?? Part())
            let open = min(limits.openMax - state.all.open, Self.share(limits.openMax) - own.open)
            let left = min(
                limits.parkedMax - state.all.parked, Self.share(limits.parkedMax) - own.parked)
            return GroupMachine.Room(
                open: open, parked: parked + left, openPerGroup: limits.openPerGroupMax,
                parkedPerGroup: limits.parkedPerGroupMax)
        }
    }

    /// What a group has more than before, or less.
    struct Growth {
        let open: Int
        let parked: Int
        /// Dead letters that it remembers.
        let letters: Int
    }

    /// Counts what a group of this user has more, or less.
    func count(_ user: UInt32?, _ growth: Growth) {
        guard growth.open != 0 || growth.parked != 0 || growth.letters != 0 else { return }
        memory.charge(
            growth.open * Limits.jobBytes + growth.parked * Limits.parkedBytes
                + growth.letters * Limits.rememberedLetterBytes, to: .work)
        guard growth.open != 0 || growth.parked != 0 else { return }
        state.write { state in
            state.all.open += growth.open
            state.all.parked += growth.parked
            var own = state.users[user] ?? Part()
            own.open += growth.open
            own.parked += growth.parked
            state.users[user] = own.isEmpty ? nil : own
        }
    }

    /// Counts so many groups more, or less.
    func count(groups: Int) { memory.charge(groups * Limits.groupBytes, to: .work) }

    /// What one user may have of a number that all share.
    static func share(_ count: Int) -> Int { count - count / 4 }
}
