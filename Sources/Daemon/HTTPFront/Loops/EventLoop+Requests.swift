// How a request is read: known by its head, or parsed by libmicrohttpd once its head is there.
extension EventLoop {
    /// Goes on with what has arrived on a socket: answers its request, or lets it wait for the rest.
    func serveArrived(on connection: Connection) {
        switch connection.machine.phase {
        case .waiting: readRequest(on: connection)
        case .receiving: receiveBody(on: connection)
        default: break
        }
    }

    private func readRequest(on connection: Connection) {
        let input = reader.peek(into: connection.descriptor) ?? .init(start: nil, count: 0)
        let emptyBytes = UnreadHead.emptyLineBytes(input)
        if emptyBytes > 0 || input.isEmpty { return skip(emptyBytes, on: connection) }
        let (port, guess) = (connection.peer.localPort, connection.headHash)
        if let known = heads.find(input, at: port, under: settings.number, guess: guess) {
            return serve(known, input, on: connection)
        }
        budget.begin(.arrivals, 1 + input.count / HTTPFrontLimits.bodyBytesPerStep)
        let head = UnreadHead(input)
        if let problem = settings.rules.problem(with: head, from: connection.peer) {
            return refuse(problem, head, on: connection)
        }
        let bytesMax = settings.headerBytesMax
        if head.headBytes > bytesMax || head.headBytes == 0 && input.count >= bytesMax {
            return refuse(head.tooLong(for: bytesMax), head, on: connection)
        }
        if head.headBytes > 0 {
            read(head, input, on: connection)
        } else if connection.machine.isReadClosed {
            closeTellingOwner(connection)
        } else if connection.machine.awaitHead() {
            timers.arm(connection.slot, due: now + settings.headerMilliseconds)
        }
    }

    /// Throws line ends away that stand before a request: clients may send some behind a body (RFC 9112,
    /// section 2.2).
    private func skip(_ emptyBytes: Int, on connection: Connection) {
        budget.begin(.arrivals, 1)
        guard emptyBytes == 0 || reader.take(emptyBytes, from: connection.descriptor) else {
            return closeTellingOwner(connection)
        }
        // Nothing can be read though something is there: urgent data on a unix socket.
        if emptyBytes > 0, connection.hasUnread {
            deferred.arrived.append(connection)
        } else if connection.machine.isReadClosed {
            closeTellingOwner(connection)
        } else {
            connection.machine.awaitMore()
            // Behind an answer no deadline runs yet.
            if !timers.isArmed(connection.slot) { carryOut(.idle, on: connection) }
        }
    }

    /// Serves a request with a head like a known one.
    private func serve(
        _ known: KnownHead, _ input: UnsafeRawBufferPointer, on connection: Connection
    ) {
        let (headBytes, bodyBytes) = (heads.match.headBytes, heads.match.bodyBytes)
        let whole = headBytes + bodyBytes
        let isWhole = whole <= input.count
        if !isWhole {
            budget.begin(.arrivals, 1)
            if awaitBody(ofWhole: whole, on: connection) { return }
        }
        connection.headHash = known.hash
        connection.unknownHeads -= min(connection.unknownHeads, 1)
        meters.repeats.add()
        lastRequestNumber += 1
        let request = ActiveRequest(number: lastRequestNumber, memory: memory)
        let target = UnsafeRawBufferPointer(rebasing: input[heads.match.target])
        request.targetBytes = target.count
        request.headBytes = headBytes
        request.bodyLength = known.bodyLength(heads.match)
        request.context = known.context
        do throws(Problem) {
            request.head = try settings.rules.head(
                like: known.meaning, target: heads.match.isSameTarget ? nil : target,
                headers: heads.match.headers, peer: connection.peer)
        } catch {
            request.refusal = error.response
        }
        let seen = UnsafeRawBufferPointer(
            rebasing: input[..<(isWhole ? whole : headBytes)])
        guard take(seen.count, of: input.count, on: connection) else { return }
        note(known.meaning.method.utf8, target, on: connection)
        admit(request)
        goOn(with: request, seen, isWhole: isWhole, isExpecting: false, on: connection)
    }

