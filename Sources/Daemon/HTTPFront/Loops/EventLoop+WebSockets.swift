internal import Glibc

// Sockets that speak WebSocket frames, and are read outside the parser.
extension EventLoop {
    /// What can be read at this moment, valid until the next call; empty for nothing, nil at the end
    /// of the stream.
    func receive(from connection: Connection) -> UnsafeMutableRawBufferPointer? {
        while true {
            let count = recv(
                connection.descriptor, scratch.baseAddress, scratch.count, Int32(MSG_DONTWAIT))
            if count > 0 { connection.trace?.record.bytesIn += count }
            if count > 0 { return UnsafeMutableRawBufferPointer(rebasing: scratch[..<count]) }
            if count < 0, errno == EINTR { continue }
            guard count < 0, errno == EAGAIN else { return nil }
            return UnsafeMutableRawBufferPointer(rebasing: scratch[..<0])
        }
    }

    /// Lets the WebSockets read on that had had their share of the last turn, or were asked to.
    func readOn() {
        guard !reading.isEmpty else { return }
        let batch = reading
        reading.removeAll(keepingCapacity: true)
        for socket in batch { socket.readingIsDue() }
    }

    /// Lets the owner hear at the loop's next turn that the peer does not answer.
    func tellStalledSoon(_ connection: Connection) {
        guard connection.machine.isDetached else { return }
        connection.stallDue = now
        armDetached(connection)
    }
}
