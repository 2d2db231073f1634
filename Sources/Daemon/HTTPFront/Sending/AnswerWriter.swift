internal import Glibc
internal import Telemetry

/// Writes the answers of a loop: whole ones, and the pieces of streams.
///
/// Bytes that the kernel does not take are kept, counted, and written as the peer reads. When they
/// fill their share of memory, the slowest readers are closed. Confined to its loop's thread.
final class AnswerWriter {
    // unowned(unsafe): the loop has it, and every write looks at the loop. The objects that each
    // write uses are here as well: else the loop would be retained and released each time.
    unowned(unsafe) private(set) var loop: EventLoop!
    let budget: TurnBudget
    let meters: LoopMeters
    let poller: Poller
    var outbox = Outbox()
    let unsent: UnsentLedger
    /// Sockets whose unsent bytes the last turn had no room for.
    let sending = TurnQueue<Connection>()
    /// Streams that have had their share of this turn and may write on in the next.
    let resting = TurnQueue<Connection>()

    init(
        within budget: TurnBudget, countedBy meters: LoopMeters, _ poller: Poller,
        _ memory: MemoryBudget
    ) {
        self.budget = budget
        self.meters = meters
        self.poller = poller
        unsent = UnsentLedger(memory: memory)
    }

    /// Writes for this loop from now on.
    func attach(to loop: EventLoop) { self.loop = loop }

    /// Whether it has to go on in the next turn.
    var isDue: Bool { !(sending.isEmpty && resting.isEmpty) }

    /// Lets go of everything that was to have another turn.
    func removeAll() {
        sending.removeAll()
        resting.removeAll()
    }

    /// Sends the answers of `body` together when it has ended.
    func gatherAnswers(_ body: () -> Void) {
        outbox.isGathering = true
        body()
        outbox.isGathering = false
        sendAnswers()
    }

    /// Writes an answer to a socket that we hold and watch, then hands the socket back or ends it. A
    /// withheld one ends it.
    func write(_ response: Response, for context: ResponseContext, to connection: Connection) {
        guard !response.isWithheld else { return loop.closeConnection(connection) }
        let closes =
            connection.machine.mustClose || loop.isDraining
            || !ResponseEncoder.keepsAlive(response, for: context)
        connection.machine.answer()
        meters.countAnswer(response)
        connection.trace?.noteWhole(response, for: context)
        if ResponseEncoder.sendsBody(response, for: context),
            response.body.count > HTTPFrontLimits.joinedBodyBytesMax
        {
            let head = outbox.encoder.head(of: response, for: context, closes: closes)
            return send(head: head, body: response.body, closes: closes, to: connection)
        }
        outbox.add(response, for: context, closes: closes, to: connection)
        if outbox.isDue { sendAnswers() }
    }

    /// Sends a last answer to a socket that is about to be closed, as far as one `send` goes.
    func sendOnce(_ response: Response, to descriptor: Int32) {
        var answer: [UInt8] = []
        outbox.encoder.encode(
            response, for: ResponseContext(keepsAlive: false), closes: true, into: &answer)
        _ = SocketWriter.send(head: answer, body: .empty, from: 0, to: descriptor)
    }

    /// Sends the answers that were made and not yet sent.
    func sendAnswers() {
        outbox.drain { answer, bytes in
            let (connection, closes) = (answer.connection, answer.closes)
            let result = SocketWriter.send(bytes, from: 0, to: connection.descriptor)
            conclude(result, closes: closes, connection) { sent in
                UnsentTail(
                    head: Array(bytes), body: .empty, sent: sent, closes: closes, ledger: unsent)
            }
        }
    }

    /// Writes the last bytes of an answer, then hands the socket back or ends it.
    func send(head: [UInt8], body: ResponseBody, closes: Bool, to connection: Connection) {
        let result = sendShare(head, body, from: 0, to: connection)
        conclude(result, closes: closes, connection) { sent in
            UnsentTail(head: head, body: body, sent: sent, closes: closes, ledger: unsent)
        }
    }

    /// Goes on behind an attempt to write an answer to its end. `tail` makes the rest of the
    /// answer.
    private func conclude(
        _ result: SendResult, closes: Bool, _ connection: Connection,
        tail: (_ sent: Int) -> UnsentTail
    ) {
        loop.timers.cancel(connection.slot)
        switch result {
        case .whole: answerIsOut(connection, closes: closes)
        case .failed: loop.closeConnection(connection)
        case .partly(let sent):
            let tail = tail(sent)
            connection.tail = tail
            connection.progressedAt = loop.now
            connection.unsentBytes = tail.bodyBytes
            poller.change(
                connection.descriptor, [.readable, .writable, .readClosed, .edge],
                token: connection.token)
            loop.timers.arm(connection.slot, due: loop.now + loop.settings.sendProgressMilliseconds)
            shedSlowestIfShort(sparing: connection)
        }
    }