    /// Lets a request wait for the rest of its body: many clients send it apart, right behind the head.
    /// False where that did not come at once, or the request is too large to be looked at whole.
    private func awaitBody(ofWhole bytes: Int, on connection: Connection) -> Bool {
        guard bytes < HTTPFrontLimits.receiveBufferBytes, connection.machine.awaitBody() else {
            return false
        }
        let milliseconds = settings.configuration.bodyAwaitedMilliseconds
        timers.arm(connection.slot, due: now + milliseconds)
        return true
    }

    /// Has libmicrohttpd read a head that is there, and goes on with its request.
    private func read(
        _ head: UnreadHead, _ input: UnsafeRawBufferPointer, on connection: Connection
    ) {
        let whole = head.requestBytes ?? .max
        let isWhole = whole <= input.count
        if !isWhole, awaitBody(ofWhole: whole, on: connection) { return }
        let seen = UnsafeRawBufferPointer(rebasing: input[..<(isWhole ? whole : head.headBytes)])
        lastRequestNumber += 1
        budget.begin(.arrivals, HTTPFrontLimits.parserSteps)
        let request: ActiveRequest
        do throws(Problem) {
            request = try parsers.read(
                seen,
                RequestParser.Job(
                    number: lastRequestNumber, head: head, isWhole: isWhole,
                    rules: settings.rules, peer: connection.peer, memory: memory))
        } catch {
            return refuse(error, head, on: connection)
        }
        if let meaning = request.head { learn(meaning, seen, head.headBytes, on: connection) }
        guard take(seen.count, of: input.count, on: connection) else { return }
        if request.head == nil { request.bodyLength = head.bodyLength }
        note(head.method, head.target, on: connection)
        admit(request)
        goOn(
            with: request, seen, isWhole: isWhole, isExpecting: head.isExpecting, on: connection)
    }

    /// Keeps a head that was read, unless its connection has sent ever different ones.
    private func learn(
        _ meaning: RequestHead, _ seen: UnsafeRawBufferPointer, _ headBytes: Int,
        on connection: Connection
    ) {
        guard connection.unknownHeads < HTTPFrontLimits.unknownHeadsMax else { return }
        connection.unknownHeads += 1
        let head = UnsafeRawBufferPointer(rebasing: seen[..<headBytes])
        let known = KnownHead(head, of: meaning, at: connection.peer.localPort)
        if let known { heads.keep(known, under: settings.number) }
    }

    /// Goes on with a request that was taken: all of it, or its head.
    private func goOn(
        with request: ActiveRequest, _ seen: UnsafeRawBufferPointer, isWhole: Bool,
        isExpecting: Bool, on connection: Connection
    ) {
        guard isWhole else {
            return beginBody(of: request, isExpecting: isExpecting, on: connection)
        }
        let body = UnsafeRawBufferPointer(rebasing: seen[request.headBytes...])
        connection.trace?.record.bytesIn += body.count
        requestIsComplete(request, RequestBody(body), on: connection)
    }

    /// Takes a request, or its head, out of the socket; false where it cannot be had.
    private func take(_ bytes: Int, of count: Int, on connection: Connection) -> Bool {
        guard reader.take(bytes, from: connection.descriptor) else {
            closeTellingOwner(connection)
            return false
        }
        timers.cancel(connection.slot)
        let hasMore = count > bytes || !reader.hasRoom(beside: count) && connection.hasUnread
        connection.machine.takeInput(hasMore: hasMore)
        return true
    }

    /// Counts a request whose line and headers are there.
    private func note(
        _ method: some Collection<UInt8>, _ target: UnsafeRawBufferPointer,
        on connection: Connection
    ) {
        meters.requests.add()
        connection.trace = settings.configuration.accessSink.map {
            AccessTrace(method: method, target: target, peer: connection.peer, for: $0)
        }
    }

    /// Asks the handler how much body a request may have.
    private func admit(_ request: ActiveRequest) {
        if let head = request.head {
            request.foreseenSteps = handler.steps(of: head)
            request.admit(handler.admit(head, request.bodyLength))
        }
        if request.refusal != nil { meters.refusals.add() }
    }

