internal import HTTPFront
internal import Protection
internal import Telemetry
internal import Topics

/// Writes a line of JSON for each request that has ended, to the log or to a file of its own.
///
/// Loops leave records and go on; a thread writes them ten times a second, and waits for no reader.
/// Records that come faster than they are taken are dropped beyond a bound, counted, and told by a
/// line of their own.
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

    /// The destination of lines. The file closes with its last user.
    private enum Target {
        case none, log
        case file(String, LineOutlet)
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
            case .file(let path): .file(path, outlet(try LogFile(path)))
            }
        flush()
        let old = state.write { state in
            defer { state.target = target }
            return state.target
        }
        if case .file(let before, let outlet) = old, case .file(let path, let next) = target,
            before == path
        {
            outlet.handOver(to: next)
        } else {
            state.write { $0.isFailing = false }
        }
        if destination == .none {
            stop()
        } else if writer.read({ $0 == nil }) {
            let thread = try PeriodicThread(everyMilliseconds: Limits.accessLogMilliseconds) {
                [weak self] in self?.flush()
            }
            writer.value = thread
        }
    }

    private func outlet(_ file: LogFile) -> LineOutlet {
        LineOutlet(file, bytesMax: Limits.logBytesMax, dropped: dropped) { count in
            AccessLine.text(ofDropped: count, at: SystemClock().now()) + "\n"
        }
    }

    /// Writes the records that are there and ends. Lines that nobody takes for a while are dropped.
    func stop() {
        let thread = writer.write { writer in
            defer { writer = nil }
            return writer
        }
        thread?.stop()
        flush()
        if case .file(_, let outlet) = state.read({ $0.target }) {
            outlet.finish(withinMilliseconds: Limits.lastLinesMilliseconds)
            flush()
        }
    }

    /// Ends, and leaves nothing open. Later records go nowhere.
    func close() {
        stop()
        let left = state.write { state in
            state.target = .none
            defer { state.records = [] }
            return state.records.count
        }
        dropped.add(left)
    }

    /// Whether its thread runs.
    var isRunning: Bool { writer.read { $0 != nil } }

    func ended(_ record: AccessRecord) {
        let bytes = Self.bytes(of: record)
        let time = SystemClock().now()
        let isTaken = state.write { state in
            guard state.bytes + bytes <= Limits.accessLogBytesMax else {
                state.dropped += 1
                return false
            }
            state.bytes += bytes
            state.records.append((time, record))
            return true
        }
        if !isTaken { dropped.add() }
    }

    private static func bytes(of record: AccessRecord) -> Int {
        Limits.accessRecordBytes + record.path.utf8.count + record.method.utf8.count
    }

    /// Writes the records that have come since the last time, as far as somebody takes them.
    func flush() {
        let target = state.read { $0.target }
        var progress = push(target)
        var rest = state.write { state in
            defer { state.records = [] }
            return state.records[...]
        }
        while !rest.isEmpty, hasRoom(target) {
            var (count, bytes) = (0, 0)
            while count < rest.count, bytes < Limits.lineBytesAtOnce {
                bytes += Self.bytes(of: rest[rest.startIndex + count].record)
                count += 1
            }
            write(rest.prefix(count).map { AccessLine.text(of: $1, at: $0) }, to: target)
            progress = push(target)
            rest = rest.dropFirst(count)
            state.write { [bytes] in $0.bytes -= bytes }
        }
        let missing = state.write { [rest] state in
            guard rest.isEmpty else {
                state.records.insert(contentsOf: rest, at: 0)
                return 0
            }
            defer { state.dropped = 0 }
            return state.dropped
        }
        if missing > 0 {
            write([AccessLine.text(ofDropped: missing, at: SystemClock().now())], to: target)
            progress = push(target)
        }
        if case .file(let path, let outlet) = target { note(progress, of: outlet, path) }
    }

    private func write(_ lines: [String], to target: Target) {
        switch target {
        case .none: break
        case .log: for line in lines { log.info(line) }
        case .file(_, let outlet): outlet.add(lines.map { "\($0)\n" }.joined())
        }
    }

    private func push(_ target: Target) -> LineProgress? {
        if case .file(_, let outlet) = target { outlet.pushAll() } else { nil }
    }

    private func hasRoom(_ target: Target) -> Bool {
        switch target {
        case .none: true
        case .log: log.hasRoom
        case .file(_, let outlet): outlet.hasRoom
        }
    }

    /// Says once that a file fails or that its lines are lost, and that all of them are written again.
    private func note(_ progress: LineProgress?, of outlet: LineOutlet, _ path: String) {
        let isWritten = outlet.isEmpty
        let (wasFailing, isFailing) = state.write { state in
            let before = state.isFailing
            if isWritten {
                state.isFailing = false
            } else if case .failed = progress {
                state.isFailing = true
            } else if state.dropped > 0 {
                state.isFailing = true
            }
            return (before, state.isFailing)
        }
        if isFailing, !wasFailing { log.warning("the access log \(path) cannot be written") }
        if !isFailing, wasFailing { log.notice("the access log \(path) is written again") }
    }
}
