internal import Protection
internal import Telemetry
internal import Topics

/// What all groups have of what is shared, and the part of each user, who may have three quarters.
///
/// A group asks for room before a change and counts after it: groups that change at one moment may
/// exceed a bound by one change each.
final class WorkShares: Sendable {
    private struct Part {
        var open = 0
        var parked = 0
        /// What groups take with their topics.
        var groupBytes = 0
        var isEmpty: Bool { open == 0 && parked == 0 && groupBytes == 0 }
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
        /// Requests that wait in it.
        let waiting: Int
    }

    /// Counts what a group of this user has more, or less.
    func count(_ user: UInt32?, _ growth: Growth) {
        let bytes =
            growth.open * Limits.jobBytes + growth.parked * Limits.parkedBytes
            + growth.letters * Limits.rememberedLetterBytes + growth.waiting * Limits.waiterBytes
        if bytes != 0 { memory.charge(bytes, to: .work) }
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

    /// What a group of these topics takes beside its jobs, also while somebody waits for each of them:
    /// so whoever waits needs no more than there was room for.
    static func bytes(of selector: Selector, replies: Bool) -> Int {
        Limits.groupBytes + selector.keptBytes + (replies ? 2 : 1) * selector.indexBytes
    }

    /// Counts a group of this user that takes so many bytes.
    ///
    /// - Returns: Whether groups have no more than their part of the memory, and this user its share of
    ///   that; it counts in any case.
    @discardableResult
    func begin(_ bytes: Int, for user: UInt32?) -> Bool {
        let bytesMax = memory.bytesMax / Limits.groupsMemoryFraction
        return count(bytes, for: user) { all, own in
            all <= bytesMax && own <= Self.share(bytesMax)
        }
    }

    /// Counts it no more.
    func end(_ bytes: Int, for user: UInt32?) { count(-bytes, for: user) { _, _ in () } }

    private func count<Value>(
        _ bytes: Int, for user: UInt32?, _ judge: (_ all: Int, _ own: Int) -> Value
    ) -> Value {
        memory.charge(bytes, to: .work)
        return state.write { state in
            state.all.groupBytes += bytes
            var own = state.users[user] ?? Part()
            own.groupBytes += bytes
            state.users[user] = own.isEmpty ? nil : own
            return judge(state.all.groupBytes, own.groupBytes)
        }
    }

    /// What one user may have of a number that all share.
    static func share(_ count: Int) -> Int { count - count / 4 }
}