    /// Answers a request that breaks a rule before it is read; the connection closes behind that.
    private func refuse(_ problem: Problem, _ head: UnreadHead, on connection: Connection) {
        note(head.method, head.target, on: connection)
        meters.refusals.add()
        connection.machine.takeInput(hasMore: true)
        connection.machine.closeBehindAnswer()
        let context = ResponseContext(
            version: head.version, keepsAlive: false,
            isHead: head.method.elementsEqual("HEAD".utf8))
        write(problem.response, for: context, to: connection)
    }
}

// The body of a request that is not there with its head.
extension EventLoop {
    private func beginBody(
        of request: ActiveRequest, isExpecting: Bool, on connection: Connection
    ) {
        connection.machine.beginBody()
        connection.request = request
        if let refusal = request.refusal {
            // An answer now spares the client the body it waits to send. Where the body ends is not
            // known to anybody after a request that breaks the rules. A body above its maximum is
            // thrown away anyway, and its client may wait for the answer before it sends.
            let isUnframed = request.head == nil && refusal.closesConnection
            let bytesMax = request.bodyLimit.map { UInt64($0.bytesMax) }
            let isTooLong = request.declaredBytes > bytesMax ?? settings.discardBytesMax
            if isExpecting || isUnframed || isTooLong {
                return answerEarly(request, refusal, on: connection)
            }
        } else if isExpecting, request.context.version == .http11 {
            // Whoever does not read it sends the body after a while all the same.
            _ = SocketWriter.send(
                head: Self.goOn, body: .empty, from: 0, to: connection.descriptor)
        }
        timers.arm(connection.slot, due: now + settings.bodyMilliseconds)
        receiveBody(on: connection)
    }

    private static let goOn = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// Takes some of what has arrived of a body.
    private func receiveBody(on connection: Connection) {
        guard let request = connection.request else { return }
        let wasRefused = request.refusal != nil
        let piece = takePiece(of: request, on: connection)
        budget.begin(.arrivals, 1 + piece.bytes / HTTPFrontLimits.bodyBytesPerStep)
        connection.trace?.record.bytesIn += piece.bytes
        if request.refusal != nil, !wasRefused { meters.refusals.add() }
        switch piece.progress {
        case .lost: closeTellingOwner(connection)
        case .broken:
            answerEarly(request, request.refusal ?? Problem.unreadable.response, on: connection)
        case .ended:
            timers.cancel(connection.slot)
            connection.machine.takeInput(hasMore: connection.hasUnread)
            requestIsComplete(request, RequestBody(request.body.bytes), on: connection)
        case .open:
            if let refusal = request.refusal, request.discarded > settings.discardBytesMax {
                answerEarly(request, refusal, on: connection)
            } else if piece.hasMore || connection.machine.isReadClosed {
                // Of an end behind the bytes nobody tells again.
                deferred.arrived.append(connection)
            } else {
                connection.machine.awaitMore()
            }
        }
    }

    private struct BodyPiece {
        enum Progress { case open, ended, broken, lost }

        var progress = Progress.open
        /// Bytes of it, with what frames it.
        var bytes = 0
        /// Whether more may be there.
        var hasMore = false
    }

    private func takePiece(of request: ActiveRequest, on connection: Connection) -> BodyPiece {
        guard case .chunked = request.bodyLength else {
            let left = request.declaredBytes - request.arrivedBytes
            let read = reader.read(from: connection.descriptor, atMost: left)
            guard let read else { return BodyPiece(progress: .lost) }
            request.take(UnsafeRawBufferPointer(read))
            return BodyPiece(
                progress: UInt64(read.count) == left ? .ended : .open, bytes: read.count,
                hasMore: !reader.hasRoom(beside: read.count))
        }
        guard let input = reader.peek(into: connection.descriptor) else {
            return BodyPiece(progress: .lost)
        }
        let (count, progress) = request.takeChunks(input)
        guard count == 0 || reader.take(count, from: connection.descriptor) else {
            return BodyPiece(progress: .lost)
        }
        var piece = BodyPiece(bytes: count, hasMore: !reader.hasRoom(beside: input.count))
        if progress != .open { piece.progress = progress == .ended ? .ended : .broken }
        return piece
    }

