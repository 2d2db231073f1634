internal import Telemetry

/// Takes in the requests of a loop, and has its handler answer them. A request is known by its
/// head, or parsed by libmicrohttpd once its head is there.
///
/// Confined to its loop's thread.
final class RequestIntake {
    // unowned(unsafe): the loop has it, and every request looks at the loop. The objects that each
    // request uses are here as well: else the loop would be retained and released each time.
    unowned(unsafe) private(set) var loop: EventLoop!
    let budget: TurnBudget
    let meters: LoopMeters
    let reader: SocketReader
    let writer: AnswerWriter
    let arrived: UserLines<Connection>
    private let memory: MemoryBudget
    private let mailbox: Mailbox
    private let parsers: RequestParsers
    private var heads = HeadCache()
    /// Sockets whose request is complete and long, and had no room in the turn it came in.
    let postponed = UserLines<Connection>(by: \.peer.uid)
    private(set) var lastRequestNumber: UInt64 = 0

    init(
        answeringBy writer: AnswerWriter, _ arrived: UserLines<Connection>, _ reader: SocketReader,
        _ mailbox: Mailbox, _ memory: MemoryBudget, headBytesMax: Int
    ) throws(ServerError) {
        self.writer = writer
        self.arrived = arrived
        self.reader = reader
        self.mailbox = mailbox
        self.memory = memory
        budget = writer.budget
        meters = writer.meters
        parsers = try RequestParsers(headBytesMax: headBytesMax)
    }

    /// Takes requests in for this loop from now on.
    func attach(to loop: EventLoop) { self.loop = loop }

    /// Goes on with the input of a socket: answers its request, or lets it wait for the rest.
    func serveArrived(on connection: Connection) {
        switch connection.machine.phase {
        case .waiting: readRequest(on: connection)
        case .receiving: receiveBody(on: connection)
        default: break
        }
    }

    private func readRequest(on connection: Connection) {
        let input = reader.peek(into: connection.descriptor) ?? .init(start: nil, count: 0)
        let emptyBytes = RequestHeadReader.emptyLineBytes(input)
        if emptyBytes > 0 || input.isEmpty { return skip(emptyBytes, on: connection) }
        let (port, guess) = (connection.peer.localPort, connection.headHash)
        if let known = heads.find(input, at: port, under: loop.settings.number, guess: guess) {
            return serve(known, input, on: connection)
        }
        budget.begin(.arrivals, 1 + input.count / HTTPFrontLimits.bodyBytesPerStep)
        let head = RequestHeadReader(input)
        if let problem = loop.settings.rules.problem(with: head, from: connection.peer) {
            return refuse(problem, head, on: connection)
        }
        let bytesMax = loop.settings.headerBytesMax
        if head.headBytes > bytesMax || head.headBytes == 0 && input.count >= bytesMax {
            return refuse(head.tooLong(for: bytesMax), head, on: connection)
        }
        if head.headBytes > 0 {
            read(head, input, on: connection)
        } else if connection.machine.isReadClosed {
            loop.closeTellingOwner(connection)
        } else if connection.machine.awaitHead() {
            loop.timers.arm(connection.slot, due: loop.now + loop.settings.headerMilliseconds)
        }
    }

    /// Throws line ends away that stand before a request: clients may send some behind a body (RFC 9112,
    /// section 2.2).
    private func skip(_ emptyBytes: Int, on connection: Connection) {
        budget.begin(.arrivals, 1)
        guard emptyBytes == 0 || reader.take(emptyBytes, from: connection.descriptor) else {
            return loop.closeTellingOwner(connection)
        }
        // Nothing can be read though something is there: urgent data on a unix socket.
        if emptyBytes > 0, connection.hasUnread {
            arrived.append(connection)
        } else if connection.machine.isReadClosed {
            loop.closeTellingOwner(connection)
        } else {
            connection.machine.awaitMore()
            // Behind an answer no deadline runs yet.
            if !loop.timers.isArmed(connection.slot) { loop.carryOut(.idle, on: connection) }
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
            request.head = try loop.settings.rules.head(
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

    /// Lets a request wait for the rest of its body, since many clients send it apart, right behind
    /// the head. False if that did not come at once, or the request is too large to be looked at
    /// whole.
    private func awaitBody(ofWhole bytes: Int, on connection: Connection) -> Bool {
        guard bytes < HTTPFrontLimits.receiveBufferBytes, connection.machine.awaitBody() else {
            return false
        }
        let milliseconds = loop.settings.configuration.bodyAwaitedMilliseconds
        loop.timers.arm(connection.slot, due: loop.now + milliseconds)
        return true
    }

    /// Has libmicrohttpd read a head that is there, and goes on with its request.
    private func read(
        _ head: RequestHeadReader, _ input: UnsafeRawBufferPointer, on connection: Connection
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
                    rules: loop.settings.rules, peer: connection.peer, memory: memory))
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
        if let known { heads.keep(known, under: loop.settings.number) }
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
            loop.closeTellingOwner(connection)
            return false
        }
        loop.timers.cancel(connection.slot)
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
        connection.trace = loop.settings.configuration.accessSink.map {
            AccessTrace(method: method, target: target, peer: connection.peer, for: $0)
        }
    }

