// The end of a loop: whatever is open is answered, then closed.
extension EventLoop {
    /// Whether nothing is left to serve.
    var isOver: Bool { isDraining && connections.count == 0 }

    /// Begins to drain: accepts no more, lets the handler answer what waits, closes what is idle.
    /// Who has only just connected has a moment left for a first request: a new connection is
    /// answered, by this daemon or, while it is not accepted, by the next.
    /// Whatever is left at `due` is closed as it is.
    func beginDrain(until due: UInt64) {
        drainDue = due
        guard !isDraining else { return }
        isDraining = true
        stopAccepting()
        handler.drain()
        // Who is answered and not yet told is not idle.
        sendAnswers()
        for connection in connections.all where connection.phase == .lingering {
            timers.arm(connection.slot, due: now + Self.lingerMilliseconds)
        }
        for connection in connections.all where isIdle(connection) {
            // A request that is on its way in is served, or refused by the handler.
            if TCPReceipt.bytesUnread(in: connection.descriptor) ?? 0 > 0 { continue }
            guard connection.phase == .waiting else {
                cutOff(connection)
                continue
            }
            let due = connection.progressedAt + settings.firstRequestMilliseconds
            if connection.isNew, due > now {
                timers.arm(connection.slot, due: due)
            } else {
                closeConnection(connection)
            }
        }
    }

    /// Closes whatever is left, without answers.
    func endDrain() {
        drainDue = nil
        for connection in connections.all {
            switch connection.phase {
            case .parked, .streaming: closeDetached(connection)
            case .waiting, .pending, .sending, .lingering: closeConnection(connection)
            case .closed: break
            case .parsing:
                if let request = connection.request, request.isPending {
                    abandonPending(connection, request)
                } else {
                    cutOff(connection)
                }
            }
        }
        // One turn resumes what was suspended, the next ends it: nothing may be suspended when the
        // parser stops, and what it cannot end by itself it closes then.
        for _ in 0..<HTTPFrontLimits.parserTurnsAtEnd where parser.connectionCount > 0 {
            parser.run()
        }
        parser.stop()
    }

    private func isIdle(_ connection: Connection) -> Bool {
        switch connection.phase {
        case .waiting: !connection.hasInput
        case .parsing: connection.request == nil && !connection.isFirstInParser
        case .pending, .parked, .streaming, .sending, .lingering, .closed: false
        }
    }
}
