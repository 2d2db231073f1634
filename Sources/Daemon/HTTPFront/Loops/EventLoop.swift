internal import CLinux
internal import Glibc
internal import Telemetry

/// One event loop: a thread with its own epoll, mailbox, timer wheel, parser and handler.
///
/// Everything it owns is touched on its thread alone, without locks; debug builds check that at
/// the doors. A turn is: wait; streams and WebSockets that had more to do; what happened on
/// sockets; what other threads brought; deadlines; the parser; what the loop's own thread posted
/// meanwhile.
///
/// The parser is never entered from inside itself: what a handler does to other connections while
/// the parser runs is noted and done behind it.
final class EventLoop {
    let index: Int
    private(set) var settings: LoopSettings
    private var settingsNumber: UInt32 = 0
    let mailbox: Mailbox
    let meters: LoopMeters
    let memory: MemoryBudget
    let log: Log
    private(set) var rules: RequestRules
    let poller: Poller
    let socketTable = SocketTable()
    let identity: PeerIdentity

    var connections = ConnectionTable()
    var timers: TimerWheel
    var encoder = ResponseEncoder()
    var outbox = Outbox()
    var heads = HeadCache()
    let unsent: UnsentLedger
    /// Before when connections are not looked through again for slow ones.
    var nextShedAt: UInt64 = 0
    /// Milliseconds of the monotonic clock at the beginning of this turn.
    var now: UInt64

    var listeners: [ListeningSocket]
    /// When accepting goes on after a pause; nil while it is on.
    var acceptResumesAt: UInt64?
    /// Before when another pause is not worth another line in the log.
    var nextPauseWarningAt: UInt64 = 0

    /// Sockets whose next request has begun, to be served outside the parser's turn.
    var arrived: [Connection] = []
    /// Sockets in the parser whose stream has ended, of which it may not know.
    var ending: [Connection] = []
    /// Detached sockets that were closed and whose owners are yet to hear of it.
    var lost: [Connection] = []
    /// Streams that have had their share of this turn and may write on in the next.
    var resting: [Connection] = []
    /// WebSockets that have more to read.
    var reading: [WebSocket] = []
    /// Where what is read outside the parser lies until it is taken.
    let scratch = UnsafeMutableRawBufferPointer.allocate(
        byteCount: HTTPFrontLimits.webSocketReadBytes, alignment: 16)
    /// The number of this turn.
    private(set) var turnNumber: UInt32 = 0
    /// Whether the parser has work that its descriptor does not show.
    var parserIsDue = false
    /// Connections that the parser holds.
    var parsedConnections = 0
    /// Requests that the parser's last run began.
    private var parsedRequests: UInt64 = 0
    /// Whether this turn serves one request alone, as far as can be known before the parser runs.
    private(set) var servesOne = false
    private(set) var parser: Parser!
    private(set) var handler: (any RequestHandler)!
    private let makeHandler: @Sendable (LoopHandle) -> any RequestHandler

    /// Whether answers stay in the outbox until all that is at hand is done.
    private(set) var isGathering = false

    var isDraining = false
    var drainDue: UInt64?
    var lastRequestNumber: UInt64 = 0
    private var expired: [Int] = []

    /// A loop that is ready to run; its thread makes the handler.
    init(
        index: Int, settings: LoopSettings, listeners: [ListeningSocket], meters: LoopMeters,
        memory: MemoryBudget, log: Log,
        makeHandler: @escaping @Sendable (LoopHandle) -> any RequestHandler
    ) throws(ServerError) {
        self.index = index
        self.settings = settings
        self.listeners = listeners
        self.meters = meters
        self.memory = memory
        self.log = log
        self.makeHandler = makeHandler
        rules = RequestRules(hosts: settings.hosts, origins: settings.origins)
        mailbox = try Mailbox()
        poller = try Poller()
        identity = PeerIdentity(table: socketTable)
        unsent = UnsentLedger(memory: memory)
        now = MonotonicClock.milliseconds()
        timers = TimerWheel(now: now)
        parser = try Parser(
            for: self, connectionsMax: HTTPFrontLimits.parserConnectionsMax,
            memoryBytes: settings.headerBytesMax, timeoutSeconds: settings.parserTimeoutSeconds)
        guard poller.add(mailbox.descriptor, [.readable, .edge], token: PollToken.mailbox),
            poller.add(parser.descriptor, [.readable], token: PollToken.parser)
        else { throw ServerError(doing: "watching a loop's own descriptors") }
    }

    deinit {
        parser?.stop()
        scratch.deallocate()
    }

    /// Stops the process, in debug builds, when another thread comes in.
    func assertOnThread() {
        assert(mailbox.isOwnThread, "this belongs to the thread of loop \(index)")
    }

