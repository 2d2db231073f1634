internal import CLinux
internal import Glibc
internal import Telemetry

/// One event loop: a thread with its own epoll, mailbox, deadlines, parsers and handler.
///
/// Everything it owns is touched on its thread alone, without locks; debug builds check that at the
/// doors. A turn has these parts: wait; go on with connections that had more to write or to read;
/// take the events of sockets; handle the messages of other threads; pass deadlines; serve requests
/// that have arrived; handle the messages that the loop's own thread posted meanwhile; write on as
/// long as there is room. Each kind of task has its steps of a turn (``TurnBudget``), fewer once
/// the turn has lasted long. The rest waits for the next.
final class EventLoop {
    /// The way in from any thread.
    let handle: LoopHandle
    private(set) var settings: LoopSettings
    let meters: LoopMeters
    let memory: MemoryBudget
    let poller: Poller
    let acceptor: Acceptor
    let identity = PeerIdentity()

    var connections = ConnectionTable()
    /// The next deadline of each connection, by its slot.
    var timers: TimerWheel
    let reader: SocketReader

    let deferred = DeferredTasks()
    var turn = LoopTurn()
    let budget: TurnBudget
    /// The end of its drain, in monotonic milliseconds; `.max` once that time is over, nil while it
    /// serves.
    private(set) var drainDue: UInt64?
    /// The watch over requests that had arrived before a stop, while some of them may not be
    /// handled yet.
    private var arrivals: ArrivalWatch?

    let intake: RequestIntake
    let writer: AnswerWriter
    private(set) var handler: (any RequestHandler)!

    /// A loop that is ready to run.
    init(
        index: Int, settings: LoopSettings, listeners: [ListeningSocket], meters: LoopMeters,
        memory: MemoryBudget, log: Log, turnClock: (() -> Int)?
    ) throws(ServerError) {
        handle = LoopHandle(index: index, mailbox: try Mailbox())
        self.settings = settings
        self.meters = meters
        self.memory = memory
        budget = TurnBudget(clock: turnClock)
        poller = try Poller()
        acceptor = Acceptor(
            listeners, areShared: settings.sharesListeners, loopIndex: index, poller: poller,
            meters: meters, log: log)
        timers = TimerWheel(now: turn.now)
        reader = SocketReader()
        writer = AnswerWriter(within: budget, countedBy: meters, poller, memory)
        intake = try RequestIntake(
            answeringBy: writer, deferred.arrived, reader, handle.mailbox, memory,
            headBytesMax: settings.headerBytesMax)
        guard poller.add(mailbox.descriptor, [.readable, .edge], token: PollToken.mailbox)
        else { throw ServerError(doing: "watching a loop's mailbox") }
        writer.attach(to: self)
        intake.attach(to: self)
    }

    var mailbox: Mailbox { handle.mailbox }

    /// Milliseconds of the monotonic clock at the beginning of this turn.
    var now: UInt64 { turn.now }

    /// Stops the process, in debug builds, when it is called on another thread.
    func assertOnThread() {
        assert(mailbox.isOwnThread, "this belongs to the thread of loop \(handle.index)")
    }

    /// Serves until it has drained. The calling thread becomes the loop's, and makes the handler.
    func run(_ makeHandler: (LoopHandle, TurnBudget) -> any RequestHandler) {
        mailbox.adoptThread()
        clinux_name_thread("http-\(handle.index)")
        handler = makeHandler(handle, budget)
        acceptor.resume()
        while !isDraining || connections.count > 0 { runTurn() }
        mailbox.close()
        handler = nil
        deferred.removeAll()
        intake.postponed.removeAll()
        writer.removeAll()
    }

    private func runTurn() {
        let count = poller.wait(milliseconds: sleepMilliseconds())
        arrivals?.waited(count)
        turn.begin()
        budget.beginTurn(at: turn.began)
        defer {
            budget.endTurn(countingIn: meters)
            meters.turns.observe(turn.end())
        }
        meters.beginTurn(at: now)
        // First, so that a connection that is told to wait in this turn waits for the next.
        writer.continueWriting()
        deferred.reading.run(while: { budget.isLeft(for: .messages) }) { $0.readingIsDue() }
        intake.continuePostponed()
        var hasMail = false
        for index in 0..<count {
            let event = poller[index]
            switch event.token {
            case PollToken.mailbox: hasMail = true
            case let token where token < PollToken.firstConnection:
                arrivals?.isComplete = false
                acceptor.accept(at: token, in: turn, within: budget, welcome)
            case let token:
                if let connection = connections[token: token] { noted(event, of: connection) }
            }
        }
        hangUp()
        if hasMail { deferred.takeMail(mailbox.takeMessages()) }
        turn.servesOne = count == 1 && deferred.mail.isEmpty
        readMail()
        passDeadlines()
        serveArrived()
        writer.gatherAnswers { mailbox.handleOwnMessages(receive) }
        serveArrived()
        drainOn()
        budget.giveRest()
        writer.continueWriting()
        tellLost()
        endArrivals()
    }

    /// Milliseconds for which nothing will happen unless the kernel reports it; -1 for ever.
    private func sleepMilliseconds() -> Int32 {
        if mailbox.hasOwnMessages || deferred.isDue || writer.isDue || !intake.postponed.isEmpty {
            return 0
        }
        var due = arrivals == nil ? UInt64.max : now + 1
        if let timer = timers.nextDue { due = min(due, timer) }
        if let resumesAt = acceptor.resumesAt { due = min(due, resumesAt) }
        if let drainDue { due = min(due, drainDue) }
        guard due != .max else { return -1 }
        let current = UInt64(turn.ended / 1_000)
        return due <= current ? 0 : Int32(min(due - current, UInt64(Int32.max)))
    }

