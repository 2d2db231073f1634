// Calls of the loop to a WebSocket.
extension WebSocket {
    /// Reads and delivers input, as much as a turn has room for. Called when bytes, or the end of
    /// the stream, can be read.
    func inputCame() {
        // It had its share of this turn, and waits for that of the next.
        guard !isQueued else { return }
        guard loop.budget.isLeft(for: .messages) else { return readSoon() }
        defer { watchMessage() }
        var share = Share()
        while isReading, isLeft(of: share) {
            if held.count > 0 {
                deliverHeld(&share)
                continue
            }
            guard let bytes = loop.reader.read(from: connection.descriptor) else {
                return loop.carryOut(.lose, on: connection)
            }
            guard !bytes.isEmpty else { return }
            connection.trace?.record.bytesIn += bytes.count
            isPinged = false
            share.bytes -= bytes.count
            loop.budget.begin(.messages, bytes.count / HTTPFrontLimits.bodyBytesPerStep)
            // The kernel gives all bytes that it has, and the poller tells of later ones. But of an
            // end that it told of already, only another reading tells.
            let isAll = loop.reader.hasRoom(beside: bytes.count) && !connection.machine.isReadClosed
            var input = WebSocketInput(bytes)
            deliver(&input, &share)
            hold(input)
            if isAll, held.count == 0 { return }
        }
        if isReading { readSoon() }
    }

    /// The turn for reading on has come.
    func readingIsDue() {
        isQueued = false
        inputCame()
    }

    /// Asks the loop for a turn for reading.
    func readSoon() {
        guard !isQueued else { return }
        isQueued = true
        loop.readLater(self)
    }

    /// The pending bytes are out, or the socket's next turn has come.
    func roomCame() {
        sendControl()
        if isWritable { owner?.writable(self) }
    }

    /// Sends control frames, if nothing is pending that they would cut in two.
    func sendControl() {
        guard connection.machine.isStreaming, connection.tail == nil else { return }
        let frames = control.frames
        guard !frames.isEmpty else { return }
        control = PendingControl()
        loop.push(.bytes(frames), to: connection)
    }

    /// A message has not come to its end in time.
    func messageIsLate() {
        loop.meters.timeouts.add()
        refuse(.tryLater, "A message did not arrive in time.")
    }

    func progressStalled() {
        if state == .open { owner?.stalled(self) }
    }

    func deadlinePassed() {
        switch state {
        case .opening, .open: owner?.timedOut(self)
        case .closing: loop.carryOut(.close, on: connection)
        case .closed: break
        }
    }

    func connectionClosed() {
        guard state != .closed else { return }
        state = .closed
        held.clear()
        machine.release()
        tellClosed()
    }

    private var isReading: Bool {
        state != .closed && !isPaused && connection.machine.isStreaming
    }

    private func isLeft(of share: Share) -> Bool {
        share.isLeft && loop.budget.isLeft(for: .messages)
    }

    private func deliverHeld(_ share: inout Share) {
        let bytes = held.bytes
        // Held for the machine alone, which unmasks it where it lies.
        var input = WebSocketInput(UnsafeMutableRawBufferPointer(mutating: bytes))
        deliver(&input, &share)
        hold(input)
    }

    private func deliver(_ input: inout WebSocketInput, _ share: inout Share) {
        while isReading, isLeft(of: share), let event = machine.next(&input) {
            share.events -= 1
            loop.budget.begin(.messages, HTTPFrontLimits.requestSteps)
            take(event)
            machine.release()
        }
    }

    /// Keeps the input that was not delivered, in place of the input kept before.
    private func hold(_ input: WebSocketInput) {
        var rest = BodyBuffer(memory: loop.memory)
        if state != .closed, !input.isEmpty {
            guard rest.hasRoom(for: input.bytes.count) else {
                held.clear()
                return refuse(.tryLater, "Messages fill their share of memory.")
            }
            rest.append(UnsafeRawBufferPointer(input.bytes), bytesMax: input.bytes.count)
        }
        swap(&held, &rest)
    }

    private func take(_ event: WebSocketMachine.FrameEvent) {
        switch (event, state) {
        case (.text(let bytes), .open):
            connection.deadlines.input = .max
            owner?.received(.text(bytes), on: self)
        case (.binary(let bytes), .open):
            connection.deadlines.input = .max
            owner?.received(.binary(bytes), on: self)
        case (.ping(let payload), .open):
            control.pong = WebSocketFrame.pong(payload)
            sendControl()
        case (.close(let code), .open): end(with: WebSocketFrame.close(code))
        // Both ends have closed; ours may not be out yet.
        case (.close, .closing): end(with: control.close)
        case (.failure(let code, let reason), _): refuse(code, reason.description)
        case (.text, _), (.binary, _), (.ping, _), (.pong, _), (_, .opening), (_, .closed): break
        }
    }

    /// Ends the connection behind the pending bytes, and looks at nothing more of the peer's.
    private func refuse(_ code: CloseCode, _ reason: String) {
        guard state != .closed else { return }
        connection.machine.lingerBehindAnswer(for: .body)
        // An owner that has closed has said why.
        end(with: state == .closing ? control.close : WebSocketFrame.close(code, reason))
    }

    /// Ends the connection behind the pending bytes and these.
    private func end(with bytes: [UInt8]) {
        state = .closed
        loop.endStream(connection, with: bytes, closes: true)
        tellClosed()
    }

    private func tellClosed() {
        let owner = self.owner
        self.owner = nil
        owner?.closed(self)
    }

    /// Sets the deadline of a message that has begun. Its first part keeps memory, so that it must
    /// come to its end, like a request's body, as long as it is read.
    private func watchMessage() {
        guard state == .open, !isPaused, machine.isKeeping else {
            connection.deadlines.input = .max
            return
        }
        guard connection.deadlines.input == .max else { return }
        connection.deadlines.input = loop.now + loop.settings.bodyMilliseconds
        loop.armDetached(connection)
    }

    /// The part of one turn of its loop that one WebSocket may take.
    private struct Share {
        var bytes = HTTPFrontLimits.webSocketBytesPerTurnMax
        var events = HTTPFrontLimits.webSocketEventsPerTurnMax

        var isLeft: Bool { bytes > 0 && events > 0 }
    }
}
