internal import CLinux

/// How much of what a client sent has been taken out of a socket.
///
/// Bytes taken beyond what the requests so far had are pipelined behind the last one, and sit in
/// libmicrohttpd's buffer, where nobody else can reach them.
enum TCPReceipt {
    /// Bytes read from a TCP connection since it was made; nil where the kernel does not count,
    /// as on unix sockets.
    static func bytesTaken(from descriptor: Int32) -> UInt64? {
        // Unread bytes first: what arrives in between is then counted as taken, never the reverse,
        // and at worst an answer comes early.
        let unread = clinux_unread_bytes(descriptor)
        var receipt = clinux_tcp_receipt()
        guard unread >= 0, clinux_tcp_receipt_get(descriptor, &receipt) == 0 else { return nil }
        // The FIN that ends a stream counts as a received byte, though nobody can read it.
        let received =
            receipt.received - (receipt.received > 0 && finArrived(receipt.state) ? 1 : 0)
        return received < UInt64(unread) ? 0 : received - UInt64(unread)
    }

    /// Bytes that can be read at once; nil when the socket cannot be asked.
    static func bytesUnread(in descriptor: Int32) -> Int? {
        let unread = clinux_unread_bytes(descriptor)
        return unread >= 0 ? Int(unread) : nil
    }

    private static func finArrived(_ state: UInt8) -> Bool {
        switch UInt32(state) {
        case CLINUX_TCP_CLOSE_WAIT.rawValue, CLINUX_TCP_LAST_ACK.rawValue,
            CLINUX_TCP_CLOSING.rawValue, CLINUX_TCP_TIME_WAIT.rawValue:
            true
        default: false
        }
    }
}
