internal import Glibc
internal import HTTPFront
internal import Protection
internal import Telemetry
internal import Topics

/// Writes a line of JSON for each request that has ended, to the log or to a file of its own.
///
/// Loops leave records and go on; a thread writes them ten times a second. What comes faster than
/// it can be written is dropped beyond a bound, counted, and told by a line of its own.
///
/// Safe from any thread.
final class AccessLog: AccessSink {
    private let log: Log
    private let state = Protected(State())
    private let writer = Protected<PeriodicThread?>(nil)
    /// Records that were dropped, or could not be written.
    let dropped = Counter()

    private struct State {
        var records: [(time: Timestamp, record: AccessRecord)] = []
        var bytes = 0
        var dropped = 0
        var target = Target.none
        var isFailing = false
    }

    /// Where lines go. The file closes with its last user.
    private enum Target {
        case none, log
        case file(LogFile)
    }

    init(log: Log) {
        self.log = log
    }

    /// Writes to this place from now on, and to a file of this name anew, so that one that was moved
    /// away is left alone.
    ///
    /// - Throws: when the file cannot be opened; then all stays as it was.
    func use(_ destination: Configuration.AccessLogDestination) throws(DaemonError) {
        let target: Target =
            switch destination {
            case .none: .none
            case .log: .log
            case .file(let path): .file(try LogFile(path))
            }
        flush()
        state.write { $0.target = target }
        if destination == .none {
            stop()
        } else if writer.read({ $0 == nil }) {
            let thread = try PeriodicThread(everyMilliseconds: Limits.accessLogMilliseconds) {
                [weak self] in self?.flush()
            }
            writer.value = thread
        }
    }

    /// Writes what is there and ends.
    func stop() {
        let thread = writer.write { writer in
            defer { writer = nil }
            return writer
        }
        thread?.stop()
        flush()
    }

    /// Ends, and leaves nothing open; what comes later goes nowhere.
    func close() {
        stop()
        state.write { $0.target = .none }
    }

    /// Whether its thread runs.
    var isRunning: Bool { writer.read { $0 != nil } }

    func ended(_ record: AccessRecord) {
        let bytes = Limits.accessRecordBytes + record.path.utf8.count + record.method.utf8.count
        let time = SystemClock().now()
        state.write { state in
            guard state.bytes + bytes <= Limits.accessLogBytesMax else {
                state.dropped += 1
                return
            }
            state.bytes += bytes
            state.records.append((time, record))
        }
    }

    /// Writes what has come since the last time.
    func flush() {
        let (records, missing, target) = state.write { state in
            defer {
                state.records = []
                state.bytes = 0
                state.dropped = 0
            }
            return (state.records, state.dropped, state.target)
        }
        var lines = records.map { AccessLine.text(of: $1, at: $0) }
        if missing > 0 {
            dropped.add(missing)
            lines.append(AccessLine.text(ofDropped: missing, at: SystemClock().now()))
        }
        guard !lines.isEmpty else { return }
        switch target {
        case .none: break
        case .log: for line in lines { log.info(line) }
        case .file(let file): write(lines, to: file)
        }
    }

    private func write(_ lines: [String], to file: LogFile) {
        let isFailing = !file.write(lines.joined(separator: "\n") + "\n")
        if isFailing { dropped.add(lines.count) }
        let wasFailing = state.write { state in
            defer { state.isFailing = isFailing }
            return state.isFailing
        }
        if isFailing, !wasFailing { log.warning("the access log \(file.path) cannot be written") }
    }
}

/// A file that lines are added to.
final class LogFile: Sendable {
    let path: String
    private let descriptor: Int32

    /// Opens the file, or makes it, readable for its group.
    init(_ path: String) throws(DaemonError) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o640)
        guard descriptor >= 0 else {
            throw DaemonError(
                detail: "the access log \(path) cannot be opened: \(Errno.last) "
                    + "(the key is daemon.access_log)")
        }
    }

    deinit {
        close(descriptor)
    }

    /// Adds text; false where not all of it could be written.
    func write(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
