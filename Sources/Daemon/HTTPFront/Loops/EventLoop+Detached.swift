internal import Telemetry

// Sockets that have an owner, whose requests wait or are answered by streams.
extension EventLoop {
    /// Takes the socket of a request that is being handled out of the parser, unless it left that
    /// with an earlier request; false when the request must be answered at once. Its owner is the
    /// caller's to set.
    func detach(_ connection: Connection, isStream: Bool) -> Bool {
        guard !isDraining else { return false }
        if connection.parser != nil, !leaveParser(connection, isStream: isStream) { return false }
        connection.machine.park()
        meters.parked.add(1)
        connection.deadlines = DetachedDeadlines()
        connection.isWatchedForRoom = false
        connection.isResting = false
        return true
    }

    /// Takes a socket out of the parser, unless a request behind its own would be lost with that.
    private func leaveParser(_ connection: Connection, isStream: Bool) -> Bool {
        var mustClose = false
        switch connection.pipelinedBytes() {
        case .some(0): break
        case .some(let bytes) where bytes >= HTTPFrontLimits.requestBytesMin && !isStream:
            return false
        // Too few for a request: stray line ends behind an earlier one, or the beginning of the
        // next. Or it is not known. Or a stream will outlast it. What the parser holds is given
        // up, and the answer says so.
        case .some, .none: mustClose = true
        }
        guard leaveParser(connection) else { return false }
        connection.machine.closeBehindAnswer(mustClose)
        return true
    }

    /// Sets when the owner of a parked socket hears `timedOut`: not before so much time has passed.
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
        ifLost: (() -> Void)? = nil
    ) {
        precondition(
            !connection.machine.isStreaming, "a stream that has begun is ended by endStream")
        guard unpark(connection) else {
            ifLost?()
            return
        }
        connection.ifLost = ifLost
        write(response, for: context, to: connection)
    }

    /// Closes a detached socket in the middle of what an owner does, and leaves it for later to
    /// tell its own: an owner is not called from inside its own calls, nor another's.
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

    /// The peer of a stream has not read for long.
    private func tellStalled(_ connection: Connection) {
        guard let owner = connection.owner else { return }
        connection.deadlines.stall = now + settings.sendProgressMilliseconds
        meters.timeouts.add()
        owner.stalled()
    }

    /// The peer sends no more: asks whether anybody still reads.
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

    /// Takes a detached socket from its owner, who hears nothing of it any more; false when it is
    /// none, or was lost before.
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
