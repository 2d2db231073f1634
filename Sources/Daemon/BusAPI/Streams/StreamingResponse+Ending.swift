internal import HTTPFront
internal import Topics

// The ends of a stream, and the last bytes that it sends.
extension StreamingResponse {
    /// Ends the stream, unless it began behind the place of the removal in the order. Events that
    /// were not told by then are a gap.
    func topicRemoved(at place: EventID) {
        guard reader.beganAt < place, let socket, farewell == nil else { return }
        if let opening {
            leave()
            return socket.finish(opening.deleted(at: place))
        }
        farewell = StreamOutput(socket.framing)
        // Events that are still being read are no longer there to be told.
        reader.cancel()
        sayFarewell()
    }

    func drain() {
        if opening == nil {
            end(.draining)
        } else {
            refuse(Refusal(.draining, "The bus is shutting down."))
        }
    }

    func deny(_ refusal: Refusal) {
        if opening == nil { end(.forbidden) } else { refuse(refusal) }
    }

    func peerUncertain() {
        guard opening != nil else { return end(.uncertain) }
        refuse(
            Refusal(
                .limitBus, "The store has not answered yet, and nobody may be left to read it."))
    }

    func stalled() { stop(.stalled) }

    func closed() { leave() }

    /// Ends the stream where it is. A client that comes back goes on from the last cursor.
    func end(_ reason: StreamEnd) {
        loop.waits.skip(self)
        guard let socket else { return }
        if isCaughtUp, farewell == nil {
            var output = StreamOutput(socket.framing)
            addCursor(to: &output)
            if !output.isEmpty { socket.write(output.piece) }
        }
        stop(reason)
    }

    /// Ends the stream behind the bytes that were written.
    func stop(_ reason: StreamEnd) {
        let socket = self.socket
        leave()
        socket?.end(reason)
    }

    /// Tells the events lost with the topic as a gap, and the cursor to go on from, as soon as the
    /// socket takes it.
    func sayFarewell() {
        guard let socket, var output = farewell else { return }
        if output.isEmpty {
            lookBack(&output)
            farewell = output
        }
        guard socket.isWritable else { return }
        if !output.isEmpty { socket.write(output.piece) }
        stop(.deleted)
    }

    /// Refuses a stream whose beginning was not read in time: others hold the room for it, or the
    /// store does not answer.
    func refuseLate() {
        refuse(
            Refusal(
                .limitBus,
                "What the stream begins with was not read in time, because others are answered; "
                    + "try again in a moment."))
    }

    func refuse(_ refusal: Refusal) {
        let socket = self.socket
        leave()
        socket?.finish(
            writing is ServerSentEventsForm
                ? refusal.eventStream(retryingIn: loop.service.retryMilliseconds)
                : refusal.response)
    }

    func leave() {
        guard socket != nil else { return }
        socket = nil
        loop.waits.unsubscribe(self)
    }

    /// Writes the last facts about a topic that is gone: the gap with the events that the reader
    /// missed, and the cursor before the topic's next life.
    private func lookBack(_ output: inout StreamOutput) {
        let limit = ReadLimit(events: 1, bytes: .max)
        var step = reader.next(limit, within: .all)
        while case .gap(let gap) = step {
            loop.meters.gaps.add()
            output.add { say(gap, to: &$0) }
            step = reader.next(limit, within: .all)
        }
        if case .events(let events, _) = step { reader.rewind(to: events[0].id.predecessor) }
        addCursor(to: &output)
    }
}
