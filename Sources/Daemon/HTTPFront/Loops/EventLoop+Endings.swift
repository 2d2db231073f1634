internal import Glibc

// The end of what a peer sends, while the parser holds its socket.
//
// libmicrohttpd takes a read that does not fill its buffer for the last until the next event
// (0.9.75). Of an end that lies behind bytes it would never hear, and keep the connection until a
// deadline. So it is told again, once nothing but the end is left to read: shutting down the
// direction that has ended changes nothing else, and makes the kernel tell everybody who watches.
extension EventLoop {
    /// Remembers to tell the parser of the end of a connection's stream, once for each request.
    func noteEnd(of connection: Connection) {
        if connection.machine.noteEnd() { ending.append(connection) }
    }

    /// Tells the parser of ends that it has read up to; called behind each of its turns.
    func tellEnds() {
        guard !ending.isEmpty else { return }
        ending = ending.filter { connection in
            guard connection.machine.parsing != nil else { return false }
            // It does not read while it answers; the end of the request notes the end anew.
            guard connection.request.map({ $0.stage == .line || $0.stage == .body }) ?? true
            else { return false }
            // Bytes before the end were announced, and it reads them, a buffer at a time.
            guard TCPReceipt.bytesUnread(in: connection.descriptor) ?? 0 == 0 else { return true }
            shutdown(connection.descriptor, Int32(SHUT_RD))
            return false
        }
    }
}
