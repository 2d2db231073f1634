internal import Glibc

// Answers to requests whose sockets we hold.
extension EventLoop {
    /// Writes an answer to a socket that we hold and watch, then hands the socket back or ends it.
    func write(_ response: Response, for context: ResponseContext, to connection: Connection) {
        let closes =
            connection.machine.mustClose || isDraining
            || !ResponseEncoder.keepsAlive(response, for: context)
        connection.machine.answer()
        meters.countAnswer(response)
        noteWhole(response, for: context, connection)
        let sendsBody = ResponseEncoder.sendsBody(response, for: context)
        if sendsBody, response.body.count > HTTPFrontLimits.joinedBodyBytesMax {
            var head: [UInt8] = []
            encoder.encodeHead(of: response, for: context, closes: closes, into: &head)
            return send(head: head, body: response.body, closes: closes, to: connection)
        }
        encoder.encodeHead(of: response, for: context, closes: closes, into: &outbox.bytes)
        if sendsBody { response.body.withBytes { outbox.bytes.append(contentsOf: $0) } }
        outbox.add(for: connection, closes: closes)
        if !isGathering || outbox.isFull { sendAnswers() }
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
        let result = SocketWriter.send(
            head: head, body: body, from: 0, to: connection.descriptor)
        conclude(result, closes: closes, connection) { sent in
            UnsentTail(head: head, body: body, sent: sent, closes: closes, ledger: unsent)
        }
    }

    /// Goes on behind an attempt to write an answer to its end, of which `tail` makes the rest.
    private func conclude(
        _ result: SendResult, closes: Bool, _ connection: Connection,
        tail: (_ sent: Int) -> UnsentTail
    ) {
        timers.cancel(connection.slot)
        switch result {
        case .whole: answerIsOut(connection, closes: closes)
        case .failed: closeConnection(connection)
        case .partly(let sent):
            let tail = tail(sent)
            connection.tail = tail
            connection.progressedAt = now
            connection.unsentBytes = tail.bodyBytes
            poller.change(
                connection.descriptor, [.readable, .writable, .readClosed, .edge],
                token: connection.token)
            timers.arm(connection.slot, due: now + settings.sendProgressMilliseconds)
            shedSlowestIfShort(sparing: connection)
        }
    }

    /// The kernel takes more of an answer.
    func sendRest(of connection: Connection) {
        guard let tail = connection.tail else { return closeConnection(connection) }
        switch tail.send(to: connection.descriptor) {
        case .failed: closeConnection(connection)
        case .partly(let sent):
            guard sent > 0 else { return }
            connection.progressedAt = now
            timers.arm(connection.slot, due: now + settings.sendProgressMilliseconds)
        case .whole:
            connection.tail = nil
            poller.change(
                connection.descriptor, [.readable, .readClosed, .edge], token: connection.token)
            send(head: tail.end, body: .empty, closes: tail.closes, to: connection)
        }
    }

    private func answerIsOut(_ connection: Connection, closes: Bool) {
        endTrace(connection)
        carryOut(
            connection.machine.answerIsOut(closes: closes) { hasUnread(connection) }, on: connection
        )
    }
}
