internal import HTTPFront
internal import Topics

// The part of a stream between its beginning and its end.
extension StreamingResponse {
    /// Tells the events that are there, as long as the socket takes them.
    func pump(_ news: LogNews? = nil) {
        let loop = loop
        if news == nil { loop.waits.skip(self) } else { loop.waits.reauthorize(self) }
        while let socket, socket.isWritable, !reader.isFetching {
            guard left != 0 else { return end(.finished) }
            guard hasTurn(on: socket) else { return socket.rest() }
            let (limit, inlineLimit) = (limit, inlineLimit)
            let goesOn =
                reader.isCatchingUp || place?.isAlone == true
                ? tell(reader.next(limit, of: news, within: inlineLimit), nil, loop, socket)
                : tell(
                    reader.next(limit, of: news, in: loop.reads, within: inlineLimit), loop,
                    socket)
            guard goesOn else { return }
        }
    }

    /// Whether this turn has room for more. A stream that has yet to tell the events of the past
    /// does not take steps that requests may need.
    func hasTurn(on socket: any StreamSink) -> Bool {
        reader.isLive ? socket.hasTurn : socket.hasTurnForMuch
    }

    /// Tells the result of a look at the log; false if the next look has to wait.
    ///
    /// - Parameter written: The bytes of its events, if they were written beside the loop.
    func tell(
        _ step: LogReader.Step, _ written: MadeAnswer?, _ loop: BusLoop,
        _ socket: any StreamSink
    ) -> Bool {
        switch step {
        case .events(let events, let isCutShort):
            let write =
                written.map { CoalescedRead.Write($0, of: events) }
                ?? made(of: events, loop, socket.framing)
            let lag = reader.hasNews ? loop.bus.lag(of: events[0]) : nil
            return tell(write, of: events.count, isCutShort, lag, loop, socket)
        case .gap(let gap): return tell(gap, socket)
        case .caughtUp: return tellNothing()
        case .older: return fetch()
        }
    }

    /// Tells the result of a look that others share.
    private func tell(
        _ read: CoalescedRead?, _ loop: BusLoop, _ socket: any StreamSink
    ) -> Bool {
        guard let read else { return fetch() }
        switch read.outcome {
        case .events(let events, _, let isCutShort):
            let framing = socket.framing
            let write = read.write(encoding, framing) { made(of: events, loop, framing) }
            let lag = reader.hasNews ? loop.bus.lag(of: events[0]) : nil
            return tell(write, of: events.count, isCutShort, lag, loop, socket)
        case .gap(let gap, _): return tell(gap, socket)
        case .caughtUp: return tellNothing()
        case .older: return fetch()
        }
    }

    private func tell(
        _ write: CoalescedRead.Write, of eventCount: Int, _ isCutShort: Bool, _ lag: Int?,
        _ loop: BusLoop, _ socket: any StreamSink
    ) -> Bool {
        socket.write(write.piece)
        note(write, lag, loop)
        let isWhole = write.count == eventCount
        if !isWhole { reader.rewind(to: write.last) }
        if timer.hasWait {
            timer.restart(heartbeat: heartbeat)
            socket.setDeadline(milliseconds: timer.arm())
        }
        // Events behind a look that found everything wake this stream anew.
        return isCutShort || !isWhole || endsCaughtUp || left == 0
    }

    private func tell(_ gap: Gap, _ socket: any StreamSink) -> Bool {
        loop.meters.gaps.add()
        var output = StreamOutput(socket.framing)
        output.add { say(gap, to: &$0) }
        socket.write(output.piece)
        if isStrict { stop(.finished) }
        return !isStrict
    }

    /// Writes a gap, with the cursor if nothing has told that yet.
    func say(_ gap: Gap, to text: inout [UInt8]) {
        if owesCursor { writing.firstGap(gap, to: &text) } else { writing.gap(gap, to: &text) }
        owesCursor = false
    }

    private func tellNothing() -> Bool {
        if endsCaughtUp { end(.finished) }
        return false
    }