    /// Writes more of an answer, since the kernel takes more.
    func sendRest(of connection: Connection) {
        guard let tail = connection.tail else { return loop.closeConnection(connection) }
        switch tail.send({ sendShare($0, $1, from: $2, to: connection) }) {
        case .failed:
            letGo(of: tail, on: connection)
            loop.closeConnection(connection)
        case .partly(let sent):
            guard sent > 0 else { return }
            connection.progressedAt = loop.now
            loop.timers.arm(connection.slot, due: loop.now + loop.settings.sendProgressMilliseconds)
        case .whole:
            letGo(of: tail, on: connection)
            poller.change(
                connection.descriptor, [.readable, .readClosed, .edge], token: connection.token)
            send(head: tail.end, body: .empty, closes: tail.closes, to: connection)
        }
    }

    /// Lets go of an answer's rest, and counts the steps that freeing it takes.
    func letGo(of tail: UnsentTail, on connection: Connection) {
        connection.tail = nil
        budget.add(tail.freeingSteps, to: .writes)
    }

    /// Writes the rest of an answer, as far as the kernel takes it and this turn has room for it. A
    /// rest without room goes on in the next turn.
    func sendShare(
        _ head: [UInt8], _ body: ResponseBody, from sent: Int, to connection: Connection
    ) -> SendResult {
        let isMuch = head.count + body.count - sent > HTTPFrontLimits.writtenAtOnceBytesMax
        let hasRoom =
            if connection.machine.isStreaming {
                budget.hasRoomForPiece
            } else {
                isMuch ? budget.hasRoomForMuch : budget.isLeft(for: .writes)
            }
        guard hasRoom else {
            sendLater(connection)
            return .partly(0)
        }
        let result = SocketWriter.send(
            head: head, body: body, from: sent, atMost: HTTPFrontLimits.sendBytesMax,
            to: connection.descriptor)
        switch result {
        case .whole: countWritten(head.count + body.count - sent, of: body, to: connection)
        case .partly(let bytes):
            countWritten(bytes, of: body, to: connection)
            // The poller would not tell of room that the kernel has not run out of.
            if bytes == HTTPFrontLimits.sendBytesMax { sendLater(connection) }
        case .failed: break
        }
        return result
    }

    private func countWritten(_ bytes: Int, of body: ResponseBody, to connection: Connection) {
        let bytesPerStep =
            connection.machine.isStreaming && !body.isOfOneReader
            ? HTTPFrontLimits.streamedBytesPerStep : HTTPFrontLimits.writtenBytesPerStep
        budget.count(.writes, 1 + bytes / bytesPerStep)
    }

    /// Has a connection write on when there is room.
    func sendLater(_ connection: Connection) {
        guard !connection.awaitsTurn else { return }
        connection.awaitsTurn = true
        sending.append(connection)
    }

    /// Writes on for connections that an earlier look at the budget had no room for.
    func continueSending() {
        sending.run(while: { budget.hasRoomForMuch }) { connection in
            connection.awaitsTurn = false
            guard connection.tail != nil else { return }
            if connection.machine.isStreaming {
                pushRest(of: connection)
            } else if connection.machine.phase == .writing {
                sendRest(of: connection)
            }
        }
    }

    private func answerIsOut(_ connection: Connection, closes: Bool) {
        connection.ifLost = nil
        connection.endTrace()
        let action = connection.machine.answerIsOut(closes: closes) { connection.hasUnread }
        loop.carryOut(action, on: connection)
    }
}

// Closing connections when answers that nobody reads fill their share of memory.
extension AnswerWriter {
    /// Closes the connections that are longest without progress, until unsent answers keep well
    /// less than their share of memory again; `newest`, which was answered just now, is spared.
    ///
    /// Every search that finds somebody frees an eighth of the share at least, so searches are
    /// few; one that finds nobody is repeated after `shedIntervalMilliseconds`, or once as much has
    /// come again.
    func shedSlowestIfShort(sparing newest: Connection) {
        guard unsent.isShort(at: loop.now) else { return }
        if !shed(unsent.excess, where: { $0 !== newest }) { unsent.foundNoneSlow(at: loop.now) }
    }

    /// Closes the connections that are longest without progress, of those whose peers have read
    /// nothing for a while, until answers of so many bytes more have room.
    func makeRoom(forAnswersOf bytes: Int) {
        let excess = unsent.excess(with: bytes, at: loop.now)
        guard excess > 0 else { return }
        let hasFound = shed(excess) {
            !$0.awaitsTurn && $0.progressedAt + HTTPFrontLimits.stalledMilliseconds <= loop.now
        }
        if !hasFound { unsent.foundNoneStalled(at: loop.now) }
    }

    /// Closes the slowest of the eligible connections, until so many bytes are freed; false if none
    /// was found.
    private func shed(_ bytes: Int, where isEligible: (Connection) -> Bool) -> Bool {
        var excess = bytes
        var slow: [Connection] = []
        for connection in loop.connections.all where isEligible(connection) {
            if connection.tail != nil { slow.append(connection) }
        }
        slow.sort { $0.progressedAt < $1.progressedAt }
        var hasFound = false
        for connection in slow {
            if excess <= 0 { break }
            hasFound = true
            excess -= connection.unsentBytes
            meters.shed.add()
            switch connection.machine.phase {
            case .streaming: loop.lose(connection)
            default: loop.closeConnection(connection)
            }
        }
        return hasFound
    }
}
