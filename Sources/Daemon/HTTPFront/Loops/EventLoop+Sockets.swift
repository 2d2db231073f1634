internal import CLinux
internal import Glibc

// Sockets that we hold: before, between and outside of the parser's requests.
extension EventLoop {
    /// Something happened on a socket that the poller watches.
    func happened(_ event: Poller.ReadyEvent, to connection: Connection) {
        let action = connection.machine.happened(event) { hasUnread(connection) }
        if action == .tellStream { return streamHappened(event, connection) }
        carryOut(action, on: connection)
    }

    /// A deadline of the loop's wheel passed.
    func deadlinePassed(on connection: Connection) {
        carryOut(connection.machine.deadlinePassed(), on: connection)
    }

    /// Does what a connection's machine asks for.
    func carryOut(_ action: ConnectionAction, on connection: Connection) {
        switch action {
        case .none, .tellStream: break
        case .serve: arrived.append(connection)
        case .idle: timers.arm(connection.slot, due: now + settings.idleMilliseconds)
        case .expectFirstRequest:
            timers.arm(
                connection.slot,
                due: connection.progressedAt + settings.firstRequestMilliseconds)
        case .sendRest: sendRest(of: connection)
        case .examinePeer: examinePeer(of: connection)
        case .tellDeadline: detachedDeadlinePassed(connection)
        case .discard(let isOver): discardInput(of: connection, isOver: isOver)
        case .linger: linger(connection)
        case .wakeParser:
            noteEnd(of: connection)
            // It may have seen the end together with bytes, and not be woken by it again.
            parserIsDue = true
        case .giveUpGroups:
            withdrawQuestion(of: connection)
            identified(connection, nil)
        case .refuseLate: refuseLate(connection)
        case .cutOff: cutOff(connection)
        case .abandon: if let request = connection.request { abandonPending(connection, request) }
        case .timeOut:
            meters.timeouts.add()
            closeConnection(connection)
        case .lose:
            meters.gone.add()
            closeTellingOwner(connection)
        case .close: closeTellingOwner(connection)
        }
    }

    /// Whether bytes of a socket wait in the kernel.
    func hasUnread(_ connection: Connection) -> Bool {
        TCPReceipt.bytesUnread(in: connection.descriptor) ?? 0 > 0
    }

    /// Gives a socket whose next request has begun to the parser.
    func giveToParser(_ connection: Connection) {
        poller.change(connection.descriptor, [.readClosed, .edge], token: connection.token)
        timers.arm(connection.slot, due: now + settings.headerMilliseconds)
        connection.machine.takeInput()
        countReads(of: connection)
        parserIsDue = true
        if !parser.add(connection), connection.machine.phase != .closed {
            // The parser closed the descriptor without ever having taken it over.
            release(connection)
        }
    }

    /// Closes a socket that we hold.
    func closeConnection(_ connection: Connection) {
        close(connection.descriptor)
        release(connection)
    }

    /// Closes a socket that we hold, and tells its owner if it has one.
    func closeTellingOwner(_ connection: Connection) {
        let owner = connection.owner
        let isDetached = unpark(connection)
        closeConnection(connection)
        if isDetached { owner?.closed() }
    }

    /// Forgets a connection whose descriptor is closed.
    func release(_ connection: Connection) {
        timers.cancel(connection.slot)
        if connection.groupsTicket != 0 { withdrawQuestion(of: connection) }
        endTrace(connection)
        connections.remove(connection)
        if connection.machine.isDetached { meters.parked.add(-1) }
        if let request = connection.request { settle(request) }
        connection.machine.close()
        connection.owner = nil
        connection.tail = nil
        connection.request = nil
        connection.seen = nil
        connection.memo = nil
        meters.connections.add(-1)
        settings.openConnections.add(-1)
        if let account = connection.account { settings.accounts.leave(account) }
    }

    private func refuseLate(_ connection: Connection) {
        meters.timeouts.add()
        if connection.request != nil || connection.machine.parsing?.isFirst == true {
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
        connection.machine.cutOff()
        parserIsDue = true
    }

    /// Closing over unread bytes makes the kernel reset the connection, and the peer may lose the
    /// answer with it: first the peer is told that nothing more comes, and read to its end. A
    /// request that was answered before its body came has as long as that body.
    private func linger(_ connection: Connection) {
        if connection.machine.phase != .lingering {
            shutdown(connection.descriptor, Int32(SHUT_WR))
            connection.machine.linger()
            poller.change(connection.descriptor, [.readable], token: connection.token)
        }
        let sendsOn = connection.machine.mustLinger && !isDraining
        timers.arm(
            connection.slot,
            due: now + (sendsOn ? settings.bodyMilliseconds : Self.lingerMilliseconds))
    }

    private func discardInput(of connection: Connection, isOver: Bool) {
        let outcome = LingeringReader.discard(
            from: connection.descriptor, bytesMax: HTTPFrontLimits.lingerReadBytes)
        if case .open(let bytes) = outcome, bytes > 0 || !isOver {
            if connection.discard(bytes, bytesMax: settings.discardBytesMax) { return }
        }
        closeConnection(connection)
    }

    private static let lingerMilliseconds = UInt64(HTTPFrontLimits.lingerSeconds) * 1000
}
