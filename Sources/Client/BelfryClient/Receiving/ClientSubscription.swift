internal import Protection
public import Topics

/// The events of a selector as an asynchronous sequence, from a place in the log of a bus on.
///
/// ```swift
/// for try await delivery in try await client.subscribe(Selector("builds.>")) {
///     switch delivery {
///     case .event(let event): show(event.payload.text)
///     case .gap: reload()
///     }
/// }
/// ```
///
/// Makes the promises of an `EventSubscription` in the bus's own process: **ids rise, no event
/// comes twice, every loss is told as a gap**. It keeps them over lost connections and restarts of
/// the bus: it connects again by itself, with its cursor, after a random delay that grows to 5 s. A
/// gap may be told twice if the connection broke behind it.
///
/// Reads from the connection only as fast as it is asked for events. It holds at most a few hundred
/// KiB and one event, and the bus waits with the rest. The bus closes the connection of a reader
/// that takes nothing for long; that costs a reconnection, and no event.
///
/// A payload whose content type says JSON comes as the bus's envelopes have it, without white space
/// between tokens; all others byte for byte.
///
/// It ends when it is cancelled, or a task that waits for it, and after it threw. Unlike one in the
/// process it does not end when its topic is deleted, but goes on with the next topic of that name.
///
/// Not for several readers: to ask while another call waits stops the process with a sentence.
public final class ClientSubscription: AsyncSequence, Sendable {
    /// An event or a gap.
    public typealias Element = Delivery
    /// The reason why a subscription fails.
    public typealias Failure = ClientError

    private struct State {
        var machine: SubscriptionMachine
        var feed: StreamFeed?
        var transfer: Transfer?
        var isReading = false
    }

    /// The topics or patterns from which it receives events.
    public let selector: Selector
    private let state: Protected<State>
    private let thread: TransferThread
    /// The request for a stream from a place on.
    private let request: @Sendable (String, StreamFeed) throws(ClientError) -> Transfer
    private let interrupted: @Sendable (ClientError) -> Void

    init(
        _ selector: Selector, _ machine: SubscriptionMachine, on thread: TransferThread,
        interrupted: @escaping @Sendable (ClientError) -> Void = { _ in },
        request: @escaping @Sendable (String, StreamFeed) throws(ClientError) -> Transfer
    ) {
        self.selector = selector
        state = Protected(State(machine: machine))
        self.thread = thread
        self.request = request
        self.interrupted = interrupted
    }

    deinit { cancel() }

    /// Everything up to this id was delivered, told as a gap, or is not wanted: resume with
    /// `.after(cursor)`.
    ///
    /// It includes the event that the last `next` returned: keep the cursor from before until that
    /// event is dealt with. It moves on with the bus while nothing comes.
    public var cursor: EventID { state.write { $0.machine.cursor } ?? .zero }

    /// The bytes that came and were not asked for yet.
    var heldBytes: Int {
        state.write { ($0.feed?.heldBytes ?? 0) + $0.machine.heldBytes }
    }

    /// The next event or gap of those that came already; nil where it takes waiting to know.
    ///
    /// A program that gathers its output does so as long as this gives something.
    public func ready() -> Delivery? { state.write { $0.machine.ready() } }

    /// Ends it at once; a task that waits for it gets nil. Doing so again changes nothing.
    public func cancel() {
        let transfer = state.write { state in
            state.machine.cancel()
            return state.transfer
        }
        if let transfer { thread.cancel(transfer) }
    }

    /// Reads on where the last iterator was.
    public func makeAsyncIterator() -> Iterator { Iterator(subscription: self) }

    /// Reads a subscription, which it keeps.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let subscription: ClientSubscription

        /// The next event or gap; nil once the subscription has ended, and when the task is
        /// cancelled.
        ///
        /// - Throws: `ClientError` once, where the bus refuses to go on; then it has ended.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(ClientError) -> Delivery? {
            try await subscription.next(isolation: actor)
        }
    }

    /// Waits until the bus has said where the start is.
    func open() async throws(ClientError) {
        beginReading()
        defer { endReading() }
        while state.write({ $0.machine.cursor == nil && !$0.machine.hasEnded }) {
            _ = try await turn(isolation: nil)
        }
    }

    private func next(
        isolation actor: isolated (any Actor)?
    ) async throws(ClientError) -> Delivery? {
        beginReading()
        defer { endReading() }
        while true {
            if Task.isCancelled { cancel() }
            switch try await turn(isolation: actor) {
            case .deliver(let delivery): return delivery
            case .end: return nil
            case .connect, .read, .fail: continue
            }
        }
    }

    private func beginReading() {
        let isFree = state.write { state in
            defer { state.isReading = true }
            return !state.isReading
        }
        precondition(isFree, "two tasks read one subscription to \(selector): make one for each")
    }

    private func endReading() { state.write { $0.isReading = false } }

    /// One step, done.
    private func turn(
        isolation actor: isolated (any Actor)?
    ) async throws(ClientError) -> SubscriptionMachine.Step {
        let (interruption, step) = state.write { ($0.machine.interruption, $0.machine.step()) }
        if let interruption { interrupted(interruption) }
        switch step {
        case .deliver, .end: break
        case .fail(let error):
            cancel()
            throw error
        case .connect(let since, let delay): try connect(since, afterMilliseconds: delay)
        case .read: await read(isolation: actor)
        }
        return step
    }

    private func connect(
        _ since: String, afterMilliseconds delay: Int
    ) throws(ClientError) {
        let feed = StreamFeed()
        let transfer: Transfer
        do throws(ClientError) {
            transfer = try request(since, feed)
        } catch {
            cancel()
            throw error
        }
        let goesOn = state.write { state in
            (state.feed, state.transfer) = (feed, transfer)
            return !state.machine.hasEnded
        }
        if goesOn { thread.start(transfer, afterMilliseconds: delay) }
    }

    private func read(isolation actor: isolated (any Actor)?) async {
        let (feed, transfer, hasEnded) = state.write {
            ($0.feed, $0.transfer, $0.machine.hasEnded)
        }
        guard let feed, let transfer, !hasEnded else { return }
        let piece = await withTaskCancellationHandler {
            await feed.next { thread.resume(transfer) }
        } onCancel: {
            cancel()
        }
        state.write { state in
            switch piece {
            case .head(let head): state.machine.take(head)
            case .bytes(let bytes): state.machine.take(bytes)
            case .end(let end): state.machine.take(end)
            }
        }
    }
}
