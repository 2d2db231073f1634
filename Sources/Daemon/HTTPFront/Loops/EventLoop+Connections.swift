internal import Glibc

// Events of connections, and the actions that they call for.
extension EventLoop {
    /// Takes an event of a socket from the poller. Ends of connections wait for a turn that has
    /// room for them, since thousands may come at once. All other events are looked at now.
    func noted(_ event: Poller.ReadyEvent, of connection: Connection) {
        guard event.isHungUp || event.isReadClosed else {
            return happened(event, to: connection)
        }
        deferred.hangUps.append(.init(event, of: connection))
    }

    /// Looks at connections that have ended, as many as the turn has room for.
    func hangUp() {
        deferred.hangUps.run(while: { budget.isLeft(for: .hangUps) }) { hangUp in
            guard hangUp.connection.machine.phase != .closed else { return }
            budget.begin(.hangUps, HTTPFrontLimits.hangUpSteps)
            happened(hangUp.event, to: hangUp.connection)
        }
    }

    /// Something happened on a socket that the poller watches.
    func happened(_ event: Poller.ReadyEvent, to connection: Connection) {
        let action = connection.machine.happened(event) { connection.hasUnread }
        if action == .tellStream { return writer.streamHappened(event, connection) }
        carryOut(action, on: connection)
    }