    /// Asks the handler how much body a request may have.
    private func admit(_ request: ActiveRequest) {
        if let head = request.head {
            let handler: any RequestHandler = loop.handler
            request.foreseenSteps = handler.steps(of: head)
            request.admit(handler.admit(head, request.bodyLength))
        }
        if request.refusal != nil { meters.refusals.add() }
    }

    /// Answers a request that breaks a rule before it is read; the connection closes behind that.
    private func refuse(_ problem: Problem, _ head: RequestHeadReader, on connection: Connection) {
        note(head.method, head.target, on: connection)
        meters.refusals.add()
        connection.machine.takeInput(hasMore: true)
        connection.machine.closeBehindAnswer()
        let context = ResponseContext(
            version: head.version, keepsAlive: false,
            isHead: head.method.elementsEqual("HEAD".utf8))
        writer.write(problem.response, for: context, to: connection)
    }
}

// A request that is complete.
extension RequestIntake {
    func requestIsComplete(
        _ request: ActiveRequest, _ body: RequestBody, on connection: Connection
    ) {
        if let refusal = request.refusal {
            budget.begin(.arrivals, HTTPFrontLimits.requestSteps)
            connection.request = nil
            return writer.write(refusal, for: request.context, to: connection)
        }
        let steps = request.steps(bodyBytes: body.count)
        guard steps > HTTPFrontLimits.shortRequestStepsMax else {
            budget.begin(.arrivals, steps)
            return serve(request, body, as: .arrivals, on: connection)
        }
        guard budget.isLeft(for: .longRequests), postponed.isEmpty else {
            if request.body.count < body.count {
                request.body.append(body.bytes, bytesMax: body.count)
            }
            request.isPostponed = true
            awaitAnswer(to: request, on: connection)
            postponed.append(connection)
            return
        }
        budget.begin(.longRequests, steps)
        serve(request, body, as: .longRequests, on: connection)
    }

    /// Has the handler look at long requests that waited for a turn, as many as this one has room for.
    func continuePostponed() {
        postponed.run(while: { budget.isLeft(for: .longRequests) }) { connection in
            guard let request = connection.request, request.isPostponed else { return }
            budget.begin(.longRequests, request.steps)
            request.isPostponed = false
            settle(request)
            serve(request, RequestBody(request.body.bytes), as: .longRequests, on: connection)
        }
    }

    private func serve(
        _ request: ActiveRequest, _ body: RequestBody, as task: LoopTask, on connection: Connection
    ) {
        guard let head = request.head else { return }
        request.isHandled = true
        budget.goOn(with: task, foreseen: request.foreseenSteps)
        defer { budget.goOn(with: task, foreseen: 0) }
        let exchange = Exchange(loop: loop, connection: connection, request: request)
        mailbox.handling(request.number) {
            loop.handler.handle(
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
            writer.write(response, for: request.context, to: connection)
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
        guard let connection = loop.connections[reply.slot], let request = connection.request,
            request.number == reply.number, request.isPending, !request.isPostponed
        else { return }
        settle(request)
        connection.request = nil
        writer.write(reply.response, for: request.context, to: connection)
    }

    /// Takes a request off the count of those whose answer is awaited.
    func settle(_ request: ActiveRequest) {
        guard request.isPending else { return }
        request.isPending = false
        meters.pending.add(-1)
    }
}
