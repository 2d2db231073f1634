// The body of a request that is not there with its head.
extension RequestIntake {
    func beginBody(
        of request: ActiveRequest, isExpecting: Bool, on connection: Connection
    ) {
        connection.machine.beginBody()
        connection.request = request
        if let refusal = request.refusal {
            // An answer now spares the client the body it waits to send. Nobody knows where the
            // body ends of a request that breaks the rules. A body above its maximum is thrown away
            // anyway, and its client may wait for the answer before it sends.
            let isUnframed = request.head == nil && refusal.closesConnection
            let bytesMax = request.bodyLimit.map { UInt64($0.bytesMax) }
            let isTooLong = request.declaredBytes > bytesMax ?? loop.settings.discardBytesMax
            if isExpecting || isUnframed || isTooLong {
                return answerEarly(request, refusal, on: connection)
            }
        } else if isExpecting, request.context.version == .http11 {
            // A client that does not read it sends the body after a while all the same.
            _ = SocketWriter.send(
                head: Self.goOn, body: .empty, from: 0, to: connection.descriptor)
        }
        loop.timers.arm(connection.slot, due: loop.now + loop.settings.bodyMilliseconds)
        receiveBody(on: connection)
    }

    private static let goOn = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// Takes a piece of a body that has arrived.
    func receiveBody(on connection: Connection) {
        guard let request = connection.request else { return }
        let wasRefused = request.refusal != nil
        let piece = takePiece(of: request, on: connection)
        budget.begin(.arrivals, 1 + piece.bytes / HTTPFrontLimits.bodyBytesPerStep)
        connection.trace?.record.bytesIn += piece.bytes
        if request.refusal != nil, !wasRefused { meters.refusals.add() }
        switch piece.progress {
        case .lost: loop.closeTellingOwner(connection)
        case .broken:
            answerEarly(request, request.refusal ?? Problem.unreadable.response, on: connection)
        case .ended:
            loop.timers.cancel(connection.slot)
            connection.machine.takeInput(hasMore: connection.hasUnread)
            requestIsComplete(request, RequestBody(request.body.bytes), on: connection)
        case .open:
            if let refusal = request.refusal, request.discarded > loop.settings.discardBytesMax {
                answerEarly(request, refusal, on: connection)
            } else if piece.hasMore || connection.machine.isReadClosed {
                // The poller does not tell again of an end behind the bytes.
                arrived.append(connection)
            } else {
                connection.machine.awaitMore()
            }
        }
    }

    private struct BodyPiece {
        enum Progress { case open, ended, broken, lost }

        var progress = Progress.open
        /// Bytes of it, framing included.
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
    /// the answer, up to a bound. Otherwise the kernel would destroy the answer together with the
    /// connection.
    private func answerEarly(
        _ request: ActiveRequest, _ response: Response, on connection: Connection
    ) {
        var response = response
        response.closesConnection = true
        connection.request = nil
        // A head that breaks one rule may be wrong about anything else too, such as its body.
        if request.head != nil, request.declaredBytes > 0 {
            connection.expect(
                request.declaredBytes - request.arrivedBytes,
                bytesMax: loop.settings.discardBytesMax)
        } else {
            connection.machine.lingerBehindAnswer(for: .unknown)
        }
        writer.write(response, for: request.context, to: connection)
    }
}
