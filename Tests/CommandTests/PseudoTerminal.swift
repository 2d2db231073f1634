import Glibc
import TestSupport

/// A terminal without a screen: what a program shows on it, and the keys that a test presses.
final class PseudoTerminal {
    private let ours: Int32
    /// The end that a program gets.
    let theirs: Int32
    private(set) var shown = ""
    /// The same, as it came.
    private(set) var shownBytes: [UInt8] = []

    /// `TIOCSPTLCK` and `TIOCGPTPEER` of ioctl_tty(2), which Swift does not import.
    private static let lock = UInt(0x4004_5431)
    private static let openPeer = UInt(0x5441)

    init(columns: Int, rows: Int) {
        ours = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var isLocked: Int32 = 0
        precondition(ioctl(ours, Self.lock, &isLocked) == 0, "no terminal: errno \(errno)")
        theirs = ioctl(ours, Self.openPeer, O_RDWR | O_NOCTTY | O_CLOEXEC)
        precondition(theirs >= 0, "no terminal: errno \(errno)")
        var size = winsize()
        (size.ws_col, size.ws_row) = (UInt16(columns), UInt16(rows))
        precondition(ioctl(ours, UInt(TIOCSWINSZ), &size) == 0, "no size: errno \(errno)")
    }

    deinit {
        close(ours)
        close(theirs)
    }

    /// Whether it hands on lines and shows keys, as one does that no program has.
    var isAsBefore: Bool {
        var settings = termios()
        tcgetattr(theirs, &settings)
        let line = tcflag_t(ICANON | ECHO)
        return settings.c_lflag & line == line
    }

    func press(_ keys: String) {
        let bytes = Array(keys.utf8)
        precondition(write(ours, bytes, bytes.count) == bytes.count, "errno \(errno)")
    }

    /// Reads until something was shown so often since the last call.
    func wait(for text: String, times: Int = 1) throws {
        shown = ""
        var bytes: [UInt8] = []
        let end = ContinuousClock.now + .seconds(60)
        while shown.ranges(of: text).count < times {
            var entry = pollfd(fd: ours, events: Int16(POLLIN), revents: 0)
            guard ContinuousClock.now < end, poll(&entry, 1, 60_000) > 0 else {
                throw ChildProcess.Failure.timedOut(output: shown, errors: "")
            }
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = read(ours, &buffer, buffer.count)
            guard count > 0 else { throw ChildProcess.Failure.ended(output: shown, errors: "") }
            bytes += buffer[..<count]
            shownBytes = bytes
            shown = String(decoding: bytes, as: UTF8.self)
        }
    }
}
