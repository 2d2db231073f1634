internal import Glibc
internal import Protection

/// Standard output, gathered into large writes.
final class Output: Sendable {
    static let standard = Output()

    private let gathered = Protected<[UInt8]>([])

    /// Whether a person looks at it.
    static let isTerminal = isatty(STDOUT_FILENO) == 1

    func write(_ text: String) { gathered.write { $0.append(contentsOf: text.utf8) } }

    func write(_ bytes: UnsafeRawBufferPointer) { gathered.write { $0.append(contentsOf: bytes) } }

    /// Whether so much is there that it should go before more is added.
    var isFull: Bool { gathered.write { $0.count >= 64 << 10 } }

    /// Hands everything to the system.
    func flush() throws(CommandFailure) {
        var rest = gathered.write { gathered in
            var taken: [UInt8] = []
            swap(&taken, &gathered)
            return taken
        }[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw CommandFailure(
                    .file, "standard output cannot be written: \(TextFile.lastError)")
            }
        }
    }
}