    /// Serves until it has drained. The calling thread becomes the loop's.
    func run() {
        mailbox.adoptThread()
        clinux_name_thread("http-\(index)")
        handler = makeHandler(LoopHandle(index: index, mailbox: mailbox))
        resumeAccepting()
        while !isOver { turn() }
        end()
    }

    private func turn() {
        let count = poller.wait(milliseconds: sleepMilliseconds())
        let begin = MonotonicClock.microseconds()
        now = UInt64(begin / 1_000)
        defer { meters.turns.observe(MonotonicClock.microseconds() - begin) }
        turnNumber &+= 1
        meters.beginTurn(at: now)
        // First, so that who is told to wait in this turn waits for the next.
        wakeResting()
        readOn()
        var hasMail = false
        for index in 0..<count {
            let event = poller[index]
            switch event.token {
            case PollToken.mailbox: hasMail = true
            case PollToken.parser: parserIsDue = true
            case let token where token < PollToken.firstConnection:
                accept(from: Int(token - PollToken.firstListener))
            case let token:
                if let connection = connections[token: token] { happened(event, to: connection) }
            }
        }
        servesOne =
            count == 1 && !hasMail
            && (!parserIsDue || parsedConnections == 1 || parsedRequests <= 1)
        if hasMail { gatherAnswers { mailbox.takeMessages().forEach(receive) } }
        passDeadlines()
        serveArrived()
        if parserIsDue || parser.dueMilliseconds == 0 {
            parserIsDue = false
            let number = lastRequestNumber
            parser.run()
            parsedRequests = lastRequestNumber - number
            tellEnds()
        }
        gatherAnswers { mailbox.handleOwnMessages(receive) }
        serveArrived()
        tellLost()
    }

    /// How long nothing will happen unless the kernel says so; -1 for ever.
    private func sleepMilliseconds() -> Int32 {
        if parserIsDue || mailbox.hasOwnMessages || !arrived.isEmpty || !resting.isEmpty
            || !reading.isEmpty || !lost.isEmpty
        {
            return 0
        }
        var due = UInt64.max
        if let milliseconds = parser.dueMilliseconds {
            if milliseconds == 0 { return 0 }
            due = now + milliseconds
        }
        if let timer = timers.nextDue { due = min(due, timer) }
        if let acceptResumesAt { due = min(due, acceptResumesAt) }
        if let drainDue { due = min(due, drainDue) }
        guard due != .max else { return -1 }
        let current = MonotonicClock.milliseconds()
        return due <= current ? 0 : Int32(min(due - current, UInt64(Int32.max)))
    }

    private func receive(_ message: LoopMessage) {
        switch message {
        case .job(let job): job(handler)
        case .replies(let replies): replies.forEach(answerLate)
        case .settings(let new): take(new)
        case .inventory(let tell): tell(LoopInventory(index: index, connections))
        case .drain(let due): beginDrain(until: due)
        }
    }

    /// Goes by other settings from now on. Deadlines that run, run on.
    private func take(_ new: LoopSettings) {
        settings = new
        settingsNumber &+= 1
        rules = RequestRules(hosts: new.hosts, origins: new.origins)
    }

    private func passDeadlines() {
        timers.advance(to: now, expired: &expired)
        for slot in expired {
            if let connection = connections[slot] { deadlinePassed(on: connection) }
        }
        expired.removeAll(keepingCapacity: true)
        if let due = acceptResumesAt, now >= due { resumeAccepting() }
        if let due = drainDue, now >= due { endDrain() }
    }

    /// Tells what requests are judged by at this moment from what they were judged by earlier.
    var rulesNumber: UInt64 {
        UInt64(settingsNumber) << 32 | UInt64(handler.configurationNumber)
    }

    /// Answers the requests that have begun to arrive, or gives them to the parser.
    private func serveArrived() {
        guard !arrived.isEmpty else { return }
        let batch = arrived
        arrived.removeAll(keepingCapacity: true)
        gatherAnswers {
            for connection in batch where connection.machine.waiting != nil {
                if !answersUnparsed(on: connection) { giveToParser(connection) }
            }
        }
    }

    /// Sends what `body` answers in the end; where it serves one request alone, as it comes.
    private func gatherAnswers(_ body: () -> Void) {
        isGathering = !servesOne
        body()
        isGathering = false
        sendAnswers()
    }

    private func end() {
        parser.stop()
        mailbox.close()
        handler = nil
        // What was to have another turn holds the loop, and would for ever.
        arrived = []
        resting = []
        reading = []
    }

    /// What the poller calls the loop's own descriptors; connections have a generation above.
    enum PollToken {
        static let mailbox: UInt64 = 0
        static let parser: UInt64 = 1
        static let firstListener: UInt64 = 2
        static let firstConnection: UInt64 = 1 << 32
    }
}
