internal import CMicroHTTPD
internal import Glibc

// What libmicrohttpd calls, all from inside `parser.run` or `parser.add`.
extension EventLoop {
    /// The parser has taken the socket over.
    func connectionEnteredParser(_ parsed: OpaquePointer?) -> Connection? {
        guard let connection = parser.entered() else { return nil }
        connection.parser = parsed
        connection.machine.enterParser()
        return connection
    }

    /// The parser is done with a socket, and closes its descriptor next.
    func connectionLeftParser(_ connection: Connection, parser parsed: OpaquePointer?) {
        parser.left()
        // One that was detached left long ago; this is about the descriptor it was parsed on.
        guard connection.parser == parsed else { return }
        connection.parser = nil
        release(connection)
    }

    /// A request line is there; `target` is the parser's own copy, about to be taken apart.
    func requestLineArrived(_ connection: Connection, target: UnsafePointer<CChar>) {
        parser.requestBegan()
        lastRequestNumber += 1
        let bytes = UnsafeRawBufferPointer(start: target, count: strlen(target))
        connection.request = ActiveRequest(
            number: lastRequestNumber, target: bytes, body: BodyBuffer(memory: memory))
        if let query = bytes.firstIndex(of: UInt8(ascii: "?")), query + 1 < bytes.count {
            // Ends the query before libmicrohttpd splits it: it would fill its memory with
            // arguments that nobody asks for and, with too many of them, spin until its time-out
            // over an answer that it never sends (0.9.75).
            UnsafeMutablePointer(mutating: target)[query + 1] = 0
        }
        if connection.machine.parsing?.isFirst == false {
            timers.arm(connection.slot, due: now + settings.headerMilliseconds)
        }
    }

    /// The parser has headers, a piece of body, or all of a request; false closes the connection.
    func requestArrived(
        _ connection: Connection, _ line: ParsedLine, _ data: UnsafeRawBufferPointer
    ) -> Bool {
        guard let request = connection.request else { return false }
        switch request.stage {
        case .line: return headersArrived(connection, request, line)
        case .body where !data.isEmpty: return bodyArrived(connection, request, data)
        case .body: return requestIsComplete(connection, request)
        case .awaiting, .resumed: return requestAskedAgain(connection, request)
        case .handling, .suspended, .answered: return false
        }
    }

    /// A request has ended: answered, broken off, or detached.
    func requestCompleted(_ connection: Connection, parser parsed: OpaquePointer?) {
        guard connection.parser == parsed else { return }
        if let request = connection.request { settle(request) }
        connection.endTrace()
        connection.request = nil
        connection.seen = nil
        connection.machine.requestEnded()
        noteEnd(of: connection)
        timers.arm(connection.slot, due: now + settings.idleMilliseconds)
    }

    private func headersArrived(
        _ connection: Connection, _ request: ActiveRequest, _ line: ParsedLine
    ) -> Bool {
        meters.requests.add()
        connection.machine.requestParsed()
        request.headBytes = belfry_mhd_header_size(line.parser)
        connection.input.add(request.headBytes)
        request.stage = .body
        request.rulesNumber = rulesNumber
        let intake = HeaderIntake(line, targetEnd: request.targetEnd)
        connection.trace = settings.configuration.accessSink.map {
            AccessTrace(
                method: line.methodBytes, target: request.target, peer: connection.peer, for: $0)
        }
        request.judge(line, intake, by: settings.rules, from: connection.peer)
        if let head = request.head {
            request.foreseenSteps = handler.steps(of: head)
            request.admit(handler.admit(head), length: head.bodyLength)
        }
        if request.refusal != nil { meters.refusals.add() }
        let declares =
            intake.fields.occurrences(of: "content-length")
            + intake.fields.occurrences(of: "transfer-encoding")
        guard declares > 0 else { return true }
        if intake.fields.occurrences(of: "transfer-encoding") > 0 {
            connection.input.lose()
        }
        timers.arm(connection.slot, due: now + settings.bodyMilliseconds)
        guard let refusal = request.refusal else { return true }
        // An answer now spares the client the body it waits to send. Where the body ends is not
        // known to anybody after a request that breaks the rules. A body above its maximum is
        // thrown away anyway, and its client may wait for the answer before it sends.
        let isAwaited = intake.fields.occurrences(of: "expect") > 0
        let isUnframed = request.head == nil && refusal.closesConnection
        let bytesMax = request.oversize.map { UInt64($0.bytesMax) } ?? settings.discardBytesMax
        let isTooLong = request.declaredBytes > bytesMax
        let isEarly = isAwaited || isUnframed || isTooLong
        return isEarly ? answerEarly(connection, request, refusal) : true
    }