    private func receive(_ message: LoopMessage) {
        switch message {
        case .job(let job): job(handler)
        case .replies(let replies): replies.forEach(intake.answerLate)
        case .settings(let others): settings.replace(by: others)
        case .listener(let new, let old):
            acceptor.replace(old, by: new, within: budget, welcome)
        case .inventory(let tell): tell(LoopInventory(index: handle.index, connections))
        case .makeRoom(let bytes): writer.makeRoom(forAnswersOf: bytes)
        case .arrivals(let until, let tell): arrivals = ArrivalWatch(until: until, tell)
        case .drain(let due): beginDrain(until: due)
        }
    }

    /// Handles the messages of other threads, in the order in which they came.
    private func readMail() {
        guard !deferred.mail.isEmpty else { return }
        writer.gatherAnswers {
            deferred.mail.run(while: { budget.isLeft(for: .mail) }) { message in
                budget.begin(.mail, message.steps)
                receive(message)
            }
        }
    }

    private func passDeadlines() {
        if timers.mayBeDue(at: now) { passTimers() }
        acceptor.resumeIfDue(at: now)
        if let drainDue, now >= drainDue { endDrain() }
    }

    private func passTimers() {
        let steps = HTTPFrontLimits.deadlineSteps
        let countMax = (budget.left(for: .deadlines) + steps - 1) / steps
        for (index, slot) in timers.advance(to: now, atMost: countMax).enumerated() {
            guard budget.isLeft(for: .deadlines) else {
                timers.giveBack(from: index)
                break
            }
            budget.begin(.deadlines, steps)
            if let connection = connections[slot] {
                carryOut(connection.machine.deadlinePassed(), on: connection)
            }
        }
    }

    /// Goes on with requests that have begun to arrive, as many as this turn has room for.
    private func serveArrived() {
        guard !deferred.arrived.isEmpty else { return }
        writer.gatherAnswers {
            deferred.arrived.run(while: { budget.isLeft(for: .arrivals) }) { connection in
                intake.serveArrived(on: connection)
            }
        }
    }
}

/// The requests that had arrived at a loop when it was asked, until they have been handled.
private struct ArrivalWatch {
    /// The time at which it ends in any case.
    let until: UInt64
    let tell: @Sendable () -> Void
    /// The request that was the last one when this was looked at, and the time since when it has
    /// been.
    var handled: (number: UInt64, since: UInt64)?
    /// Whether the last wait told of everything that had happened. It did if it had room for more,
    /// and nobody was accepted behind it.
    var isComplete = false
    /// The number of the request by which all that had arrived are handled, even if others come
    /// without end; nil until a wait was complete.
    var lastNumber: UInt64?

    init(until: UInt64, _ tell: @escaping @Sendable () -> Void) {
        self.until = until
        self.tell = tell
    }

    mutating func waited(_ count: Int) { isComplete = count < Poller.eventsMax }
}

// The end: all open requests are answered, then the connections are closed.
extension EventLoop {
    /// Tells that all requests that had arrived are handled: a wait has told of every event, and
    /// none of these is left for a later turn. Also tells when nothing goes on any more, or the
    /// time is up.
    private func endArrivals() {
        guard let arrivals else { return }
        let waiting = deferred.requestCount + intake.postponed.count
        if arrivals.isComplete, arrivals.lastNumber == nil {
            // Users take turns, so that others may be handled in between.
            self.arrivals?.lastNumber =
                intake.lastRequestNumber + UInt64(2 * waiting + HTTPFrontLimits.arrivalsBeside)
        }
        let isQuiet =
            arrivals.isComplete && waiting == 0
            && !connections.all.contains { $0.groupsTicket != 0 }
        let isPassed = arrivals.lastNumber.map { intake.lastRequestNumber >= $0 } ?? false
        let handled = arrivals.handled ?? (intake.lastRequestNumber, now)
        self.arrivals?.handled =
            handled.number == intake.lastRequestNumber
            ? handled : (intake.lastRequestNumber, now)
        // A peer that reads nothing is never handled, and a busy machine may be slow with all.
        let isStuck =
            handled.number == intake.lastRequestNumber
            && now >= handled.since + HTTPFrontLimits.arrivalPauseMillisecondsMax
        guard isQuiet || isPassed || isStuck || now >= arrivals.until else { return }
        self.arrivals = nil
        arrivals.tell()
    }

    /// Begins to drain: accepts no more, lets the handler answer the waiting requests, closes idle
    /// connections. A client that has only just connected has a moment left for a first request. So
    /// a new connection is answered, by this daemon or, while it is not accepted, by the next.
    /// Connections that are left at `due` are closed as they are.
    private func beginDrain(until due: UInt64) {
        let isFirst = !isDraining
        drainDue = due
        guard isFirst else { return }
        acceptor.stop()
        handler.drain()
        // A client that is answered and not yet told is not idle.
        writer.sendAnswers()
        connections.all.forEach(deferred.draining.append)
    }

    /// Closes idle connections, some in each turn.
    private func drainOn() {
        deferred.draining.run(while: { budget.isLeft(for: .drains) }) { connection in
            budget.begin(.drains, HTTPFrontLimits.drainSteps)
            let due = connection.progressedAt + settings.configuration.firstRequestMilliseconds
            let action = connection.machine.drainBegan(hasTime: due > now) {
                connection.hasUnread
            }
            carryOut(action, on: connection)
        }
    }

    /// Closes all connections that are left, without answers.
    private func endDrain() {
        drainDue = .max
        for connection in connections.all {
            carryOut(connection.machine.drainEnded(), on: connection)
        }
    }
}
