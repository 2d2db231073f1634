internal import Glibc

/// Reads what nobody wants any more.
enum LingeringReader {
    /// What became of it.
    enum Outcome: Equatable {
        /// The peer may send more; so many bytes were thrown away.
        case open(Int)
        /// The stream has ended, or is broken.
        case ended
    }

    /// Throws away what has arrived, up to a maximum of bytes.
    @discardableResult
    static func discard(from descriptor: Int32, bytesMax: Int) -> Outcome {
        withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 16) { scratch in
            var discarded = 0
            while discarded < bytesMax {
                let count = recv(
                    descriptor, scratch.baseAddress, scratch.count, Int32(MSG_DONTWAIT))
                if count > 0 {
                    discarded += count
                } else if count < 0, errno == EINTR {
                    continue
                } else if count < 0, errno == EAGAIN {
                    break
                } else {
                    return .ended
                }
            }
            return .open(discarded)
        }
    }
}
