internal import Glibc
internal import Protection

/// The terminal while `belfry top` has it: a screen of its own without a cursor, and keys that come one
/// at a time and are not shown.
final class Terminal: Sendable {
    private let before: termios

    /// Takes the terminal over; nil where input or output is none.
    init?() {
        var settings = termios()
        guard Output.standard.isTerminal, tcgetattr(STDIN_FILENO, &settings) == 0 else {
            return nil
        }
        before = settings
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        withUnsafeMutableBytes(of: &settings.c_cc) { keys in
            // None of these keys (0): a screen that is left behind would not be put back.
            for key in [VSUSP, VQUIT] { keys[Int(key)] = 0 }
        }
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        Output.standard.write(.ownScreen)
    }

    /// Gives it back as it was.
    func restore() {
        Output.standard.write(.usualScreen)
        try? Output.standard.flush()
        var settings = before
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }

    /// Its width and height now.
    var size: (columns: Int, rows: Int) {
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0
        return isKnown && size.ws_col > 0 && size.ws_row > 0
            ? (Int(size.ws_col), Int(size.ws_row)) : (80, 24)
    }

    /// Shows lines in place of those before, without a moment in which there are none.
    func show(_ lines: [String]) throws(CommandFailure) {
        Output.standard.write(.home)
        for (index, line) in lines.enumerated() {
            Output.standard.write(index > 0 ? "\r\n\(line)" : line)
            Output.standard.write(.clearLine)
        }
        Output.standard.write(.clearBelow)
        try Output.standard.flush()
    }

    /// Calls `body` with each key, on a thread of its own, for the rest of the process; with nil where
    /// no more can come.
    static func keys(_ body: @escaping @Sendable (UInt8?) -> Void) throws(Errno) {
        try OwnedThread {
            while true {
                var key: UInt8 = 0
                let count = read(STDIN_FILENO, &key, 1)
                if count < 0, errno == EINTR { continue }
                body(count == 1 ? key : nil)
                if count != 1 { return }
            }
        }.detach()
    }
}
