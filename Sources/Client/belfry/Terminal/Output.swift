internal import Glibc
internal import JSON
internal import Protection
internal import Topics

extension Payload {
    /// Whether a person can read it: UTF-8 without a zero byte.
    var isText: Bool { UTF8Text.isValid(bytes) && !bytes.contains(0) }
}

/// Standard output or standard error, gathered into large writes.
///
/// To a terminal goes printable text alone, from any source (``TerminalText``), and the controls of
/// the command itself (``TerminalControl``). To everything else bytes go as they are.
///
/// Safe from any thread.
final class Output: Sendable {
    static let standard = Output(STDOUT_FILENO)
    static let errors = Output(STDERR_FILENO)

    private struct State {
        var gathered: [UInt8] = []
        /// Whether a terminal gets bytes as they are.
        var isRaw = false
    }

    /// Whether a person looks at it.
    let isTerminal: Bool
    private let descriptor: Int32
    private let state = Protected(State())

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
    }

    /// Has a terminal get bytes as they are from now on.
    func beRaw() { state.write { $0.isRaw = true } }

    func write(_ text: String, _ escapes: TerminalText.Escapes = .plain) {
        var text = text
        text.withUTF8 { write(UnsafeRawBufferPointer($0), escapes) }
    }

    /// Adds bytes. Each piece is checked by itself: its last bytes and the first of the next one
    /// make no character together.
    func write(_ bytes: UnsafeRawBufferPointer, _ escapes: TerminalText.Escapes = .plain) {
        state.write { state in
            guard isTerminal, !state.isRaw else {
                state.gathered.append(contentsOf: bytes)
                return
            }
            state.gathered.append(contentsOf: TerminalText.printable(bytes, escapes))
        }
    }

    /// Adds the payload of an event. Of a large one that is no text a terminal gets the size:
    /// written out it would be three times as long, and say nothing.
    func write(_ payload: Payload) {
        let isHidden =
            isTerminal && !state.value.isRaw && payload.count > Limits.shownBinaryBytesMax
            && !payload.isText
        guard isHidden else { return write(payload.bytes) }
        write("(\(payload.count) bytes that are no text: --raw prints them)")
    }

    /// Tells the user something on standard error. It is one line, from any source of the words.
    static func say(_ sentence: String) {
        errors.write("belfry: \(TerminalText.line(sentence))\n")
        try? errors.flush()
    }

    /// Adds one object of JSON, as a line.
    func write(json: String) { write(json + "\n", .json) }

    /// Has the terminal do something; nothing where there is none.
    func write(_ control: TerminalControl) {
        guard isTerminal else { return }
        state.write { $0.gathered.append(contentsOf: control.rawValue.utf8) }
    }

    /// Whether so much is there that it should go before more is added.
    var isFull: Bool { state.write { $0.gathered.count >= 64 << 10 } }

    /// Hands everything to the system.
    func flush() throws(CommandFailure) {
        var rest = state.write { state in
            var taken: [UInt8] = []
            swap(&taken, &state.gathered)
            return taken
        }[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
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

/// The controls of the command itself: the only escapes that reach a terminal (ECMA-48, xterm).
enum TerminalControl: String {
    case dim = "\u{1B}[2m"
    case bold = "\u{1B}[1m"
    /// Neither dim nor bold.
    case plain = "\u{1B}[0m"
    /// Back to the beginning of the line.
    case lineStart = "\r"
    /// Empties the line from here.
    case clearLine = "\u{1B}[K"
    /// Empties the screen from here.
    case clearBelow = "\u{1B}[J"
    /// To the first place of the screen.
    case home = "\u{1B}[H"
    /// A screen of its own, without a cursor, on which long lines are cut.
    case ownScreen = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
    /// The screen from before.
    case usualScreen = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
}
