internal import Glibc
internal import Synchronization

/// The log of a program, to which the parts of the bus write lines.
///
/// A line goes to the sink at once, on the calling thread, and whole. Text of a level that is not
/// wanted is never made.
///
/// Does not promise that lines of two threads keep their order.
///
/// Safe from any thread. Do not log under a lock: the sink may block.
public final class Log: Sendable {
    /// Takes one line, without its end.
    public typealias Sink = @Sendable (LogLevel, String) -> Void

    /// Makes a line of a text, with its end.
    public typealias Form = @Sendable (LogLevel, String) -> String

    /// Lines that the sink lost, because nobody took them.
    public let dropped: Counter

    private let sink: Sink
    private let room: @Sendable () -> Bool
    private let threshold: Atomic<Int>

    /// A log of everything as grave as `level` or graver.
    ///
    /// - Parameters:
    ///   - room: Whether the sink takes more than a few lines now.
    ///   - dropped: The counter with which the sink counts lines that it lost.
    public init(
        level: LogLevel, sink: @escaping Sink = Log.standardError,
        room: @escaping @Sendable () -> Bool = { true }, dropped: Counter = Counter()
    ) {
        self.sink = sink
        self.room = room
        self.dropped = dropped
        threshold = Atomic(level.rawValue)
    }

    /// The least grave level that is written; may change at any time.
    public var level: LogLevel {
        get { LogLevel(rawValue: threshold.load(ordering: .relaxed)) ?? .debug }
        set { threshold.store(newValue.rawValue, ordering: .relaxed) }
    }

    /// Whether there is room for lines that can also wait: their writer keeps them until there is.
    public var hasRoom: Bool { room() }

    /// Writes a line of level ``LogLevel/error``.
    public func error(_ text: @autoclosure () -> String) { write(.error, text) }

    /// Writes a line of level ``LogLevel/warning``.
    public func warning(_ text: @autoclosure () -> String) { write(.warning, text) }

    /// Writes a line of level ``LogLevel/notice``.
    public func notice(_ text: @autoclosure () -> String) { write(.notice, text) }

    /// Writes a line of level ``LogLevel/info``.
    public func info(_ text: @autoclosure () -> String) { write(.info, text) }

    /// Writes a line of level ``LogLevel/debug``.
    public func debug(_ text: @autoclosure () -> String) { write(.debug, text) }

    /// A line as a person reads it.
    ///
    /// Control characters are written as `\u{a}`, so that no text can pass for a line of its own.
    public static let plainLine: Form = { _, text in escaped(text) + "\n" }

    /// A line with the priority in front that the journal takes off again (`sd-daemon.h`, `SD_ERR`
    /// and its siblings); control characters as in ``plainLine``.
    public static let journalLine: Form = { level, text in
        "<\(level.rawValue)>\(escaped(text))\n"
    }

    /// Writes lines to standard error in the form of ``plainLine``; waits until somebody reads there.
    public static let standardError: Sink = { level, text in put(plainLine(level, text)) }

    /// Writes lines to standard error in the form of ``journalLine``, as ``standardError`` does.
    public static let journal: Sink = { level, text in put(journalLine(level, text)) }

    private func write(_ level: LogLevel, _ text: () -> String) {
        if level.rawValue <= threshold.load(ordering: .relaxed) { sink(level, text()) }
    }

    /// One `write`, so that lines of two threads are not mixed; where standard error takes only a
    /// part of a line, the rest is lost rather than waited for.
    private static func put(_ line: String) {
        var line = line
        line.withUTF8 { bytes in
            while Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count) < 0, errno == EINTR {}
        }
    }

    private static func escaped(_ text: String) -> String {
        func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }
        guard text.utf8.contains(where: isControl) else { return text }
        return text.unicodeScalars.reduce(into: "") { line, scalar in
            if scalar.value < 0x80, isControl(UInt8(scalar.value)) {
                line += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                line.unicodeScalars.append(scalar)
            }
        }
    }
}
