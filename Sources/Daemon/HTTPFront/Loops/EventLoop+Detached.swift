internal import Telemetry

// Sockets that have an owner, whose requests wait or are answered by streams.
extension EventLoop: SocketLoop {
    /// Makes the request that is being handled wait for an owner of its socket, which the caller
    /// sets. False if it must be answered at once: the server drains, or another request is behind
    /// one that only waits.
    func detach(_ connection: Connection, isStream: Bool) -> Bool {
        guard !isDraining, isStream || !hasPipelined(connection) else { return false }
        connection.machine.park()
        if connection.machine.isReadClosed {
            // The end was reported before the request waited: now it is reported again.
            poller.change(
                connection.descriptor, [.readable, .readClosed, .edge], token: connection.token)
        }
        meters.parked.add(1)
        connection.deadlines = DetachedDeadlines()
        connection.isWatchedForRoom = false
        connection.isResting = false
        return true
    }

    /// Whether a request was sent behind the one that is being handled. Too few bytes for one are stray
    /// line ends, or the beginning of the next.
    func hasPipelined(_ connection: Connection) -> Bool {
        connection.machine.hasInput
            && connection.unreadBytes >= HTTPFrontLimits.requestBytesMin
    }

    /// Sets the time at which the owner of a parked socket hears `timedOut`: not before
    /// `milliseconds` have passed, nil for never.
    func setDeadline(of connection: Connection, milliseconds: Int?) {
        // Counted from the clock, not the turn's beginning, which may be long ago, and from the end
        // of its millisecond.
        connection.deadlines.owner =
            milliseconds.map { MonotonicClock.milliseconds() + 1 + UInt64(max(0, $0)) } ?? .max
        armDetached(connection)
    }

    /// Answers a parked request.
    func finish(
        _ connection: Connection, _ response: Response, for context: ResponseContext,
        ifLost: (() -> Void)?
    ) {
        precondition(
            !connection.machine.isStreaming, "a stream that has begun is ended by endStream")
        guard unpark(connection) else {
            ifLost?()
            return
        }
        connection.ifLost = ifLost
        writer.write(response, for: context, to: connection)
    }

    func beginStream(
        _ connection: Connection, _ response: Response, first: ResponseBody,
        for context: ResponseContext, framing: BodyFraming
    ) {
        writer.beginStream(connection, response, first: first, for: context, framing: framing)
    }

    func writeStream(_ connection: Connection, _ piece: ResponseBody) -> Bool {
        writer.writeStream(connection, piece)
    }

    func push(_ piece: ResponseBody, to connection: Connection) {
        writer.push(head: [], piece, to: connection)
    }

    func endStream(_ connection: Connection, with end: [UInt8], closes: Bool) {
        writer.endStream(connection, with: end, closes: closes)
    }

    func rest(_ connection: Connection) { writer.rest(connection) }

    func readLater(_ socket: WebSocket) { deferred.reading.append(socket) }

    func abandon(_ connection: Connection) {
        if unpark(connection) { closeConnection(connection) }
    }

    /// Closes a detached socket in the middle of an owner's call. The owner of this socket is told
    /// later, since an owner is not called from inside its own calls, nor another's.
    func lose(_ connection: Connection) {
        let owner = connection.owner
        guard unpark(connection) else { return }
        closeConnection(connection)
        connection.owner = owner
        deferred.lost.append(connection)
    }

    /// Tells the owners of lost sockets, unless they have let go of them meanwhile.
    func tellLost() {
        while !deferred.lost.isEmpty {
            deferred.lost.run { connection in
                let owner = connection.owner
                connection.owner = nil
                owner?.closed()
            }
        }
    }

    /// Lets the owner know which of a detached socket's deadlines have passed.
    func tellDeadlines(of connection: Connection) {
        if now >= connection.deadlines.recheck { examinePeer(of: connection) }
        if now >= connection.deadlines.stall { tellStalled(connection) }
        if now >= connection.deadlines.input { connection.owner?.inputIsLate() }
        if connection.machine.isDetached, now >= connection.deadlines.owner {
            connection.deadlines.owner = .max
            connection.owner?.timedOut()
        }
        armDetached(connection)
    }

    /// Tells the owner of a stream that its peer has not read for long.
    private func tellStalled(_ connection: Connection) {
        guard let owner = connection.owner else { return }
        connection.deadlines.stall = now + settings.sendProgressMilliseconds
        meters.timeouts.add()
        owner.stalled()
    }

    /// Asks whether a peer that sends no more still reads.
    func examinePeer(of connection: Connection) {
        switch identity.liveness(of: connection.descriptor) {
        case .gone:
            carryOut(.lose, on: connection)
        case .halfClosed:
            connection.deadlines.recheckLater(
                now, pauseMax: settings.halfClosedRecheckMilliseconds)
            armDetached(connection)
        case .unknown:
            connection.deadlines.endRechecks()
            connection.owner?.peerUncertain()
        }
    }

    /// Takes a detached socket from its owner, which hears nothing of it any more. False if it is
    /// not detached, or was lost before.
    func unpark(_ connection: Connection) -> Bool {
        connection.owner = nil
        guard connection.machine.unpark() else { return false }
        meters.parked.add(-1)
        return true
    }

    /// Sets the wheel to the first of a detached socket's deadlines.
    func armDetached(_ connection: Connection) {
        guard connection.machine.isDetached else { return }
        let due = connection.deadlines.first
        if due == .max {
            timers.cancel(connection.slot)
        } else {
            timers.arm(connection.slot, due: due)
        }
    }
}
