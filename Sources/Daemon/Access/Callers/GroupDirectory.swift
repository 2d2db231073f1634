internal import Glibc
internal import Protection

/// The groups that users are in. They are remembered for a while, and looked up on a thread of its
/// own, because the system may ask a directory service that takes its time.
///
/// Safe from any thread; no verb waits.
public final class GroupDirectory: Sendable {
    /// The answer that a question gets at once.
    public enum Answer: Equatable, Sendable {
        /// These groups; nil if they cannot be looked up now, or nobody needs them.
        case known([UInt32]?)
        /// The callback will get the groups. The ticket, which is not 0, names the question.
        case later(ticket: UInt64)
    }

    /// Called with the groups, or nil if they cannot be looked up.
    public typealias Then = @Sendable ([UInt32]?) -> Void

    private let users: any UserDatabase
    private let seconds: @Sendable () -> Int
    private let state = Protected(State())

    fileprivate struct State {
        struct Entry {
            let groups: [UInt32]
            let since: Int
        }

        var isNeeded = false
        var known: [UInt32: Entry] = [:]
        /// The callbacks of those that wait, by user and ticket; a user that is looked up has an entry,
        /// though nobody may wait any more.
        var waiting: [UInt32: [UInt64: Then]] = [:]
        var lastTicket: UInt64 = 0
        /// Users to look up, and whether a thread does.
        var queue: [UInt32] = []
        var isWorking = false
        /// Counts the times that everything was forgotten: an answer to an earlier question is not
        /// kept.
        var era = 0
    }

    fileprivate enum Step {
        case answer(Answer)
        case startThread(ticket: UInt64)
    }

    /// A directory of the users in a database, by a clock that counts seconds and never goes back.
    public init(
        users: any UserDatabase = SystemUsers(),
        seconds: @escaping @Sendable () -> Int = GroupDirectory.monotonicSeconds
    ) {
        self.users = users
        self.seconds = seconds
    }

    /// Seconds of the system's monotonic clock.
    public static func monotonicSeconds() -> Int {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return now.tv_sec
    }

    /// Whether anybody needs groups, as ``reset(isNeeded:)`` was told.
    public var isNeeded: Bool { state.read { $0.isNeeded } }

    /// Sets whether anybody needs groups, and forgets all that are known. While nobody needs them,
    /// none are looked up.
    public func reset(isNeeded: Bool) {
        state.write { state in
            state.isNeeded = isNeeded
            state.known = [:]
            state.era += 1
        }
    }

    /// The groups of a user, or the promise to call `then` with them, once: on another thread, or
    /// before this returns if there is no thread to be had.
    public func groups(of uid: UInt32, then: @escaping Then) -> Answer {
        let now = seconds()
        let step = state.write { $0.ask(uid, now, then) }
        switch step {
        case .answer(let answer): return answer
        case .startThread(let ticket):
            if !startThread() {
                for then in state.write({ $0.giveUp() }) { then(nil) }
            }
            return .later(ticket: ticket)
        }
    }

    /// The groups of a user, if they are known at this moment; else nil, and they are looked up for
    /// a question a little later.
    public func knownGroups(of uid: UInt32) -> [UInt32]? {
        switch groups(of: uid, then: { _ in }) {
        case .known(let groups): return groups
        case .later(let ticket):
            withdraw(ticket, about: uid)
            return nil
        }
    }

    /// Forgets the callback for this ticket about a user, if the answer is still to come. The
    /// look-up in the system goes on: the next question has its answer sooner.
    public func withdraw(_ ticket: UInt64, about uid: UInt32) {
        // Let go outside of the lock: it may be the last reference to anything.
        let then = state.write { $0.waiting[uid]?.removeValue(forKey: ticket) }
        withExtendedLifetime(then) {}
    }

    private func startThread() -> Bool {
        guard let thread = try? OwnedThread({ self.work() }) else { return false }
        thread.detach()
        return true
    }

    /// Looks up the users of the queue until it is empty.
    private func work() {
        while let (uid, era) = state.write({ $0.next() }) {
            let groups = users.groups(of: uid)
            let now = seconds()
            for then in state.write({ $0.learn(uid, groups, era, now) }) { then(groups) }
        }
    }
}

extension GroupDirectory.State {
    fileprivate mutating func ask(
        _ uid: UInt32, _ now: Int, _ then: @escaping GroupDirectory.Then
    ) -> GroupDirectory.Step {
        guard isNeeded else { return .answer(.known(nil)) }
        if let entry = known[uid], now - entry.since <= AccessLimits.groupsSecondsMax {
            return .answer(.known(entry.groups))
        }
        if waiting[uid] == nil {
            guard queue.count < AccessLimits.lookUpsMax else { return .answer(.known(nil)) }
            queue.append(uid)
        }
        lastTicket += 1
        waiting[uid, default: [:]][lastTicket] = then
        guard !isWorking else { return .answer(.later(ticket: lastTicket)) }
        isWorking = true
        return .startThread(ticket: lastTicket)
    }

    fileprivate mutating func next() -> (uid: UInt32, era: Int)? {
        guard !queue.isEmpty else {
            isWorking = false
            return nil
        }
        return (queue.removeFirst(), era)
    }

    fileprivate mutating func learn(
        _ uid: UInt32, _ groups: [UInt32], _ era: Int, _ now: Int
    ) -> [GroupDirectory.Then] {
        if era == self.era {
            if known.count >= AccessLimits.usersMax, known[uid] == nil,
                let oldest = known.min(by: { $0.value.since < $1.value.since })
            {
                known[oldest.key] = nil
            }
            known[uid] = Entry(groups: groups, since: now)
        }
        return waiting.removeValue(forKey: uid).map { Array($0.values) } ?? []
    }

    fileprivate mutating func giveUp() -> [GroupDirectory.Then] {
        isWorking = false
        queue = []
        let all = waiting.values.flatMap(\.values)
        waiting = [:]
        return all
    }
}
