internal import CLinux
internal import Glibc

// Sockets whose request waits outside the parser.
extension EventLoop {
    /// Takes the socket of a request that is being handled out of the parser; nil when the request
    /// must be answered at once.
    func detach(
        _ connection: Connection, _ request: ActiveRequest, owner: any DetachedSocketOwner
    ) -> DetachedSocket? {
        guard !isDraining else { return nil }
        var mustClose = false
        switch pipelined(behind: connection) {
        case .some(0): break
        case .some(let bytes) where bytes >= HTTPFrontLimits.requestBytesMin: return nil
        // Too few for a request: stray line ends behind an earlier one, or the beginning of the
        // next. Or it is not known. What the parser holds is given up, and the answer says so.
        case .some, .none: mustClose = true
        }
        let context = request.context
        guard leaveParser(connection) else { return nil }
        connection.mustClose = mustClose
        connection.phase = .parked
        meters.parked.add(1)
        let socket = DetachedSocket(loop: self, connection: connection, context: context)
        connection.owner = owner
        connection.socket = socket
        connection.ownerDue = .max
        connection.recheckDue = .max
        connection.recheckPause = 0
        connection.hasInput = false
        connection.isReadClosed = false
        return socket
    }

    /// Sets when the owner of a parked socket hears `timedOut`.
    func setDeadline(of connection: Connection, milliseconds: Int?) {
        guard connection.phase == .parked else { return }
        // Counted from the clock, not the turn's beginning, which may be long ago.
        connection.ownerDue =
            milliseconds.map { MonotonicClock.milliseconds() + UInt64(max(0, $0)) } ?? .max
        armParked(connection)
    }

    /// Answers a parked request.
    func finish(_ connection: Connection, _ response: Response, for context: ResponseContext) {
        guard unpark(connection) else { return }
        write(response, for: context, to: connection)
    }

    /// Closes a parked socket without an answer.
    func abandon(_ connection: Connection) {
        guard unpark(connection) else { return }
        closeConnection(connection)
    }

    /// Closes a parked socket and tells its owner.
    func closeParked(_ connection: Connection) {
        let (owner, socket) = (connection.owner, connection.socket)
        guard unpark(connection) else { return }
        closeConnection(connection)
        if let owner, let socket { owner.closed(socket) }
    }

    func parkedHappened(_ event: Poller.Event, _ connection: Connection) {
        if event.isReadable { connection.hasInput = true }
        if event.isHungUp {
            meters.gone.add()
            closeParked(connection)
        } else if event.isReadClosed {
            judgePeer(of: connection)
        }
    }

    func parkedDeadlinePassed(_ connection: Connection) {
        if now >= connection.recheckDue { judgePeer(of: connection) }
        if connection.phase == .parked, now >= connection.ownerDue {
            connection.ownerDue = .max
            if let owner = connection.owner, let socket = connection.socket {
                owner.timedOut(socket)
            }
        }
        if connection.phase == .parked { armParked(connection) }
    }

    /// The peer sends no more: asks whether anybody still reads.
    private func judgePeer(of connection: Connection) {
        switch PeerLiveness(of: connection.descriptor, table: socketTable) {
        case .gone:
            meters.gone.add()
            closeParked(connection)
        case .halfClosed:
            // Nobody tells when a half-closed peer leaves. Most that leave do so soon.
            connection.recheckPause = min(
                max(
                    2 * connection.recheckPause, HTTPFrontLimits.halfClosedFirstRecheckMilliseconds),
                settings.halfClosedRecheckMilliseconds)
            connection.recheckDue = now + connection.recheckPause
            armParked(connection)
        case .unknown:
            connection.recheckDue = .max
            if let owner = connection.owner, let socket = connection.socket {
                owner.peerUncertain(socket)
            }
        }
    }

    private func unpark(_ connection: Connection) -> Bool {
        guard connection.phase == .parked else { return false }
        connection.owner = nil
        connection.socket = nil
        connection.phase = .waiting
        meters.parked.add(-1)
        return true
    }

    private func armParked(_ connection: Connection) {
        let due = min(connection.ownerDue, connection.recheckDue)
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
