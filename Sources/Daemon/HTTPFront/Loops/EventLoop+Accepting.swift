internal import CLinux
internal import Glibc
internal import Protection

extension EventLoop {
    /// Begins to accept, or goes on after a pause.
    func resumeAccepting() {
        acceptResumesAt = nil
        var interest: Poller.Interest = [.readable]
        // One new connection wakes one loop, not all of them.
        if settings.sharesListeners { interest.insert(.exclusive) }
        for (index, listener) in listeners.enumerated() {
            if !poller.add(
                listener.descriptor, interest, token: PollToken.firstListener + UInt64(index))
            {
                log.error("loop \(index) cannot watch \(listener.address)")
            }
        }
    }

    /// Accepts what waits at a listener, up to a number that leaves room for other work and loops.
    func accept(from index: Int) {
        guard index < listeners.count, acceptResumesAt == nil else { return }
        let listener = listeners[index].descriptor
        for _ in 0..<HTTPFrontLimits.acceptsPerTurnMax {
            let descriptor = clinux_accept(listener)
            if descriptor >= 0 {
                welcome(descriptor)
                continue
            }
            switch -descriptor {
            case ECONNABORTED, EINTR, EPROTO, EPERM: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return pauseAccepting(code: -descriptor)
            default: return
            }
        }
    }

    /// Forgets the listeners; those that were opened here close with their last loop.
    func stopAccepting() {
        if acceptResumesAt == nil {
            for listener in listeners { poller.remove(listener.descriptor) }
        }
        acceptResumesAt = nil
        listeners = []
    }

    /// Without a free descriptor every `accept` fails at once and the listener stays readable: the
    /// loop would spin. Clients wait in the backlog meanwhile.
    private func pauseAccepting(code: Int32) {
        for listener in listeners { poller.remove(listener.descriptor) }
        acceptResumesAt = now + HTTPFrontLimits.acceptPauseMilliseconds
        meters.acceptPauses.add()
        guard now >= nextPauseWarningAt else { return }
        nextPauseWarningAt = now + HTTPFrontLimits.acceptWarningMilliseconds
        log.warning(
            "loop \(index) pauses accepting: \(Errno(code)); raise the limit "
                + "on open files, or lower the maximum of connections")
    }

    private func welcome(_ descriptor: Int32) {
        guard let peer = identity.peer(of: descriptor) else {
            close(descriptor)
            return
        }
        guard settings.openConnections.add(1) <= settings.connectionsMax else {
            settings.openConnections.add(-1)
            return turnAway(descriptor, Problem.overloaded("Too many connections are open."))
        }
        let account = settings.accounts.enter(
            peer.uid, connectionsMax: settings.connectionsPerUIDMax)
        guard let account else {
            settings.openConnections.add(-1)
            return turnAway(descriptor, Problem.tooManyConnections(of: peer.uid))
        }
        if peer.transport == .unix {
            var bytes = Int32(clamping: settings.socketSendBufferBytes)
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

    /// Learns the groups of a user whom the kernel names by uid alone; nothing is read meanwhile.
    private func identify(_ connection: Connection) {
        guard let uid = connection.peer.uid, connection.peer.groups == nil,
            let directory = settings.peerGroups
        else { return }
        let token = connection.token
        let handle = LoopHandle(index: index, mailbox: mailbox)
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
            timers.arm(connection.slot, due: now + settings.peerGroupsMilliseconds)
        }
    }

    /// Goes on with a connection whose user's groups are known now, or will not be.
    func identified(_ connection: Connection, _ groups: [UInt32]?) {
        guard let action = connection.machine.identified() else { return }
        connection.groupsTicket = 0
        connection.peer.groups = groups
        let milliseconds =
            isDraining ? settings.firstRequestMilliseconds : settings.idleMilliseconds
        timers.arm(connection.slot, due: now + milliseconds)
        carryOut(action, on: connection)
    }

    /// Lets the directory know that a connection waits for its user's groups no longer: without this
    /// a service that hangs would be left with a question for each connection that ever came.
    func withdrawQuestion(of connection: Connection) {
        guard let uid = connection.peer.uid else { return }
        settings.peerGroups?.withdraw(connection.groupsTicket, about: uid)
    }

    /// Too many connections, of one user or of all: says so, as far as one `send` goes, rather than
    /// let the client wait.
    private func turnAway(_ descriptor: Int32, _ problem: Problem) {
        meters.turnedAway.add()
        var head: [UInt8] = []
        let response = problem.response
        meters.countAnswer(response)
        encoder.encode(response, for: ResponseContext(keepsAlive: false), into: &head)
        // What has arrived is read first: closing over unread bytes would destroy the answer.
        LingeringReader.discard(from: descriptor, bytesMax: settings.headerBytesMax)
        _ = SocketWriter.send(head: head, body: .empty, from: 0, to: descriptor)
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
