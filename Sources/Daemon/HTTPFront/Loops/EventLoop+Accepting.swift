internal import Glibc

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

    /// Learns the groups of a user whom the kernel names by uid alone; nothing is read meanwhile.
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

    /// Too many connections, of one user or of all: says so rather than let the client wait.
    private func turnAway(_ descriptor: Int32, _ problem: Problem) {
        meters.turnedAway.add()
        let response = problem.response
        meters.countAnswer(response)
        // What has arrived is read first: closing over unread bytes would destroy the answer.
        reader.discard(from: descriptor, bytesMax: settings.configuration.headerBytesMax)
        sendOnce(response, to: descriptor)
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
