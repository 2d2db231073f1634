// Detached sockets that are written to as their peers read.
extension AnswerWriter {
    /// Answers a detached request with a head, behind which a stream or another protocol begins.
    func beginStream(
        _ connection: Connection, _ response: Response, first: ResponseBody,
        for context: ResponseContext, framing: BodyFraming
    ) {
        let closes =
            connection.machine.mustClose || loop.isDraining || framing == .untilClose
            || !ResponseEncoder.keepsAlive(response, for: context)
        connection.machine.closeBehindAnswer(closes)
        let head = outbox.encoder.head(
            of: response, for: context, closes: closes, framing: framing)
        meters.countAnswer(response)
        connection.trace?.note(response)
        guard framing == .switched || ResponseEncoder.sendsBody(response, for: context) else {
            guard loop.unpark(connection) else { return }
            return send(head: head, body: .empty, closes: closes, to: connection)
        }
        connection.machine.beginStream()
        push(head: head, first, to: connection)
    }

    /// Writes a piece of a stream; false when the next has to wait.
    func writeStream(_ connection: Connection, _ piece: ResponseBody) -> Bool {
        guard connection.machine.isStreaming else { return false }
        precondition(connection.isWritable, "a stream is written again once it is writable")
        return push(head: [], piece, to: connection)
    }

    /// Takes the socket of a stream from its owner, and ends it with these bytes.
    func endStream(_ connection: Connection, with end: [UInt8], closes: Bool) {
        guard loop.unpark(connection) else { return }
        guard let tail = connection.tail else {
            watchForRoom(connection, false)
            return send(head: end, body: .empty, closes: closes, to: connection)
        }
        tail.closes = closes
        tail.end = end
        loop.timers.arm(
            connection.slot, due: connection.progressedAt + loop.settings.sendProgressMilliseconds)
    }

    /// Something happened on the socket of a stream.
    func streamHappened(_ event: Poller.ReadyEvent, _ connection: Connection) {
        if case .webSocket(let socket) = connection.owner {
            if event.isWritable { roomCame(for: connection) }
            // Input that came before an end, or a hang-up, is read; then the end is found by
            // reading.
            return socket.inputCame()
        }
        if event.isHungUp {
            return loop.carryOut(.lose, on: connection)
        }
        if event.isWritable { roomCame(for: connection) }
        // Every event tells of the end again. Once judged, the peer is looked at again by the
        // wheel.
        if event.isReadClosed, connection.machine.isStreaming,
            connection.deadlines.recheck == .max
        {
            loop.examinePeer(of: connection)
        }
    }

    /// Lets connections write on that had had their share, or found no room. Neither streams nor
    /// answers are always the first.
    func continueWriting() {
        if loop.turn.isOdd {
            continueStreams()
            continueSending()
        } else {
            continueSending()
            continueStreams()
        }
    }

    private func continueStreams() {
        resting.run(while: { budget.hasRoomForMuch }) { connection in
            guard connection.machine.isStreaming, connection.isResting else { return }
            budget.begin(.writes, 1)
            connection.isResting = false
            connection.owner?.writable()
        }
    }

    /// Has a stream go on in the next turn.
    func rest(_ connection: Connection) {
        guard connection.machine.isStreaming, !connection.isResting else { return }
        connection.isResting = true
        resting.append(connection)
    }

    /// Writes a piece behind a head; false when the next has to wait.
    @discardableResult
    func push(head: [UInt8], _ piece: ResponseBody, to connection: Connection) -> Bool {
        connection.trace?.record.bytesOut += piece.count
        switch sendShare(head, piece, from: 0, to: connection) {
        case .whole:
            if loop.turn.spend(head.count + piece.count, on: connection) { rest(connection) }
            return !connection.isResting
        case .partly(let sent):
            connection.tail = UnsentTail(head: head, body: piece, sent: sent, ledger: unsent)
            connection.unsentBytes = piece.count
            noteProgress(of: connection)
            watchForRoom(connection, true)
            shedSlowestIfShort(sparing: connection)
            return false
        case .failed:
            meters.gone.add()
            loop.lose(connection)
            return false
        }
    }

    /// The kernel takes more of a stream. Pending bytes are written now, or when all others had
    /// their part of this turn.
    private func roomCame(for connection: Connection) {
        if budget.hasRoomForMuch { pushRest(of: connection) } else { sendLater(connection) }
    }

    /// Writes the pending bytes as far as the kernel takes them now.
    func pushRest(of connection: Connection) {
        guard let tail = connection.tail else { return }
        switch tail.send({ sendShare($0, $1, from: $2, to: connection) }) {
        case .whole:
            letGo(of: tail, on: connection)
            connection.deadlines.stall = .max
            loop.armDetached(connection)
            connection.owner?.writable()
            if connection.machine.isStreaming, connection.tail == nil {
                watchForRoom(connection, false)
            }
        case .partly(let sent): if sent > 0 { noteProgress(of: connection) }
        case .failed:
            letGo(of: tail, on: connection)
            loop.carryOut(.lose, on: connection)
        }
    }

    private func noteProgress(of connection: Connection) {
        connection.progressedAt = loop.now
        connection.deadlines.stall = loop.now + loop.settings.sendProgressMilliseconds
        loop.armDetached(connection)
    }

    private func watchForRoom(_ connection: Connection, _ watches: Bool) {
        guard connection.isWatchedForRoom != watches else { return }
        connection.isWatchedForRoom = watches
        var interest: Poller.Interest = [.readable, .readClosed, .edge]
        if watches { interest.insert(.writable) }
        poller.change(connection.descriptor, interest, token: connection.token)
    }
}
