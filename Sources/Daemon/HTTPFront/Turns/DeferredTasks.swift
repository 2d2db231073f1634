/// The tasks that a loop has put off, until an owner's call has returned, or because somebody has
/// had their share of this turn.
///
/// Confined to its loop's thread.
struct DeferredTasks {
    /// Sockets on which a request, or more of it, has arrived.
    let arrived = UserLines<Connection>(by: \.peer.uid)
    /// Detached sockets that were closed and whose owners are yet to hear of it.
    let lost = TurnQueue<Connection>()
    /// WebSockets that have more to read.
    let reading = TurnQueue<WebSocket>()

    /// Events of sockets whose peers have gone, or send no more.
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

    /// Messages of other threads.
    let mail = TurnQueue<LoopMessage>()
    /// Connections that are yet to hear that the server drains.
    let draining = TurnQueue<Connection>()

    /// Whether the loop has to go on without waiting for news.
    var isDue: Bool {
        !(arrived.isEmpty && reading.isEmpty && lost.isEmpty && draining.isEmpty && mail.isEmpty
            && hangUps.isEmpty)
    }

    /// The number of requests among these tasks, as far as can be known.
    var requestCount: Int {
        arrived.count + reading.count + hangUps.count
    }

    /// Adds messages of other threads, many answers in pieces.
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

    /// Lets go of everything: a task that is to have another turn holds its loop, and would for
    /// ever.
    func removeAll() {
        for queue in [lost, draining] { queue.removeAll() }
        arrived.removeAll()
        reading.removeAll()
        hangUps.removeAll()
        mail.removeAll()
    }
}

/// Tasks of one kind that wait for their moment in a turn, in the order in which they came.
///
/// Confined to its loop's thread.
final class TurnQueue<Element> {
    private var waiting: [Element] = []
    // The two arrays take turns, so that neither is allocated anew.
    private var running: [Element] = []

    var isEmpty: Bool { waiting.isEmpty }
    var count: Int { waiting.count }

    func append(_ element: Element) { waiting.append(element) }

    /// Calls `body` with each element that waits at this moment, once, as long as there is room.
    /// Elements that are left or added meanwhile wait for the next call. Not to be called from
    /// inside itself.
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
        // Most turns have one element: `removeAll` takes five times as long for that.
        while running.popLast() != nil {}
    }

    func removeAll() { waiting = [] }
}
