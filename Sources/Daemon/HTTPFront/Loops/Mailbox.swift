internal import CLinux
internal import Glibc
internal import Protection
internal import Synchronization

/// A message to a loop, mostly from another thread.
enum LoopMessage: Sendable {
    /// Run this with the loop's handler.
    case job(@Sendable (any RequestHandler) -> Void)
    /// Answer these requests.
    case replies([LateReply])
    /// Use these settings from now on.
    case settings(LoopSettings)
    /// Accept from this listener from now on, in the place of another one.
    case listener(ListeningSocket, insteadOf: ListeningSocket)
    /// Call this with an inventory of the loop's connections.
    case inventory(@Sendable (LoopInventory) -> Void)
    /// Close connections that do not read, until unsent answers leave room for so many bytes.
    case makeRoom(Int)
    /// Handle the requests that have arrived by now as always, until that moment at the latest.
    /// Then call this.
    case arrivals(until: UInt64, @Sendable () -> Void)
    /// Begin to drain. At that moment, in monotonic milliseconds, end all connections that are
    /// left.
    case drain(until: UInt64)

    /// Steps that it takes of a loop's turn, beside those that a job counts itself.
    var steps: Int {
        if case .replies(let replies) = self { return replies.count * HTTPFrontLimits.mailSteps }
        return HTTPFrontLimits.mailSteps
    }
}

/// The answer to a request whose handler returned without one.
struct LateReply: Sendable {
    let slot: Int
    let number: UInt64
    let response: Response
}

/// The way into a loop from any thread.
///
/// Other threads append under a lock and write the eventfd only if the mailbox was empty: a burst
/// of messages costs the loop one wake-up. The loop's own thread appends to a list of its own,
/// which the loop runs at the end of its turn, and wakes nobody.
///
/// After `close` messages are dropped: there is no handler left to run them with.
// @unchecked: `isOwnThread` guards the loop-owned fields, which no other thread touches; the rest
// is Sendable.
final class Mailbox: @unchecked Sendable {
    private struct Inbox {
        var messages: [LoopMessage] = []
        var isOpen = true
    }

    private let inbox = Protected(Inbox())
    private let thread = Atomic<UInt>(0)

    /// The eventfd to watch, edge-triggered, so that it need never be read.
    let descriptor: Int32

    /// The messages that the loop's own thread has posted since its last turn.
    private let ownMessages = TurnQueue<LoopMessage>()

    /// The number of the request whose handler runs at this moment, 0 for none.
    private var requestBeingHandled: UInt64 = 0
    private var directReply: Response?

    init() throws(ServerError) {
        let result = clinux_eventfd()
        guard result >= 0 else { throw ServerError(doing: "creating an eventfd", code: -result) }
        descriptor = result
    }

    deinit {
        Glibc.close(descriptor)
    }

    /// Whether the caller runs on the loop's thread.
    var isOwnThread: Bool { thread.load(ordering: .relaxed) == pthread_self() }

    /// Makes the calling thread the loop's.
    func adoptThread() {
        thread.store(pthread_self(), ordering: .relaxed)
    }

    /// Brings a message from any thread.
    func post(_ message: LoopMessage) {
        if isOwnThread {
            ownMessages.append(message)
            return
        }
        let mustWake = inbox.write { inbox -> Bool in
            guard inbox.isOpen else { return false }
            inbox.messages.append(message)
            return inbox.messages.count == 1
        }
        if mustWake { eventfd_write(descriptor, 1) }
    }

    /// Brings an answer from any thread. The request that is being handled on the loop's thread
    /// gets it directly.
    func post(_ reply: consuming LateReply) {
        guard isOwnThread, requestBeingHandled == reply.number else {
            return post(.replies([reply]))
        }
        if directReply == nil { directReply = reply.response }
    }

    /// Brings answers from any thread, each as if it came alone.
    func post(_ replies: [LateReply]) {
        guard isOwnThread, requestBeingHandled != 0,
            let direct = replies.first(where: { $0.number == requestBeingHandled })
        else {
            post(.replies(replies))
            return
        }
        if directReply == nil { directReply = direct.response }
        let others = replies.filter { $0.number != requestBeingHandled }
        if !others.isEmpty { post(.replies(others)) }
    }

    /// Takes the messages of other threads since the last call, in order of arrival.
    func takeMessages() -> [LoopMessage] {
        inbox.write { inbox in
            let messages = inbox.messages
            inbox.messages = []
            return messages
        }
    }

    /// Handles each message that the loop's own thread posted since the last call, in order.
    /// Messages that are posted meanwhile are left for the next.
    func handleOwnMessages(_ handle: (LoopMessage) -> Void) {
        assert(isOwnThread, "only the loop reads its own messages")
        ownMessages.run(handle)
    }

    /// Whether the loop's own thread posted something that was not taken.
    var hasOwnMessages: Bool { !ownMessages.isEmpty }

    /// Runs `body` as the handling of request `number`.
    func handling(_ number: UInt64, _ body: () -> Void) {
        assert(isOwnThread, "requests are handled on the loop's thread")
        requestBeingHandled = number
        body()
        requestBeingHandled = 0
    }

    /// The answer that was sent to the request from inside its handling, if any.
    func takeDirectReply() -> Response? { directReply.take() }

    /// Drops the messages in it, and all that come later.
    func close() {
        // The id of an ended thread is given to a later one, which must not pass for the loop's.
        thread.store(0, ordering: .relaxed)
        let dropped = inbox.write { inbox -> [LoopMessage] in
            inbox.isOpen = false
            let messages = inbox.messages
            inbox.messages = []
            return messages
        }
        // Released here, outside the lock: a message may own objects with a deinit of their own.
        _ = consume dropped
        ownMessages.removeAll()
    }
}