    private func bodyArrived(
        _ connection: Connection, _ request: ActiveRequest, _ data: UnsafeRawBufferPointer
    ) -> Bool {
        connection.input.add(data.count)
        connection.trace?.record.bytesIn += data.count
        let wasRefused = request.refusal != nil
        request.take(data)
        guard let refusal = request.refusal else { return true }
        if !wasRefused { meters.refusals.add() }
        guard request.discarded > settings.discardBytesMax else { return true }
        return answerEarly(connection, request, refusal)
    }

    private func requestIsComplete(_ connection: Connection, _ request: ActiveRequest) -> Bool {
        timers.cancel(connection.slot)
        if let refusal = request.refusal { return answer(connection, request, refusal) }
        let (work, queue) = lane(of: request)
        guard budget.isLeft(for: work), queue.isEmpty else {
            request.isPostponed = true
            awaitAnswer(to: request)
            queue.append(connection)
            return true
        }
        budget.begin(work, request.steps)
        return serve(connection, request)
    }

    /// Has the parser ask again for the requests that waited for a turn, as many as this one has room
    /// for.
    func continuePostponed() {
        continuePostponed(in: shortLane)
        continuePostponed(in: longLane)
    }

    private func continuePostponed(in lane: Lane) {
        let (work, queue) = lane
        queue.run(while: { budget.isLeft(for: work) }) { connection in
            guard let request = connection.request, request.isPostponed else { return }
            budget.begin(work, request.steps)
            request.isPostponed = false
            settle(request)
            resume(connection, request)
        }
    }

    /// What requests are to a turn, and where they wait for one, in lines of their users.
    private typealias Lane = (work: TurnWork, queue: UserLines<Connection>)

    private var shortLane: Lane { (.shortRequests, deferred.postponed) }
    private var longLane: Lane { (.longRequests, deferred.postponedLong) }

    private func lane(of request: ActiveRequest) -> Lane {
        request.steps > HTTPFrontLimits.shortRequestStepsMax ? longLane : shortLane
    }

    private func serve(_ connection: Connection, _ request: ActiveRequest) -> Bool {
        guard let head = request.head else { return false }
        request.stage = .handling
        let work = lane(of: request).work
        budget.goOn(with: work, foreseen: request.foreseenSteps)
        defer { budget.goOn(with: work, foreseen: 0) }
        let handling = handle(request, on: connection) { exchange in
            let body = RequestBody(request.body.bytes)
            handler.handle(Request(head: head, body: body), exchange)
        }
        request.body.clear()
        switch consume handling {
        case .answered(let response): return answer(connection, request, response)
        case .detached: return false
        // The parser is asked to wait, and suspended only when it asks again: it then resumes
        // without reading the socket first. Suspended at once, it would read first, take the end
        // of a half-closed stream for the end of the connection, and drop the answer (0.9.75).
        case .awaited: return true
        }
    }

    /// What a handler has done with a request when it returns.
    enum Handling {
        case answered(Response)
        case detached
        case awaited
    }

    /// Has a handler look at a request, parsed or not.
    func handle(
        _ request: ActiveRequest, on connection: Connection, _ handle: (Exchange) -> Void
    ) -> Handling {
        let exchange = Exchange(loop: self, connection: connection, request: request)
        let direct = mailbox.handling(request.number) { handle(exchange) }
        if exchange.isDetached { return .detached }
        if let response = exchange.response { return .answered(response) }
        if let direct { return .answered(direct) }
        awaitAnswer(to: request)
        return .awaited
    }

    private func awaitAnswer(to request: ActiveRequest) {
        request.stage = .awaiting
        request.isPending = true
        meters.pending.add(1)
    }

    private func requestAskedAgain(_ connection: Connection, _ request: ActiveRequest) -> Bool {
        if request.isAbandoned { return false }
        if let response = request.answer { return answer(connection, request, response) }
        // Its turn has come: the handler has not seen it.
        guard request.isPending else { return serve(connection, request) }
        MHD_suspend_connection(connection.parser)
        request.stage = .suspended
        return true
    }
}
