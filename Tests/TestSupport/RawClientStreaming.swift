internal import Glibc

extension RawClient {
    /// Reads the head of an answer and leaves its body, whatever frames it, to the caller.
    public func readHead(within seconds: Double = 60) throws(Failure) -> Answer {
        let (statusLine, status, headers) = try readHead(until: Self.now() + seconds)
        return Answer(statusLine: statusLine, status: status, headers: headers, body: [])
    }

    /// The status of the answer that comes next, which is left to be read.
    public func nextStatus(within seconds: Double = 60) throws(Failure) -> Int {
        let line = try takeLine(until: Self.now() + seconds)
        putBack(Array("\(line)\r\n".utf8))
        return try Self.status(of: line)
    }

    /// Reads what is there, at most about 64 KiB, after waiting for it as long as is said.
    ///
    /// - Returns: Nothing if nothing came; nil at the end of the connection, or after a reset.
    public func readSome(within seconds: Double = 0) throws(Failure) -> [UInt8]? {
        if received.isEmpty {
            guard hasMore(within: seconds) else { return [] }
            guard try fill(until: Self.now() + seconds) else { return nil }
        }
        defer { received = [] }
        return received
    }

    /// Gives back bytes that were read too far; they come first at the next step.
    public func putBack(_ bytes: [UInt8]) {
        received = bytes + received
    }

    /// Whether something is there to be read, an end included, or comes this soon.
    public func hasMore(within seconds: Double = 0) -> Bool {
        guard received.isEmpty else { return true }
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, Int32((seconds * 1000).rounded(.up))) > 0
    }
}