    /// Answers a request whose body has not all arrived. The rest is read and thrown away behind
    /// the answer, up to a bound; else the kernel would destroy the answer together with the
    /// connection.
    private func answerEarly(
        _ request: ActiveRequest, _ response: Response, on connection: Connection
    ) {
        var response = response
        response.closesConnection = true
        connection.request = nil
        // Of a head that breaks a rule nobody knows what else it says wrong.
        if request.head != nil, request.declaredBytes > 0 {
            connection.expect(
                request.declaredBytes - request.arrivedBytes, bytesMax: settings.discardBytesMax)
        } else {
            connection.machine.lingerBehindAnswer(for: .unknown)
        }
        write(response, for: request.context, to: connection)
    }
}

// A request that is complete.
extension EventLoop {
    private func requestIsComplete(
        _ request: ActiveRequest, _ body: RequestBody, on connection: Connection
    ) {
        if let refusal = request.refusal {
            budget.begin(.arrivals, HTTPFrontLimits.requestSteps)
            connection.request = nil
            return write(refusal, for: request.context, to: connection)
        }
        let steps = request.steps(bodyBytes: body.count)
        guard steps > HTTPFrontLimits.shortRequestStepsMax else {
            budget.begin(.arrivals, steps)
            return serve(request, body, as: .arrivals, on: connection)
        }
        guard budget.isLeft(for: .longRequests), deferred.postponed.isEmpty else {
            if request.body.count < body.count {
                request.body.append(body.bytes, bytesMax: body.count)
            }
            request.isPostponed = true
            awaitAnswer(to: request, on: connection)
            deferred.postponed.append(connection)
            return
        }
        budget.begin(.longRequests, steps)
        serve(request, body, as: .longRequests, on: connection)
    }

    /// Has the handler look at long requests that waited for a turn, as many as this one has room for.
    func continuePostponed() {
        deferred.postponed.run(while: { budget.isLeft(for: .longRequests) }) { connection in
            guard let request = connection.request, request.isPostponed else { return }
            budget.begin(.longRequests, request.steps)
            request.isPostponed = false
            settle(request)
            serve(request, RequestBody(request.body.bytes), as: .longRequests, on: connection)
        }
    }

    private func serve(
        _ request: ActiveRequest, _ body: RequestBody, as work: TurnWork, on connection: Connection
    ) {
        guard let head = request.head else { return }
        request.isHandled = true
        budget.goOn(with: work, foreseen: request.foreseenSteps)
        defer { budget.goOn(with: work, foreseen: 0) }
        let exchange = Exchange(loop: self, connection: connection, request: request)
        mailbox.handling(request.number) {
            handler.handle(
                Request(head: head, body: body, bodyLength: request.bodyLength), exchange)
        }
        request.body.clear()
        request.isHandled = false
        var answer = mailbox.takeDirectReply()
        if let first = request.response.take() { answer = first }
        if request.isDetached {
            connection.request = nil
        } else if let response = answer {
            connection.request = nil
            write(response, for: request.context, to: connection)
        } else {
            awaitAnswer(to: request, on: connection)
        }
    }

    /// Lets a request wait for its answer, or for its turn.
    private func awaitAnswer(to request: ActiveRequest, on connection: Connection) {
        connection.request = request
        connection.machine.awaitAnswer()
        request.isPending = true
        meters.pending.add(1)
    }

    /// Answers a request whose handler had returned without an answer.
    func answerLate(_ reply: LateReply) {
        guard let connection = connections[reply.slot], let request = connection.request,
            request.number == reply.number, request.isPending, !request.isPostponed
        else { return }
        settle(request)
        connection.request = nil
        write(reply.response, for: request.context, to: connection)
    }

    /// Takes a request off the count of those whose answer is awaited.
    func settle(_ request: ActiveRequest) {
        guard request.isPending else { return }
        request.isPending = false
        meters.pending.add(-1)
    }
}
