/// What a loop has put off: until an owner's call is left, or because somebody has had their share of
/// this turn.
///
/// Confined to its loop's thread.
struct DeferredWork {
    /// Sockets on which a request, or more of it, has arrived.
    let arrived = UserLines<Connection>(by: \.peer.uid)
    /// Detached sockets that were closed and whose owners are yet to hear of it.
    let lost = TurnQueue<Connection>()
    /// WebSockets that have more to read.
    let reading = TurnQueue<WebSocket>()

    /// What happened on sockets whose peers have gone, or send no more.
    let hangUps = TurnQueue<HangUp>()

    /// An end of a connection that is yet to be looked at.
    struct HangUp {
        let connection: Connection
        let event: Poller.ReadyEvent

        init(_ event: Poller.ReadyEvent, of connection: Connection) {
            self.event = event
            self.connection = connection
        }
    }

    /// What other threads brought.
    let mail = TurnQueue<LoopMessage>()
    /// Connections that are yet to hear that the server drains.
    let draining = TurnQueue<Connection>()

    /// Whether the loop has to go on without waiting for news.
    var isDue: Bool {
        !(arrived.isEmpty && reading.isEmpty && lost.isEmpty && draining.isEmpty && mail.isEmpty
            && hangUps.isEmpty)
    }

    /// How many requests are among it, as far as can be known.
    var requestCount: Int {
        arrived.count + reading.count + hangUps.count
    }

    /// Adds what other threads brought, many answers in pieces.
    func takeMail(_ messages: [LoopMessage]) {
        let countMax = HTTPFrontLimits.repliesAtOnceMax
        for message in messages {
            guard case .replies(let replies) = message, replies.count > countMax else {
                mail.append(message)
                continue
            }
            for first in stride(from: 0, to: replies.count, by: countMax) {
                let end = min(first + countMax, replies.count)
                mail.append(.replies(Array(replies[first..<end])))
            }
        }
    }

    /// Lets go of everything: what is to have another turn holds its loop, and would for ever.
    func removeAll() {
        for queue in [lost, draining] { queue.removeAll() }
        arrived.removeAll()
        reading.removeAll()
        hangUps.removeAll()
        mail.removeAll()
    }
}

/// Work of one kind that waits for its moment in a turn, in the order in which it came.
///
/// Confined to its loop's thread.
final class TurnQueue<Element> {
    private var waiting: [Element] = []
    // Taking turns with it, so that neither is allocated anew.
    private var running: [Element] = []

    var isEmpty: Bool { waiting.isEmpty }
    var count: Int { waiting.count }

    func append(_ element: Element) { waiting.append(element) }

    /// Calls `body` with each that waits at this moment, once, as long as there is room; what is left
    /// or added meanwhile waits for the next call. Not to be called from inside itself.
    func run(while hasRoom: () -> Bool = { true }, _ body: (Element) -> Void) {
        guard !waiting.isEmpty else { return }
        assert(running.isEmpty, "a queue is not run from inside itself")
        swap(&waiting, &running)
        var count = 0
        while count < running.count, hasRoom() {
            body(running[count])
            count += 1
        }
        if count < running.count { waiting.insert(contentsOf: running[count...], at: 0) }
        // Most turns have one: `removeAll` takes five times as long for that.
        while running.popLast() != nil {}
    }

    func removeAll() { waiting = [] }
}