    /// Has the next events read and written beside the loop.
    func fetch() -> Bool {
        guard let framing = socket?.framing else { return false }
        let encoding = encoding
        reader.fetch(limit, of: Limits.pollPayloadBytesMax, for: self, by: loop.beside) { read in
            let events = read.events
            guard events.wireBytes > Limits.toldAtOnceBytesMax else { return nil }
            var output = StreamOutput(framing)
            let count = output.add(events, as: encoding)
            return (output.bytes, count)
        }
        return false
    }

    /// Tells the first events behind a head, which were written beside the loop.
    func tell(_ made: MadeAnswer, of events: [Event], _ socket: any StreamSink) {
        // If not, it is asked for again, once the socket takes it.
        guard socket.isWritable else { return reader.rewind(to: events[0].id.predecessor) }
        let write = CoalescedRead.Write(made, of: events)
        socket.write(write.piece)
        note(write, reader.hasNews ? loop.bus.lag(of: events[0]) : nil, loop)
        if write.count < events.count { reader.rewind(to: write.last) }
    }

    /// As many of these events as make one write; the others are read again.
    private func made(
        of events: [Event], _ loop: BusLoop, _ framing: StreamFraming
    ) -> CoalescedRead.Write {
        if events.count == 1, !isOnlyReader(loop) {
            let piece = encoded(events[0], loop).piece(isFramed: framing != .none)
            return CoalescedRead.Write(piece: piece, count: 1, last: events[0].id)
        }
        var output = StreamOutput(framing)
        let count = add(events, to: &output, loop)
        return CoalescedRead.Write(piece: output.piece, count: count, last: events[count - 1].id)
    }

    /// Tells the first events behind a head, as many as make one write; the others are read again.
    func tellFirst(_ events: [Event], in output: inout StreamOutput) {
        let count = add(events, to: &output, loop)
        let last = events[count - 1].id
        let lag = reader.hasNews ? loop.bus.lag(of: events[0]) : nil
        note(CoalescedRead.Write(piece: .empty, count: count, last: last), lag, loop)
        if count < events.count { reader.rewind(to: last) }
    }

    /// Adds as many of these events as make one write, and returns their number.
    private func add(
        _ events: [Event], to output: inout StreamOutput, _ loop: BusLoop
    ) -> Int {
        let before = output.count
        let isAlone = isOnlyReader(loop)
        defer {
            let bytes = output.count - before
            let told = isAlone ? bytes / Limits.toldAloneBytesPerStep : 0
            loop.budget.add(bytes / Limits.encodedBytesPerStep + told, to: .writes)
        }
        guard !isAlone else { return output.add(events, as: encoding) }
        var count = 0
        while count < events.count, output.count < Limits.streamWriteBytes {
            output.add(encoded(events[count], loop))
            count += 1
        }
        return count
    }

    /// Whether these events are probably encoded for this reader alone: no other reader is told the
    /// next events, or these are of the past.
    private func isOnlyReader(_ loop: BusLoop) -> Bool {
        !reader.isLive || loop.reads.isForOne
    }

    private func note(_ write: CoalescedRead.Write, _ lag: Int?, _ loop: BusLoop) {
        loop.meters.countDelivery(of: write.count, in: form, lag: lag)
        if eventsSayCursor { told = write.last }
        owesCursor = false
        if let left { self.left = left - write.count }
    }

    private func encoded(_ event: Event, _ loop: BusLoop) -> EncodedEvent {
        loop.encodings.encoded(event, as: encoding, isNews: reader.isLive)
    }

    /// Adds the cursor if it has moved without an event.
    func addCursor(to output: inout StreamOutput) {
        guard reader.cursor != told else { return }
        told = reader.cursor
        output.add { writing.cursor(told, to: &$0) }
    }

    /// A sign of life, or the cursor instead if it has moved without an event.
    func beat() {
        guard let socket else { return }
        var output = StreamOutput(socket.framing)
        addCursor(to: &output)
        if output.isEmpty { output.add { writing.heartbeat(to: &$0) } }
        if !output.isEmpty { socket.write(output.piece) }
        socket.beat()
    }
}
