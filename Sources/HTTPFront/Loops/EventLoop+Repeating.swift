internal import CLinux
internal import Glibc

// Requests that come again on a socket that we hold, such as the next poll with a new cursor or the
// next event of a publisher: the parser is spared them, but nobody else parses. What is not known by
// its bytes is left to it unread.
extension EventLoop {
    /// Remembers a request that was detached, so that its repetition is known.
    func keep(
        _ repeatable: (any RepeatableRequest)?, of request: ActiveRequest, on connection: Connection
    ) {
        guard let repeatable else { return connection.repetition = .none }
        switch connection.repetition {
        case .none, .expected: connection.repetition = .expected
        case .of(let kept): kept.handled = repeatable
        case .seen(let seen):
            let kept = KeptRequest(
                request, from: seen, settingsNumber: settingsNumber, handled: repeatable)
            connection.repetition = kept.map(Repetition.of) ?? .expected
        }
    }

    /// Notes of a request that is answered from the parser whether its socket is to leave with the
    /// answer, for its repetition to be known.
    func consider(
        _ make: () -> any RepeatableRequest, of request: ActiveRequest, on connection: Connection
    ) {
        guard connection.phase == .parsing, let head = request.head, !isDraining else { return }
        switch connection.repetition {
        case .none:
            if connection.chance.isDue(at: request),
                RequestModel.isPossible(of: head, headBytes: request.headBytes)
            {
                request.next = .expected
            }
        case .seen(let seen):
            guard connection.chance.isGood() || connection.chance.isDue(at: request) else {
                return
            }
            let kept = KeptRequest(
                request, from: seen, settingsNumber: settingsNumber, handled: make())
            request.next = kept.map(Repetition.of) ?? .none
        case .expected, .of: break
        }
    }

    /// Takes the socket of a request out of the parser if its repetition is to be known, and nothing
    /// is lost with that.
    func leavesForRepetition(of request: ActiveRequest, on connection: Connection) -> Bool {
        if case .none = request.next { return false }
        guard pipelined(behind: connection) == 0, leaveParser(connection) else {
            connection.chance.failed()
            connection.repetition = .none
            return false
        }
        connection.repetition = request.next
        connection.hasInput = false
        connection.isReadClosed = false
        return true
    }

    /// Answers what has arrived on a socket if it repeats a request that was kept, or if it was
    /// looked at and is broken; false when it is the parser's, which finds it unread.
    func answersUnparsed(on connection: Connection) -> Bool {
        switch connection.repetition {
        case .none: return false
        case .seen:
            connection.repetition = .none
            return false
        case .expected:
            return refusesBroken(peek(into: connection), on: connection)
        case .of(let kept):
            let input = peek(into: connection)
            let parts = kept.model.parts(of: input)
            if parts == nil { connection.chance.failed() }
            guard let parts, !connection.isReadClosed, holds(kept, for: parts.body.count) else {
                return refusesBroken(input, on: connection)
            }
            guard take(input.count, from: connection) else {
                closeConnection(connection)
                return true
            }
            connection.chance.succeeded()
            answer(kept, input, parts, on: connection)
            return true
        }
    }

    /// Answers a repetition whose handler had returned without an answer.
    func answerRepetition(
        _ connection: Connection, _ request: ActiveRequest, _ response: Response
    ) {
        settle(request)
        connection.request = nil
        write(response, for: request.context, to: connection)
    }

    /// Something happened to a socket whose repetition awaits its answer.
    func pendingHappened(_ event: Poller.ReadyEvent, _ connection: Connection) {
        if event.isReadable { connection.hasInput = true }
        guard event.isHungUp else { return }
        meters.gone.add()
        closeConnection(connection)
    }

    /// Has the kernel count again what is read from a unix socket that we have looked into.
    func countReads(of connection: Connection) {
        guard connection.peer.transport == .unix, !connection.countsReads else { return }
        connection.taken = 0
        connection.isTakenKnown = clinux_count_reads(connection.descriptor) == 0
        connection.countsReads = connection.isTakenKnown
    }

    /// Whether what was kept of a request may answer one with so much body.
    private func holds(_ kept: KeptRequest, for bodyBytes: Int) -> Bool {
        !isDraining && kept.settingsNumber == settingsNumber && kept.handled.isCurrent
            && bodyBytes <= kept.bodyBytesMax
            && (bodyBytes == 0 || BodyBuffer.hasRoom(for: bodyBytes, in: memory))
    }

