internal import Glibc

/// Reads a descriptor.
struct ByteInput {
    private let descriptor: Int32

    /// Standard input.
    static let standard = ByteInput(STDIN_FILENO)

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Whether a person types it.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Waits for the next bytes, and appends them.
    ///
    /// - Returns: Their number; 0 at the end, nil if the descriptor cannot be read.
    func read(into bytes: inout [UInt8]) -> Int? {
        withUnsafeTemporaryAllocation(byteCount: 256 << 10, alignment: 16) { buffer in
            var count = 0
            repeat {
                count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            } while count < 0 && errno == EINTR
            guard count >= 0 else { return nil }
            bytes.append(contentsOf: buffer[..<count])
            return count
        }
    }

    /// Whether something more comes, or the end, within so many milliseconds and before anything comes
    /// from `other`; -1 is for ever.
    func isReady(withinMilliseconds bound: Int32 = -1, before other: ByteInput) -> Bool {
        var entries = [descriptor, other.descriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        while poll(&entries, 2, bound) < 0 {
            guard errno == EINTR else { return false }
        }
        return entries[0].revents != 0 && entries[1].revents == 0
    }

    /// Everything up to the end; nil if the descriptor cannot be read.
    func all() -> [UInt8]? {
        var bytes: [UInt8] = []
        while let count = read(into: &bytes) { if count == 0 { return bytes } }
        return nil
    }
}
