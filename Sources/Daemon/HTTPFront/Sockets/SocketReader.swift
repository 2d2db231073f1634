internal import Glibc

/// Reads sockets that we hold, without blocking, into one buffer for all of a loop's.
///
/// Bytes that a verb returns are valid until the next one. Confined to its loop's thread.
final class SocketReader {
    /// The result of throwing input away.
    enum Discarded: Equatable {
        /// The peer may send more; so many bytes were thrown away.
        case open(Int)
        /// The stream has ended, or is broken.
        case ended
    }

    private let bytes: UnsafeMutableRawBufferPointer

    init() {
        bytes = .allocate(byteCount: HTTPFrontLimits.receiveBufferBytes, alignment: 16)
    }

    deinit {
        bytes.deallocate()
    }

    /// The bytes that can be read, as far as there is room for them; they stay in the socket. Nil
    /// at the end of the stream.
    func peek(into descriptor: Int32) -> UnsafeRawBufferPointer? {
        let count = receive(bytes.count, from: descriptor, flags: MSG_PEEK)
        if count == 0 || count < 0 && errno != EAGAIN { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[..<max(0, count)])
    }

    /// Takes bytes that were looked at out of the socket; false when they cannot be had.
    func take(_ count: Int, from descriptor: Int32) -> Bool {
        // A TCP socket then does not copy them again.
        receive(count, from: descriptor, flags: MSG_TRUNC) == count
    }

    /// Reads the bytes that have come, at most `bytesMax`; empty for none, nil at the end of the
    /// stream.
    func read(
        from descriptor: Int32, atMost bytesMax: UInt64 = .max
    ) -> UnsafeMutableRawBufferPointer? {
        let count = receive(Int(min(UInt64(bytes.count), bytesMax)), from: descriptor)
        if count == 0 || count < 0 && errno != EAGAIN { return nil }
        return UnsafeMutableRawBufferPointer(rebasing: bytes[..<max(0, count)])
    }

    /// Whether a reading that brought so many bytes could have brought more.
    func hasRoom(beside count: Int) -> Bool { count < bytes.count }

    /// Throws away the bytes that have come, up to a maximum.
    @discardableResult
    func discard(from descriptor: Int32, bytesMax: Int) -> Discarded {
        var discarded = 0
        while discarded < bytesMax, let read = read(from: descriptor) {
            if read.isEmpty { return .open(discarded) }
            discarded += read.count
        }
        return discarded < bytesMax ? .ended : .open(discarded)
    }

    private func receive(_ count: Int, from descriptor: Int32, flags: Int = 0) -> Int {
        while true {
            let received = recv(
                descriptor, bytes.baseAddress, count, Int32(flags | MSG_DONTWAIT))
            if received >= 0 || errno != EINTR { return received }
        }
    }
}
