internal import CLinux
internal import Glibc

// Sockets that we hold: before, between and outside of the parser's requests.
extension EventLoop {
    /// Something happened on a socket that the poller watches.
    func happened(_ event: Poller.ReadyEvent, to connection: Connection) {
        if event.isReadClosed { connection.isReadClosed = true }
        switch connection.phase {
        case .waiting: beginRequest(event, connection)
        case .parked: parkedHappened(event, connection)
        case .streaming: streamHappened(event, connection)
        case .pending: pendingHappened(event, connection)
        case .sending: sendRest(event, connection)
        case .lingering: linger(event, connection)
        case .parsing:
            noteEnd(of: connection)
            // It may have seen the end together with bytes, and not be woken by it again.
            parserIsDue = true
        case .closed: break
        }
    }

    /// A deadline of the loop's wheel passed.
    func deadlinePassed(on connection: Connection) {
        switch connection.phase {
        case .parked, .streaming: detachedDeadlinePassed(connection)
        case .parsing: parsingDeadlinePassed(connection)
        case .waiting where connection.isIdentifying:
            withdrawQuestion(of: connection)
            identified(connection, nil)
        case .waiting, .sending:
            meters.timeouts.add()
            closeConnection(connection)
        case .lingering: closeConnection(connection)
        case .pending, .closed: break
        }
    }

    /// Gives a socket whose next request has begun to the parser.
    func giveToParser(_ connection: Connection) {
        poller.change(connection.descriptor, [.readClosed, .edge], token: connection.token)
        timers.arm(connection.slot, due: now + settings.headerMilliseconds)
        connection.isNew = false
        connection.hasInput = false
        connection.isEndNoted = false
        countReads(of: connection)
        parserIsDue = true
        if !parser.add(connection), connection.phase != .closed {
            // The parser closed the descriptor without ever having taken it over.
            release(connection)
        }
    }

    /// Closes a socket that we hold.
    func closeConnection(_ connection: Connection) {
        close(connection.descriptor)
        release(connection)
    }

    /// Forgets a connection whose descriptor is closed.
    func release(_ connection: Connection) {
        timers.cancel(connection.slot)
        if connection.isIdentifying { withdrawQuestion(of: connection) }
        endTrace(connection)
        connections.remove(connection)
        if connection.isDetached { meters.parked.add(-1) }
        if let request = connection.request { settle(request) }
        connection.phase = .closed
        connection.owner = nil
        connection.tail = nil
        connection.request = nil
        connection.seen = nil
        connection.memo = nil
        meters.connections.add(-1)
        settings.openConnections.add(-1)
        if let account = connection.account { settings.accounts.leave(account) }
    }

    private func beginRequest(_ event: Poller.ReadyEvent, _ connection: Connection) {
        // Room to write may be news of a stream that has ended since the poller was asked.
        guard event.isReadable || event.isReadClosed || event.isHungUp else { return }
        guard !connection.hasInput else { return }
        // The end of the stream can be read too; a request that came before it is served.
        if event.isHungUp || event.isReadClosed || !event.isReadable {
            guard TCPReceipt.bytesUnread(in: connection.descriptor) ?? 0 > 0 else {
                return closeConnection(connection)
            }
        }
        connection.hasInput = true
        if !connection.isIdentifying { arrived.append(connection) }
    }

    private func parsingDeadlinePassed(_ connection: Connection) {
        meters.timeouts.add()
        if connection.request != nil || connection.isFirstInParser {
            var answer: [UInt8] = []
            let problem = Problem(
                408, "REQUEST_TIMEOUT",
                detail: connection.request?.stage == .body
                    ? "The body did not end within \(settings.bodyMilliseconds / 1_000) s, so "
                        + "nothing of it was kept: a body counts once all of it is there. Send "
                        + "bodies that end, or raise http.body_seconds in belfryd.conf and run "
                        + "`systemctl reload belfryd`."
                    : "The line and headers of the request did not arrive within "
                        + "\(settings.headerMilliseconds / 1_000) s; send them in one go, or raise "
                        + "http.header_seconds in belfryd.conf and run `systemctl reload belfryd`.",
                closesConnection: true)
            let response = problem.response
            meters.problems.add(problem.code)
            connection.trace?.note(response)
            encoder.encode(response, for: ResponseContext(keepsAlive: false), into: &answer)
            _ = SocketWriter.send(
                head: answer, body: .empty, from: 0, to: connection.descriptor)
        }
        cutOff(connection)
    }

    /// Makes the parser close a socket at its next turn; the descriptor is its own.
    func cutOff(_ connection: Connection) {
        shutdown(connection.descriptor, Int32(SHUT_RDWR))
        connection.isCutOff = true
        parserIsDue = true
    }

    /// Closing over unread bytes makes the kernel reset the connection, and the peer may lose the
    /// answer with it: first the peer is told that nothing more comes, and read to its end. A
    /// request that was answered before its body came has as long as that body.
    func beginLingering(_ connection: Connection) {
        shutdown(connection.descriptor, Int32(SHUT_WR))
        connection.phase = .lingering
        poller.change(connection.descriptor, [.readable], token: connection.token)
        let sendsOn = connection.mustLinger && !isDraining
        timers.arm(
            connection.slot,
            due: now + (sendsOn ? settings.bodyMilliseconds : Self.lingerMilliseconds))
    }

    private func linger(_ event: Poller.ReadyEvent, _ connection: Connection) {
        let outcome = LingeringReader.discard(
            from: connection.descriptor, bytesMax: HTTPFrontLimits.lingerReadBytes)
        if case .open(let bytes) = outcome, bytes > 0 || !event.isHungUp {
            if connection.discard(bytes, bytesMax: settings.discardBytesMax) { return }
        }
        closeConnection(connection)
    }

    static let lingerMilliseconds = UInt64(HTTPFrontLimits.lingerSeconds) * 1000
}
