internal import Glibc
internal import Protection
internal import Telemetry

/// The listeners of one loop. It accepts the connections that wait at them, and pauses when the
/// system can take no more.
///
/// Confined to its loop's thread.
final class Acceptor {
    private let loopIndex: Int
    private var listeners: [ListeningSocket]
    /// How many connections a listener may have for us in one turn before it is asked again.
    private var expected: [Int]
    /// The turn in which each was last asked.
    private var lastTurns: [UInt32]
    private let interest: Poller.Interest
    private let poller: Poller
    private let meters: LoopMeters
    private let log: Log
    /// The time before which another pause is not worth another line in the log.
    private var nextWarningAt: UInt64 = 0

    /// The time at which accepting goes on after a pause; nil while it is on.
    private(set) var resumesAt: UInt64?

    /// The listeners of loop `loopIndex`, which `resume` begins to watch.
    ///
    /// - Parameter areShared: Whether other loops accept from them too.
    init(
        _ listeners: [ListeningSocket], areShared: Bool, loopIndex: Int, poller: Poller,
        meters: LoopMeters, log: Log
    ) {
        self.listeners = listeners
        expected = listeners.map { _ in 1 }
        lastTurns = listeners.map { _ in 0 }
        // One new connection wakes one loop, not all of them.
        interest = areShared ? [.readable, .exclusive] : [.readable]
        self.loopIndex = loopIndex
        self.poller = poller
        self.meters = meters
        self.log = log
    }

    /// Begins to accept, or goes on after a pause.
    func resume() {
        resumesAt = nil
        listeners.indices.forEach(watch)
    }

    private func watch(_ index: Int) {
        let token = PollToken.firstListener + UInt64(index)
        if !poller.add(listeners[index].descriptor, interest, token: token) {
            log.error("loop \(loopIndex) cannot watch \(listeners[index].address)")
        }
    }

    /// Goes on after a pause that is over at `now`.
    func resumeIfDue(at now: UInt64) {
        if let resumesAt, now >= resumesAt { resume() }
    }

    /// Accepts connections that wait at the listener of this token, and gives each to `welcome`. It
    /// takes as many as the turn has room for, and leaves those that other loops should have.
    ///
    /// A client that comes alone costs one call, not a second one that finds nobody, since the
    /// poller tells of more in the next turn. If it does so turn after turn, each turn takes twice
    /// as many.
    func accept(
        at token: UInt64, in turn: LoopTurn, within budget: TurnBudget,
        _ welcome: (AcceptedSocket) -> Void
    ) {
        let index = Int(token - PollToken.firstListener)
        guard index < listeners.count, resumesAt == nil else { return }
        if turn.number &- lastTurns[index] != 1 { expected[index] = 1 }
        lastTurns[index] = turn.number
        var tries = 0
        while tries < expected[index], budget.isLeft(for: .accepts) {
            tries += 1
            budget.begin(.accepts, HTTPFrontLimits.acceptSteps)
            switch AcceptedSocket.next(at: listeners[index]) {
            case .accepted(let accepted): welcome(accepted)
            case .failed(let code):
                switch code {
                case ECONNABORTED, EINTR, EPROTO, EPERM: continue
                case EMFILE, ENFILE, ENOBUFS, ENOMEM: return pause(at: turn.now, code: code)
                default: expected[index] = max(1, tries - 1)
                }
                return
            }
        }
        expected[index] = max(1, min(2 * tries, HTTPFrontLimits.acceptsPerTurnMax))
    }

    /// Accepts from another listener in the place of one that nobody can find any more. Clients
    /// that found the old one are taken in first.
    func replace(
        _ old: ListeningSocket, by new: ListeningSocket, within budget: TurnBudget,
        _ welcome: (AcceptedSocket) -> Void
    ) {
        // After the end there are no listeners.
        guard let index = listeners.firstIndex(where: { $0 === old }) else { return }
        while budget.isLeft(for: .accepts),
            case .accepted(let accepted) = AcceptedSocket.next(at: old)
        {
            budget.begin(.accepts, HTTPFrontLimits.acceptSteps)
            welcome(accepted)
        }
        listeners[index] = new
        guard resumesAt == nil else { return }
        poller.remove(old.descriptor)
        watch(index)
    }

    /// Forgets the listeners; those that were opened here close with their last loop.
    func stop() {
        if resumesAt == nil { unwatch() }
        resumesAt = nil
        listeners = []
    }

    /// Pauses accepting. Without a free descriptor every `accept` fails at once and the listener
    /// stays readable, so that the loop would spin. Clients wait in the backlog meanwhile.
    private func pause(at now: UInt64, code: Int32) {
        unwatch()
        resumesAt = now + HTTPFrontLimits.acceptPauseMilliseconds
        meters.acceptPauses.add()
        guard now >= nextWarningAt else { return }
        nextWarningAt = now + HTTPFrontLimits.acceptWarningMilliseconds
        log.warning(
            "loop \(loopIndex) pauses accepting: \(Errno(code)); raise the limit "
                + "on open files, or lower the maximum of connections")
    }

    private func unwatch() {
        for listener in listeners { poller.remove(listener.descriptor) }
    }
}
