internal import Protection
internal import Queues
internal import Telemetry
internal import Topics

/// The part of the memory budget for events that groups read from the store: an eighth of it for
/// all groups, and three quarters of that for the groups of one user.
///
/// A read takes room for the most bytes that it may bring, and waits while there is none. Users
/// take turns, and the reads of each go in their order. Commits and loops give room back, clients
/// do not: nobody waits for a slow one. One read alone has room, however large it is. If rooms
/// exceed the budget, events in memory give the difference back.
///
/// Safe from any thread; no verb waits.
final class ReadSpace: Sendable {
    /// A read that begins once there is room, on the ``WorkThread``.
    typealias Reading = @Sendable (ReadRoom) -> Void

    private struct Wait {
        let bytes: Int
        let begin: Reading
    }

    private struct State {
        var taken = 0
        var users: [UInt32?: Int] = [:]
        var lines: [UInt32?: Ring<Wait>] = [:]
        /// Users with a line, in the order of their turns.
        var order = Ring<UInt32?>()

        /// Whether a read has room; nil where its user alone has to give some back.
        private func hasRoom(_ wait: Wait, _ user: UInt32?, _ bytesMax: Int) -> Bool? {
            if taken == 0 { return true }
            if taken + wait.bytes > bytesMax { return false }
            let own = users[user] ?? 0
            return own == 0 || own + wait.bytes <= JobQuota.share(bytesMax) ? true : nil
        }

        mutating func add(_ wait: Wait, for user: UInt32?) {
            if lines[user] == nil { order.append(user) }
            lines[user, default: Ring()].append(wait)
        }

        mutating func count(_ bytes: Int, _ user: UInt32?) {
            taken += bytes
            let own = (users[user] ?? 0) + bytes
            users[user] = own == 0 ? nil : own
        }

        /// Takes room for the reads that fit by now, in their order. If the first of them does not
        /// fit, none behind it goes before: a large read would wait for ever.
        mutating func admit(within bytesMax: Int) -> [(user: UInt32?, wait: Wait)] {
            var admitted: [(user: UInt32?, wait: Wait)] = []
            var passed = 0
            while passed < order.count, let user = order.first, let wait = lines[user]?.first {
                switch hasRoom(wait, user, bytesMax) {
                case false?: return admitted
                case nil: passed += 1
                case true?:
                    _ = lines[user]?.removeFirst()
                    count(wait.bytes, user)
                    admitted.append((user, wait))
                    passed = 0
                }
                _ = order.removeFirst()
                if lines[user]?.isEmpty == true { lines[user] = nil } else { order.append(user) }
            }
            return admitted
        }
    }

    private let state = Protected(State())
    private let memory: MemoryBudget
    private let thread: WorkThread
    private let relieve: @Sendable () -> Void

    /// The groups' part of `memory`.
    ///
    /// - Parameters:
    ///   - thread: The thread where reads begin.
    ///   - relieve: Has the events in memory give back the bytes that exceed the budget.
    init(
        of memory: MemoryBudget, on thread: WorkThread, relieve: @escaping @Sendable () -> Void
    ) {
        self.memory = memory
        self.thread = thread
        self.relieve = relieve
    }

    /// Has `begin` run once so many bytes have room, which they keep for as long as somebody has the
    /// room.
    ///
    /// - Parameter user: The user whose groups read.
    func read(_ bytes: Int, for user: UInt32?, _ begin: @escaping Reading) {
        state.write { $0.add(Wait(bytes: bytes, begin: begin), for: user) }
        admit()
    }

    /// Counts the bytes that a room has more; negative for less.
    fileprivate func count(_ bytes: Int, for user: UInt32?) {
        guard bytes != 0 else { return }
        memory.charge(bytes, to: .work)
        state.write { $0.count(bytes, user) }
        if bytes < 0 { admit() }
    }

    private func admit() {
        let bytesMax = memory.bytesMax / Limits.storeReadsMemoryFraction
        for (user, wait) in state.write({ $0.admit(within: bytesMax) }) {
            memory.charge(wait.bytes, to: .work)
            let room = ReadRoom(wait.bytes, of: user, in: self)
            thread.run(for: user) { [self] in
                if memory.excess > 0 { relieve() }
                wait.begin(room)
            }
        }
    }
}

/// Room for the events of one read of the store, until the last of them was handed on.
///
/// Safe from any thread.
final class ReadRoom: Sendable {
    private struct State {
        var bytes: Int
        /// The bytes of events that were read and are kept.
        var sizes: [EventID: Int] = [:]
        var kept = 0
    }

    private let state: Protected<State>
    private let user: UInt32?
    private let space: ReadSpace

    /// Room that is counted already.
    fileprivate init(
        _ bytes: Int, of user: UInt32?, in space: ReadSpace, _ sizes: [EventID: Int] = [:]
    ) {
        state = Protected(State(bytes: bytes, sizes: sizes, kept: sizes.isEmpty ? 0 : bytes))
        self.user = user
        self.space = space
    }

    deinit { space.count(-state.value.bytes, for: user) }

    /// Forgets the events that were read before.
    func forget() {
        state.write { ($0.sizes, $0.kept) = ([:], 0) }
    }

    /// Counts events that were read.
    func note(_ events: [Event]) {
        change { state in
            for event in events {
                let bytes = event.memoryBytes
                state.kept += bytes - (state.sizes.updateValue(bytes, forKey: event.id) ?? 0)
            }
            state.bytes = max(state.bytes, state.kept)
        }
    }

    /// Gives room back that is not needed, since nothing more is read.
    func settle() { change { $0.bytes = $0.kept } }

    /// Moves the bytes of some events to a room of their own; nil if nothing was read for them.
    func part(of events: [Event]) -> ReadRoom? {
        let sizes = state.write { state in
            var sizes: [EventID: Int] = [:]
            for event in events {
                guard let bytes = state.sizes.removeValue(forKey: event.id) else { continue }
                sizes[event.id] = bytes
                state.kept -= bytes
                state.bytes -= bytes
            }
            return sizes
        }
        guard !sizes.isEmpty else { return nil }
        return ReadRoom(sizes.values.reduce(0, +), of: user, in: space, sizes)
    }

    private func change(_ change: (inout State) -> Void) {
        let more = state.write { state in
            let before = state.bytes
            change(&state)
            return state.bytes - before
        }
        space.count(more, for: user)
    }
}
