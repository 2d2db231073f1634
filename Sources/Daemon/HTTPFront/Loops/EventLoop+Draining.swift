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
        for connection in connections.all {
            let due = connection.progressedAt + settings.firstRequestMilliseconds
            let action = connection.machine.drainBegan(
                hasRequest: connection.request != nil, hasTime: due > now
            ) { hasUnread(connection) }
            carryOut(action, on: connection)
        }
    }

    /// Closes whatever is left, without answers.
    func endDrain() {
        drainDue = nil
        for connection in connections.all {
            let awaitsAnswer = connection.request?.isPending == true
            carryOut(connection.machine.drainEnded(awaitsAnswer: awaitsAnswer), on: connection)
        }
        // One turn resumes what was suspended, the next ends it: nothing may be suspended when the
        // parser stops, and what it cannot end by itself it closes then.
        for _ in 0..<HTTPFrontLimits.parserTurnsAtEnd where parser.connectionCount > 0 {
            parser.run()
        }
        parser.stop()
    }
}
