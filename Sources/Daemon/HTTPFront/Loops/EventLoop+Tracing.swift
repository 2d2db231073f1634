// What the access log is told; nothing is noted where there is none.
extension EventLoop {
    /// Begins to note a request whose headers are there.
    func beginTrace(
        _ connection: Connection, method: @autoclosure () -> String,
        target: @autoclosure () -> [UInt8]
    ) {
        guard let sink = settings.accessSink else { return }
        connection.trace = AccessTrace(
            AccessRecord(
                method: method(),
                path: String(decoding: target().prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self),
                peer: connection.peer),
            for: sink)
    }

    /// Notes an answer that is given in one piece.
    func noteWhole(
        _ response: Response, for context: ResponseContext, _ connection: Connection
    ) {
        guard let trace = connection.trace else { return }
        trace.note(response)
        if ResponseEncoder.sendsBody(response, for: context) {
            trace.record.bytesOut = response.body.count
        }
    }

    /// Tells of a request that is over, whatever became of it.
    func endTrace(_ connection: Connection) {
        guard let trace = connection.trace else { return }
        connection.trace = nil
        trace.end()
    }
}
