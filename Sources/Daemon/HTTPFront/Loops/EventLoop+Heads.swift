// The head of each request that has arrived on a socket that we hold: known from one that was parsed
// before, broken, or left to the parser unread.
extension EventLoop {
    /// Answers what has arrived on a socket if its head is known, or broken, or lets it wait for the rest
    /// of its body; false when it is the parser's.
    func answersUnparsed(on connection: Connection) -> Bool {
        connection.seen = nil
        connection.input.endCounting(connection.descriptor)
        let input = reader.peek(into: connection.descriptor)
        let known = heads.find(
            input, at: connection.peer.localPort, under: rulesNumber, guess: connection.headHash)
        guard let head = known else {
            if refusesBroken(input, on: connection) { return true }
            if (1..<HTTPFrontLimits.receiveBufferBytes).contains(input.count) {
                connection.seen = SeenInput(input)
            }
            return false
        }
        let parts = heads.parts
        let bodyBytes = parts.body.count + parts.missingBytes
        guard !connection.machine.isReadClosed, mayAnswer(head, bodyBytes: bodyBytes) else {
            return false
        }
        guard parts.missingBytes == 0 else {
            return awaitsBody(of: input.count + parts.missingBytes, on: connection)
        }
        guard reader.take(input.count, from: connection.descriptor) else {
            closeConnection(connection)
            return true
        }
        connection.input.add(input.count)
        connection.headHash = head.hash
        connection.unknownHeads -= min(connection.unknownHeads, 1)
        answer(head, input, parts, on: connection)
        return true
    }

    /// Lets a request wait for the rest of its body: many clients send it apart, right behind the head.
    /// False where that did not come at once, or the request is too large to be looked at whole.
    private func awaitsBody(of requestBytes: Int, on connection: Connection) -> Bool {
        guard requestBytes < HTTPFrontLimits.receiveBufferBytes, connection.machine.awaitBody()
        else { return false }
        timers.arm(connection.slot, due: now + settings.configuration.bodyAwaitedMilliseconds)
        return true
    }

    /// Keeps the head of a request that the parser has read, if its bytes were seen, with what `make`
    /// makes of it; and notes whether the request's socket is to leave the parser with the answer.
    func learn(
        _ request: ActiveRequest, on connection: Connection, valueAt place: ValuePlace,
        name: Range<Int>?, _ make: () -> any KnownRequest
    ) {
        guard connection.machine.parsing != nil, let head = request.head, !isDraining else {
            return
        }
        if let seen = connection.seen {
            func pattern(valueAt place: ValuePlace) -> HeadPattern? {
                HeadPattern(
                    seen, headBytes: request.headBytes, head: head, valueAt: place, name: name)
            }
            guard request.rulesNumber == rulesNumber, let first = pattern(valueAt: place) else {
                return
            }
            let handled = make()
            keep(first, of: request, handled)
            if case .parameter = place, let same = pattern(valueAt: .nowhere) {
                keep(same, of: request, handled)
            }
        }
        // The first request of a connection is often the only one.
        let most = HTTPFrontLimits.unknownHeadsMax
        request.leavesParser = (1..<most).contains(connection.unknownHeads)
        connection.unknownHeads = min(connection.unknownHeads + 1, most)
    }

    private func keep(
        _ pattern: HeadPattern, of request: ActiveRequest, _ handled: any KnownRequest
    ) {
        guard let known = KnownHead(pattern, of: request, handled: handled) else { return }
        heads.keep(known, under: rulesNumber)
    }

    /// Takes the socket of a request out of the parser if the head of the next is to be looked at,
    /// and nothing is lost with that.
    func leavesParser(with request: ActiveRequest, on connection: Connection) -> Bool {
        guard request.leavesParser, connection.pipelinedBytes() == 0, leaveParser(connection)
        else { return false }
        connection.machine.forgetInput()
        return true
    }

    /// Whether a request with a known head and so much body may be answered now.
    private func mayAnswer(_ head: KnownHead, bodyBytes: Int) -> Bool {
        !isDraining && bodyBytes <= head.bodyBytesMax
            && (bodyBytes == 0 || BodyBuffer.hasRoom(for: bodyBytes, in: memory))
    }

    private func answer(
        _ head: KnownHead, _ input: UnsafeRawBufferPointer, _ parts: HeadPattern.Parts,
        on connection: Connection
    ) {
        timers.cancel(connection.slot)
        connection.machine.takeInput()
        lastRequestNumber += 1
        budget.begin(
            .arrivals,
            ActiveRequest.steps(targetBytes: parts.target.count, bodyBytes: parts.body.count))
        meters.requests.add()
        meters.repeats.add()
        let request = ActiveRequest(
            number: lastRequestNumber, of: head, body: BodyBuffer(memory: memory))
        connection.trace = settings.configuration.accessSink.map {
            AccessTrace(
                method: head.pattern.method.utf8, target: input[parts.target],
                peer: connection.peer, for: $0)
        }
        connection.trace?.record.bytesIn += parts.body.count
        let handling = handle(request, on: connection) { exchange in
            head.handled.handle(
                RequestDifferences(
                    value: UnsafeRawBufferPointer(
                        rebasing: input[head.pattern.form == .length ? 0..<0 : parts.value]),
                    name: UnsafeRawBufferPointer(rebasing: input[parts.name]),
                    body: RequestBody(UnsafeRawBufferPointer(rebasing: input[parts.body]))),
                exchange)
        }
        switch consume handling {
        case .answered(let response): write(response, for: head.context, to: connection)
        case .detached: break
        case .awaited:
            connection.request = request
            connection.machine.awaitAnswer()
        }
    }

    /// Answers what was looked at if it is broken.
    private func refusesBroken(
        _ input: UnsafeRawBufferPointer, on connection: Connection
    ) -> Bool {
        let head = UnreadHead(input)
        guard let problem = settings.rules.problem(with: head, from: connection.peer) else {
            return false
        }
        meters.requests.add()
        meters.refusals.add()
        connection.trace = settings.configuration.accessSink.map {
            AccessTrace(
                method: head.method, target: head.target, peer: connection.peer, for: $0)
        }
        connection.machine.takeInput()
        connection.machine.closeBehindAnswer()
        let context = ResponseContext(
            version: head.version, keepsAlive: false,
            isHead: head.method.elementsEqual("HEAD".utf8))
        write(problem.response, for: context, to: connection)
        return true
    }
}
