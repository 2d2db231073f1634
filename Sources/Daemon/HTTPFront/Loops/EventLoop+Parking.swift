internal import CLinux
internal import Glibc
internal import Telemetry

// Sockets whose request waits outside the parser.
extension EventLoop {
    /// Takes the socket of a request that is being handled out of the parser, unless it left that
    /// with an earlier request; false when the request must be answered at once. Its owner is the
    /// caller's to set.
    func detach(_ connection: Connection, isStream: Bool) -> Bool {
        guard !isDraining else { return false }
        if connection.parser != nil, !leaveParser(connection, isStream: isStream) { return false }
        connection.machine.park()
        meters.parked.add(1)
        connection.ownerDue = .max
        connection.recheckDue = .max
        connection.recheckPause = 0
        connection.stallDue = .max
        connection.inputDue = .max
        connection.isWatchedForRoom = false
        connection.isResting = false
        return true
    }

    /// Takes a socket out of the parser, unless a request behind its own would be lost with that.
    private func leaveParser(_ connection: Connection, isStream: Bool) -> Bool {
        var mustClose = false
        switch pipelined(behind: connection) {
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

    /// Sets when the owner of a parked socket hears `timedOut`.
    func setDeadline(of connection: Connection, milliseconds: Int?) {
        guard connection.machine.isDetached else { return }
        // Counted from the clock, not the turn's beginning, which may be long ago.
        connection.ownerDue =
            milliseconds.map { MonotonicClock.milliseconds() + UInt64(max(0, $0)) } ?? .max
        armDetached(connection)
    }

    /// Answers a parked request.
    func finish(_ connection: Connection, _ response: Response, for context: ResponseContext) {
        precondition(
            !connection.machine.isStreaming, "a stream that has begun is ended by endStream")
        guard unpark(connection) else { return }
        write(response, for: context, to: connection)
    }

    /// Closes a detached socket without an answer.
    func abandon(_ connection: Connection) {
        guard unpark(connection) else { return }
        closeConnection(connection)
    }

    /// Closes a detached socket in the middle of what an owner does, and leaves it for later to
    /// tell its own: an owner is not called from inside its own calls, nor another's.
    func lose(_ connection: Connection) {
        let owner = connection.owner
        guard unpark(connection) else { return }
        closeConnection(connection)
        connection.owner = owner
        lost.append(connection)
    }

    /// Tells the owners of lost sockets, unless they have let go of them meanwhile.
    func tellLost() {
        while !lost.isEmpty {
            let batch = lost
            lost.removeAll(keepingCapacity: true)
            for connection in batch {
                let owner = connection.owner
                connection.owner = nil
                owner?.closed()
            }
        }
    }

    func detachedDeadlinePassed(_ connection: Connection) {
        if now >= connection.recheckDue { examinePeer(of: connection) }
        if now >= connection.stallDue { tellStalled(connection) }
        if now >= connection.inputDue { connection.owner?.inputIsLate() }
        if connection.machine.isDetached, now >= connection.ownerDue {
            connection.ownerDue = .max
            connection.owner?.timedOut()
        }
        if connection.machine.isDetached { armDetached(connection) }
    }

    /// The peer sends no more: asks whether anybody still reads.
    func examinePeer(of connection: Connection) {
        switch PeerLiveness(of: connection.descriptor, table: socketTable) {
        case .gone:
            carryOut(.lose, on: connection)
        case .halfClosed:
            // Nobody tells when a half-closed peer leaves. Most that leave do so soon.
            connection.recheckPause = min(
                max(
                    2 * connection.recheckPause, HTTPFrontLimits.halfClosedFirstRecheckMilliseconds),
                settings.halfClosedRecheckMilliseconds)
            connection.recheckDue = now + connection.recheckPause
            armDetached(connection)
        case .unknown:
            connection.recheckDue = .max
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
        let due = min(
            connection.ownerDue, connection.recheckDue, connection.stallDue, connection.inputDue)
        if due == .max {
            timers.cancel(connection.slot)
        } else {
            timers.arm(connection.slot, due: due)
        }
    }

    /// Bytes that the parser has read behind the requests it gave us, nil when nobody can tell.
    func pipelined(behind connection: Connection) -> UInt64? {
        guard connection.isTakenKnown else { return nil }
        let read: UInt64
        switch connection.peer.transport {
        case .tcp:
            guard let bytes = TCPReceipt.bytesTaken(from: connection.descriptor) else { return nil }
            read = bytes
        case .unix:
            let bytes = clinux_counted_reads(connection.descriptor)
            guard bytes >= 0 else { return nil }
            read = UInt64(bytes)
            if read == connection.taken, clinux_count_reads(connection.descriptor) == 0 {
                // Counts from here again, long before the kernel's counter runs out.
                connection.taken = 0
                return 0
            }
        }
        return read >= connection.taken ? read - connection.taken : nil
    }
}
