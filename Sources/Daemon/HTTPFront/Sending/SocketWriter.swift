internal import Glibc

/// The result of one attempt to write.
enum SendResult {
    /// Everything is with the kernel.
    case whole
    /// The kernel took this many bytes, maybe none; more when the peer has read.
    case partly(Int)
    /// Nobody reads any more.
    case failed
}

/// Writes to sockets we hold, without blocking and without SIGPIPE.
enum SocketWriter {
    /// Writes the rest of `head` and `body` behind their first `sent` bytes, at most `bytesMax`
    /// bytes, in one system call.
    static func send(
        head: [UInt8], body: ResponseBody, from sent: Int, atMost bytesMax: Int = .max,
        to descriptor: Int32
    ) -> SendResult {
        // Most writes of streams are one piece without a head.
        if head.isEmpty { return send(body, from: sent, atMost: bytesMax, to: descriptor) }
        return head.withUnsafeBytes { head in
            body.withBytes { body in
                let restOfHead = head.dropFirst(sent)
                let restOfBody = body.dropFirst(max(0, sent - head.count))
                let total = restOfHead.count + restOfBody.count
                return send(
                    UnsafeRawBufferPointer(rebasing: restOfHead),
                    UnsafeRawBufferPointer(
                        rebasing: restOfBody.prefix(max(0, bytesMax - restOfHead.count))),
                    of: total, to: descriptor)
            }
        }
    }

    /// Writes the rest of `body` behind its first `sent` bytes, at most `bytesMax` bytes, in one
    /// system call.
    private static func send(
        _ body: ResponseBody, from sent: Int, atMost bytesMax: Int, to descriptor: Int32
    ) -> SendResult {
        switch body {
        case .empty: return .whole
        case .bytes(let bytes):
            return bytes.withUnsafeBytes {
                send($0, from: sent, atMost: bytesMax, to: descriptor)
            }
        case .shared(let shared):
            defer { withExtendedLifetime(body) {} }
            return send(shared.bytes, from: sent, atMost: bytesMax, to: descriptor)
        }
    }

    /// Writes the rest of `bytes` behind the first `sent`, at most `bytesMax` bytes, in one system
    /// call.
    @inline(__always)
    static func send(
        _ bytes: UnsafeRawBufferPointer, from sent: Int, atMost bytesMax: Int = .max,
        to descriptor: Int32
    ) -> SendResult {
        let total = bytes.count - sent
        guard total > 0, let base = bytes.baseAddress else { return .whole }
        return outcome(
            Glibc.send(descriptor, base + sent, min(total, bytesMax), flags), of: total)
    }

    private static func send(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, of total: Int,
        to descriptor: Int32
    ) -> SendResult {
        guard total > 0 else { return .whole }
        if second.isEmpty {
            return outcome(Glibc.send(descriptor, first.baseAddress, first.count, flags), of: total)
        }
        var parts = (iovec(first), iovec(second))
        let result = withUnsafeMutablePointer(to: &parts) { parts in
            parts.withMemoryRebound(to: iovec.self, capacity: 2) { parts in
                var message = msghdr()
                message.msg_iov = parts
                message.msg_iovlen = 2
                return sendmsg(descriptor, &message, flags)
            }
        }
        return outcome(result, of: total)
    }

    private static var flags: Int32 { Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT) }

    @inline(__always)
    private static func outcome(_ result: Int, of total: Int) -> SendResult {
        if result == total { return .whole }
        if result >= 0 { return .partly(result) }
        return errno == EAGAIN || errno == EINTR || errno == ENOBUFS ? .partly(0) : .failed
    }
}

extension iovec {
    /// sendmsg only reads, though its C type does not say so.
    fileprivate init(_ bytes: UnsafeRawBufferPointer) {
        self.init(
            iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
    }
}
