internal import Protection
internal import Telemetry
internal import Topics

/// The part of shared limits that all groups use, and the part of each user. One user may have
/// three quarters of a limit.
///
/// A group asks for room before a change and counts after it: groups that change at one moment may
/// exceed a bound by one change each.
final class JobQuota: Sendable {
    private struct Part {
        var open = 0
        var parked = 0
        /// Bytes that groups take with their topics.
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

    /// The room for jobs in a group of this user that has so many jobs parked.
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

    /// How much more a group has than before; negative for less.
    struct Growth {
        let open: Int
        let parked: Int
        /// Dead letters that it remembers.
        let letters: Int
        /// Requests that wait in it.
        let waiting: Int
    }

    /// Counts the growth of a group of this user.
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

    /// Memory of a group of these topics in bytes, without its jobs. It includes waiting for each
    /// of the topics, so workers that wait need no more than there was room for.
    static func bytes(of selector: Selector, _ filter: EventFilter, replies: Bool) -> Int {
        Limits.groupBytes + selector.keptBytes + (replies ? 2 : 1) * selector.indexBytes
            + filter.attributes.memoryBytes
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

    /// The part of a shared number that one user may have.
    static func share(_ count: Int) -> Int { count - count / 4 }
}
