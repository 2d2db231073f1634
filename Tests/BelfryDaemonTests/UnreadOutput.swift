import Glibc

/// What a program writes to and nobody reads: it is full from the beginning.
final class UnreadOutput {
    enum Kind: CaseIterable {
        /// A pager that is paused.
        case pipe
        /// A journal that hangs.
        case socket
        /// A terminal behind Ctrl-S.
        case terminal
    }

    private let ours: Int32
    /// The end that a program gets.
    let theirs: Int32
    /// The bytes that it was filled with.
    let filling: Int

    /// `TIOCSPTLCK` and `TIOCGPTPEER` of ioctl_tty(2), which Swift does not import.
    private static let lock = UInt(0x4004_5431)
    private static let openPeer = UInt(0x5441)

    init(_ kind: Kind) {
        (ours, theirs) =
            switch kind {
            case .pipe: Self.pair { pipe($0) }
            case .socket:
                Self.pair {
                    // From their end to ours, as a pipe has them.
                    socketpair(
                        AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, $0)
                }
            case .terminal: Self.terminal()
            }
        filling = Self.fill(theirs)
    }

    deinit {
        close(ours)
        close(theirs)
    }

    private static func pair(_ make: (UnsafeMutablePointer<Int32>) -> Int32) -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        precondition(make(&ends) == 0, "no pipe or socket: errno \(errno)")
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func terminal() -> (Int32, Int32) {
        let ours = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var isLocked: Int32 = 0
        precondition(ioctl(ours, lock, &isLocked) == 0, "no terminal: errno \(errno)")
        let theirs = ioctl(ours, openPeer, O_RDWR | O_NOCTTY | O_CLOEXEC)
        precondition(theirs >= 0, "no terminal: errno \(errno)")
        return (ours, theirs)
    }

    /// Writes until nothing more goes in; the program finds a description that blocks.
    private static func fill(_ descriptor: Int32) -> Int {
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
        defer { _ = fcntl(descriptor, F_SETFL, flags) }
        var sum = 0
        for size in [4_096, 1] {
            let bytes = [UInt8](repeating: UInt8(ascii: "."), count: size)
            while true {
                let count = write(descriptor, bytes, size)
                guard count > 0 else { break }
                sum += count
            }
        }
        return sum
    }

    /// Whether its description blocks, which programs share that have the same terminal.
    var blocks: Bool { fcntl(theirs, F_GETFL) & O_NONBLOCK == 0 }

    /// Reads until a line with these words came; all that came behind what it was filled with.
    func read(until words: String) throws -> String {
        var bytes: [UInt8] = []
        while true {
            var entry = pollfd(fd: ours, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 60_000) > 0 else { throw SocketFailure(code: ETIMEDOUT) }
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            let count = Glibc.read(ours, &buffer, buffer.count)
            guard count > 0 else { throw SocketFailure(code: errno) }
            bytes += buffer[..<count]
            let text = String(decoding: bytes.drop { $0 == UInt8(ascii: ".") }, as: UTF8.self)
            if bytes.last == UInt8(ascii: "\n"), text.contains(words) { return text }
        }
    }
}