    /// Carries out the action that a connection's machine asks for.
    func carryOut(_ action: ConnectionAction, on connection: Connection) {
        switch action {
        case .none, .tellStream: break
        case .serve: deferred.arrived.append(connection)
        case .idle: timers.arm(connection.slot, due: now + settings.idleMilliseconds)
        case .expectFirstRequest:
            timers.arm(
                connection.slot,
                due: connection.progressedAt + settings.configuration.firstRequestMilliseconds)
        case .sendRest: writer.sendRest(of: connection)
        case .examinePeer: examinePeer(of: connection)
        case .tellDeadline: tellDeadlines(of: connection)
        case .discard(let isOver): discardInput(of: connection, isOver: isOver)
        case .linger: linger(connection)
        case .giveUpGroups:
            withdrawQuestion(of: connection)
            identified(connection, nil)
        case .refuseLate: refuseLate(connection)
        case .timeOut:
            meters.timeouts.add()
            closeConnection(connection)
        case .lose:
            meters.gone.add()
            closeTellingOwner(connection)
        case .close: closeTellingOwner(connection)
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
        connection.endTrace()
        connections.remove(connection)
        if connection.machine.isDetached { meters.parked.add(-1) }
        if let request = connection.request { intake.settle(request) }
        connection.machine.close()
        connection.owner = nil
        // The task that closes it has begun before: a hang-up, a deadline, a search for memory.
        budget.add(connection.tail?.freeingSteps ?? 0)
        connection.tail = nil
        connection.request = nil
        connection.ifLost.take()?()
        meters.connections.add(-1)
        settings.openConnections.add(-1)
        if let account = connection.account { settings.accounts.leave(account) }
    }

    private func refuseLate(_ connection: Connection) {
        meters.timeouts.add()
        let problem = Problem(
            408, "REQUEST_TIMEOUT",
            detail: connection.machine.phase == .receiving
                ? "The body did not end within \(settings.bodyMilliseconds / 1_000) s, so "
                    + "nothing of it was kept: a body counts once all of it is there. Send "
                    + "bodies that end, or raise http.body_seconds in belfryd.conf and run "
                    + "`systemctl reload belfryd`."
                : "The line and headers of the request did not arrive within "
                    + "\(settings.headerMilliseconds / 1_000) s; send them in one go, or raise "
                    + "http.header_seconds in belfryd.conf and run `systemctl reload belfryd`.",
            closesConnection: true)
        let response = problem.response
        meters.countAnswer(response)
        connection.trace?.note(response)
        writer.sendOnce(response, to: connection.descriptor)
        shutdown(connection.descriptor, Int32(SHUT_WR))
        reader.discard(
            from: connection.descriptor, bytesMax: settings.configuration.headerBytesMax)
        closeConnection(connection)
    }

    /// Tells the peer that nothing more comes, then reads it to its end. Closing over unread bytes
    /// makes the kernel reset the connection, and the peer may lose the answer with it. A request
    /// that was answered before its body came has as long as that body, if its length is known.
    private func linger(_ connection: Connection) {
        if connection.machine.phase != .lingering {
            shutdown(connection.descriptor, Int32(SHUT_WR))
            connection.machine.linger()
            poller.change(connection.descriptor, [.readable], token: connection.token)
        }
        let sendsOn = connection.machine.inputLeft == .body && !isDraining
        timers.arm(
            connection.slot,
            due: now + (sendsOn ? settings.bodyMilliseconds : Self.lingerMilliseconds))
    }

    private func discardInput(of connection: Connection, isOver: Bool) {
        let outcome = reader.discard(
            from: connection.descriptor, bytesMax: HTTPFrontLimits.lingerReadBytes)
        if case .open(let bytes) = outcome, bytes > 0 || !isOver {
            if connection.discard(bytes, bytesMax: settings.discardBytesMax) { return }
        }
        closeConnection(connection)
    }

    private static let lingerMilliseconds = UInt64(HTTPFrontLimits.lingerSeconds) * 1000
}

// New connections.
extension EventLoop {
    /// Begins to watch a connection that was accepted, or turns it away.
    func welcome(_ accepted: AcceptedSocket) {
        let descriptor = accepted.descriptor
        guard let peer = identity.peer(of: accepted) else {
            close(descriptor)
            return
        }
        guard settings.openConnections.add(1) <= settings.configuration.connectionsMax else {
            settings.openConnections.add(-1)
            return turnAway(descriptor, .overloaded("Too many connections are open."))
        }
        let account = settings.accounts.enter(
            peer.uid, connectionsMax: settings.configuration.connectionsPerUIDMax)
        guard let account else {
            settings.openConnections.add(-1)
            return turnAway(descriptor, .tooManyConnections(of: peer.uid))
        }
        if peer.transport == .unix {
            var bytes = Int32(clamping: settings.configuration.socketSendBufferBytes)
            setsockopt(
                descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        }
        let connection = connections.insert(descriptor: descriptor, peer: peer)
        connection.progressedAt = now
        connection.account = account
        meters.accepted.add()
        meters.connections.add(1)
        guard poller.add(descriptor, [.readable, .readClosed, .edge], token: connection.token)
        else {
            closeConnection(connection)
            return
        }
        timers.arm(connection.slot, due: now + settings.idleMilliseconds)
        identify(connection)
    }

    /// Looks up the groups of a peer's user, if they are needed and the kernel did not tell them.
    /// Nothing is read meanwhile.
    private func identify(_ connection: Connection) {
        guard let uid = connection.peer.uid, connection.peer.groups == nil,
            let directory = settings.configuration.peerGroups, directory.areNeeded
        else { return }
        let token = connection.token
        let handle = handle
        // The job runs on the loop's thread, which alone touches the loop.
        nonisolated(unsafe) unowned let loop = self
        let answer = directory.groups(of: uid) { groups in
            handle.post { _ in
                if let connection = loop.connections[token: token] {
                    loop.identified(connection, groups)
                }
            }
        }
        switch answer {
        case .known(let groups): connection.peer.groups = groups
        case .later(let ticket):
            connection.groupsTicket = ticket
            connection.machine.identify()
            timers.arm(connection.slot, due: now + settings.configuration.peerGroupsMilliseconds)
        }
    }

    /// Goes on with a connection whose user's groups are known now, or will not be.
    func identified(_ connection: Connection, _ groups: [UInt32]?) {
        guard let action = connection.machine.identified() else { return }
        connection.groupsTicket = 0
        connection.peer.groups = groups
        let milliseconds =
            isDraining ? settings.configuration.firstRequestMilliseconds : settings.idleMilliseconds
        timers.arm(connection.slot, due: now + milliseconds)
        carryOut(action, on: connection)
    }

    /// Lets the directory know that a connection waits for its user's groups no longer: without this
    /// a service that hangs would be left with a question for each connection that ever came.
    func withdrawQuestion(of connection: Connection) {
        guard let uid = connection.peer.uid else { return }
        settings.configuration.peerGroups?.withdraw(connection.groupsTicket, about: uid)
    }

    /// Answers that there are too many connections, of one user or of all, rather than let the
    /// client wait.
    private func turnAway(_ descriptor: Int32, _ problem: Problem) {
        meters.turnedAway.add()
        let response = problem.response
        meters.countAnswer(response)
        // Input that has arrived is read first: closing over unread bytes would destroy the answer.
        reader.discard(from: descriptor, bytesMax: settings.configuration.headerBytesMax)
        writer.sendOnce(response, to: descriptor)
        shutdown(descriptor, Int32(SHUT_WR))
        close(descriptor)
    }
}

extension Problem {
    /// The bus itself is at a limit; the same request may pass a moment later.
    static func overloaded(_ detail: String) -> Problem {
        Problem(
            503, "LIMIT_BUS", detail: detail + " Try again in a moment.",
            headers: [("Retry-After", "1")], closesConnection: true)
    }

    /// A user is at their own limit.
    static func tooManyConnections(of uid: UInt32?) -> Problem {
        Problem(
            429, "LIMIT_CALLER",
            detail:
                "\(CallerAccount(uid: uid).name) has as many connections as one user may; close "
                + "some, or use one for several requests.",
            headers: [("Retry-After", "1")], closesConnection: true)
    }
}
