internal import HTTPFront
internal import Telemetry

/// A request that waits for a group, for a job or for what a worker says; or for what is done beside the
/// loop.
///
/// All verbs are called on its loop's thread.
protocol WorkWait: AnyObject {
    var handler: BusHandler { get }
    /// How it is answered; nil once it was, and where its client has left.
    var path: AnswerPath? { get set }

    /// Rules or tokens have changed: ends where they do not let its caller wait any more.
    func judge()

    /// The bus is leaving: it has to end now.
    func drain()
}

extension WorkWait {
    /// Answers it, if somebody is still there.
    ///
    /// - Parameter ifLost: Called if nobody got the answer, as far as that is known.
    func finish(_ response: Response, ifLost: (() -> Void)? = nil) {
        let path = path
        leave()
        guard let path else {
            ifLost?()
            return
        }
        path.send(response, ifLost: ifLost)
    }

    /// Waits no longer.
    func leave() {
        path = nil
        handler.workWaits.leave(self)
    }
}

/// The requests of one loop that wait for groups, each counted as a waiting request of its caller; and
/// those that wait for what is done beside the loop.
///
/// Belongs to its loop.
final class WorkWaits {
    private struct Entry {
        let wait: any WorkWait
        /// Whose waiting request it counts as.
        let account: CallerAccount?
    }

    private var waits: [ObjectIdentifier: Entry] = [:]
    /// Waiting requests of all kinds and loops.
    private let waiting: Gauge

    init(countedBy waiting: Gauge) { self.waiting = waiting }

    /// All of this moment; some may end before they are told something.
    var all: [any WorkWait] { waits.values.map(\.wait) }

    /// Takes one in that begins to wait.
    ///
    /// - Parameter account: Whose waiting request it counts as; nil where it is none.
    func enter(_ wait: any WorkWait, for account: CallerAccount?) {
        waits[ObjectIdentifier(wait)] = Entry(wait: wait, account: account)
        guard let account else { return }
        waiting.add(1)
        account.subscribers.add(1)
    }

    /// Forgets one, if it had entered.
    func leave(_ wait: any WorkWait) {
        let entry = waits.removeValue(forKey: ObjectIdentifier(wait))
        guard let account = entry?.account else { return }
        waiting.add(-1)
        account.subscribers.add(-1)
    }
}