    private func answer(
        _ kept: KeptRequest, _ input: UnsafeRawBufferPointer, _ parts: RequestModel.Parts,
        on connection: Connection
    ) {
        timers.cancel(connection.slot)
        connection.hasInput = false
        lastRequestNumber += 1
        meters.requests.add()
        meters.repeats.add()
        let request = ActiveRequest(
            number: lastRequestNumber, repeating: kept, body: BodyBuffer(memory: memory))
        beginTrace(
            connection, method: kept.model.hasBody ? "POST" : "GET",
            target: Array(input[parts.target]))
        connection.trace?.record.bytesIn += parts.body.count
        let exchange = Exchange(loop: self, connection: connection, request: request)
        let direct = mailbox.handling(request.number) {
            kept.handled.handle(
                RequestDifferences(
                    value: UnsafeRawBufferPointer(
                        rebasing: input[kept.model.hasBody ? 0..<0 : parts.value]),
                    name: UnsafeRawBufferPointer(rebasing: input[parts.name]),
                    body: RequestBody(UnsafeRawBufferPointer(rebasing: input[parts.body]))),
                exchange)
        }
        if exchange.isDetached { return }
        if let response = exchange.response {
            return write(response, for: kept.context, to: connection)
        }
        if let direct { return write(direct, for: kept.context, to: connection) }
        request.stage = .awaiting
        request.isPending = true
        meters.pending.add(1)
        connection.request = request
        connection.phase = .pending
    }

    /// Answers what was looked at if it is broken; else notes it for the parser.
    private func refusesBroken(
        _ input: UnsafeRawBufferPointer, on connection: Connection
    ) -> Bool {
        let head = UnreadHead(input)
        let problem: Problem
        switch head.finding {
        case .broken(let detail):
            problem = .malformed(detail)
        case .doubtful:
            do throws(Problem) {
                _ = try rules.head(
                    method: head.method, target: head.target, version: head.version,
                    headers: head.headers, isFolded: false, peer: connection.peer)
                noteSeen(input, on: connection)
                return false
            } catch {
                problem = error
            }
        case .nothing:
            noteSeen(input, on: connection)
            return false
        }
        meters.requests.add()
        meters.refusals.add()
        beginTrace(
            connection, method: String(decoding: head.method, as: UTF8.self),
            target: Array(head.target))
        connection.hasInput = false
        connection.mustClose = true
        connection.mustLinger = true
        connection.repetition = .none
        let context = ResponseContext(
            version: head.version, keepsAlive: false,
            isHead: head.method.elementsEqual("HEAD".utf8))
        write(problem.response, for: context, to: connection)
        return true
    }

    private func noteSeen(_ input: UnsafeRawBufferPointer, on connection: Connection) {
        let isWhole = (1..<HTTPFrontLimits.peekedBytesMax).contains(input.count)
        if !isWhole { connection.chance.failed() }
        connection.repetition = isWhole ? .seen(SeenInput(input)) : .none
    }

    /// What can be read, up to more than is ever kept; it stays in the socket.
    private func peek(into connection: Connection) -> UnsafeRawBufferPointer {
        if connection.countsReads {
            connection.countsReads = false
            clinux_stop_counting_reads(connection.descriptor)
        }
        return receive(
            HTTPFrontLimits.peekedBytesMax, from: connection, flags: Int32(MSG_PEEK))
    }

    /// Takes bytes that were looked at out of the socket; false when they cannot be had.
    private func take(_ count: Int, from connection: Connection) -> Bool {
        // A TCP socket then does not copy them again.
        let taken = receive(count, from: connection, flags: Int32(MSG_TRUNC))
        guard taken.count == count else { return false }
        connection.taken += UInt64(count)
        return true
    }

    private func receive(
        _ count: Int, from connection: Connection, flags: Int32
    ) -> UnsafeRawBufferPointer {
        let received = recv(
            connection.descriptor, scratch.baseAddress, count, flags | Int32(MSG_DONTWAIT))
        return UnsafeRawBufferPointer(rebasing: scratch[..<max(0, received)])
    }
}
