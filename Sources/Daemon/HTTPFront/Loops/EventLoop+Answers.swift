internal import CLinux
internal import CMicroHTTPD
internal import Glibc

// Answers to requests that are in the parser.
extension EventLoop {
    /// Answers a complete request; false closes the parser's connection.
    func answer(
        _ connection: Connection, _ request: ActiveRequest, _ response: Response
    ) -> Bool {
        var response = response
        if isDraining { response.closesConnection = true }
        settle(request)
        let closes = !ResponseEncoder.keepsAlive(response, for: request.context)
        let needsUs = closes && connection.hasUnread || !parserHasRoom(for: response, request)
        if needsUs || isHeavy(response, on: connection) {
            let losesInput = needsUs || connection.pipelinedBytes() != 0
            if leaveParser(connection) {
                if losesInput { response.closesConnection = true }
                connection.machine.forgetInput()
                write(response, for: request.context, to: connection)
                return false
            }
        }
        if !closes, leavesParser(with: request, on: connection) {
            write(response, for: request.context, to: connection)
            return false
        }
        guard
            OutgoingResponse.queue(
                response, for: request.context, on: connection.parser!, ledger: unsent)
        else { return false }
        request.stage = .answered
        connection.progressedAt = now
        connection.unsentBytes = response.body.count
        meters.countAnswer(response)
        connection.trace?.noteWhole(response, for: request.context)
        shedSlowestIfShort(sparing: connection)
        return true
    }

    /// Answers a request whose body has not all arrived. The rest is read and thrown away behind
    /// the answer, up to a bound; else the kernel would destroy the answer together with the
    /// connection.
    func answerEarly(
        _ connection: Connection, _ request: ActiveRequest, _ response: Response
    ) -> Bool {
        let behind = connection.pipelinedBytes()
        guard leaveParser(connection) else { return false }
        var response = response
        response.closesConnection = true
        connection.machine.lingerBehindAnswer(for: request.declaredBytes > 0 ? .body : .unknown)
        if let behind, request.declaredBytes > 0 {
            connection.expect(
                request.declaredBytes - min(request.declaredBytes, request.discarded + behind),
                bytesMax: settings.discardBytesMax)
        }
        write(response, for: request.context, to: connection)
        return false
    }

    /// Answers a request whose handler had returned without an answer.
    func answerLate(_ reply: LateReply) {
        guard let connection = connections[reply.slot], let request = connection.request,
            request.number == reply.number, request.isPending, request.answer == nil
        else { return }
        guard connection.machine.parsing != nil else {
            settle(request)
            connection.request = nil
            return write(reply.response, for: request.context, to: connection)
        }
        request.answer = reply.response
        resume(connection, request)
    }

    /// Has the parser ask again for the answer to a request.
    func resume(_ connection: Connection, _ request: ActiveRequest) {
        parser.wake()
        guard request.stage == .suspended else { return }
        MHD_resume_connection(connection.parser)
        request.stage = .resumed
    }

    /// Takes a request off the count of those whose answer is awaited.
    func settle(_ request: ActiveRequest) {
        guard request.isPending else { return }
        request.isPending = false
        meters.pending.add(-1)
    }

    /// Takes a socket out of the parser, which closes its own descriptor of it as soon as the
    /// callback that runs at this moment returns false. False when no descriptor is free.
    func leaveParser(_ connection: Connection) -> Bool {
        let duplicate = clinux_duplicate(connection.descriptor)
        guard duplicate >= 0 else { return false }
        guard poller.add(duplicate, [.readable, .readClosed, .edge], token: connection.token)
        else {
            close(duplicate)
            return false
        }
        // Closing it would not end this: the duplicate keeps the open file alive.
        poller.remove(connection.descriptor)
        if let request = connection.request { settle(request) }
        connection.descriptor = duplicate
        connection.parser = nil
        connection.request = nil
        connection.seen = nil
        return true
    }

    /// Whether an answer is written by us, a share of it a turn: the parser answers everybody who is
    /// ready in one run. One that takes memory of its own has to be freed, too, the moment its
    /// connection is given up, and the parser closes nobody before its next run.
    private func isHeavy(_ response: Response, on connection: Connection) -> Bool {
        guard response.body.count > HTTPFrontLimits.parserBodyBytesMax else { return false }
        guard case .shared = response.body else { return true }
        // A request behind it would be lost.
        return connection.pipelinedBytes() == 0
    }

    /// Whether libmicrohttpd, which has no way to say no later, can hold the answer's headers.
    private func parserHasRoom(for response: Response, _ request: ActiveRequest) -> Bool {
        let read = max(settings.configuration.headerBytesMax / 2, request.headBytes + 1024)
        let records = (request.head?.headers.count ?? 0) * 64 + 256
        let room = settings.configuration.headerBytesMax - read - records
        return OutgoingResponse.headBytes(of: response, for: request.context) <= room
    }
}
