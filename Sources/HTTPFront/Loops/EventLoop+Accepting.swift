internal import CLinux
internal import Glibc

extension EventLoop {
    /// Begins to accept, or goes on after a pause.
    func resumeAccepting() {
        acceptResumesAt = nil
        var interest: Poller.Interest = [.readable]
        // One new connection wakes one loop, not all of them.
        if settings.sharesListeners { interest.insert(.exclusive) }
        for (index, listener) in listeners.enumerated() {
            if !poller.add(
                listener.descriptor, interest, token: Token.firstListener + UInt64(index))
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
            "loop \(index) pauses accepting: \(String(cString: strerror(code))); raise the limit "
                + "on open files, or lower the maximum of connections")
    }

    private func welcome(_ descriptor: Int32) {
        guard let peer = identity.peer(of: descriptor) else {
            close(descriptor)
            return
        }
        guard settings.openConnections.add(1) <= settings.connectionsMax else {
            settings.openConnections.add(-1)
            turnAway(descriptor)
            return
        }
        if peer.transport == .unix {
            var bytes = Int32(clamping: settings.socketSendBufferBytes)
            setsockopt(
                descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        }
        let connection = connections.insert(descriptor: descriptor, peer: peer)
        if peer.transport == .unix {
            connection.isTakenKnown = clinux_count_reads(descriptor) == 0
        }
        meters.accepted.add()
        meters.connections.add(1)
        guard poller.add(descriptor, [.readable, .readClosed, .edge], token: connection.token)
        else {
            closeConnection(connection)
            return
        }
        timers.arm(connection.slot, due: now + settings.idleMilliseconds)
    }

    /// Too many connections: says so, as far as one `send` goes, rather than let the client wait.
    private func turnAway(_ descriptor: Int32) {
        meters.turnedAway.add()
        var head: [UInt8] = []
        let response = Problem.overloaded("Too many connections are open.").response
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
}
