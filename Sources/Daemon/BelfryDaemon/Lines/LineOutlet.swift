internal import Protection
internal import Telemetry

/// Lines for one place, written as they come, or as soon as somebody reads there.
///
/// No call waits, unless it says so. Beyond a bound lines are lost, counted, and told by a line in
/// their place once half of the bound is free again.
///
/// Safe from any thread.
final class LineOutlet: Sendable {
    private let file: any LineFile
    private let queue: Protected<LineQueue>
    private let dropped: Counter
    private let tell: @Sendable (Int) -> String

    /// - Parameters:
    ///   - dropped: Counts lines that are lost.
    ///   - tell: The line that says how many are, with its end.
    init(
        _ file: any LineFile, bytesMax: Int, dropped: Counter,
        tell: @escaping @Sendable (Int) -> String
    ) {
        self.file = file
        self.dropped = dropped
        self.tell = tell
        queue = Protected(LineQueue(bytesMax: bytesMax, isLeftToTender: file.mayWait))
    }

    deinit {
        _ = pushAll()
        abandon()
    }

    /// Whether lines that can wait elsewhere should come.
    var hasRoom: Bool { queue.read { $0.hasRoom } }

    /// Whether nothing waits.
    var isEmpty: Bool { queue.read { $0.isEmpty } }

    /// Adds lines, each with its end, and writes them unless others wait before them.
    ///
    /// - Returns: Whether a thread is to call ``push()`` until that returns nil.
    @discardableResult
    func add(_ lines: String) -> Bool {
        dropped.add(queue.write { $0.add(lines) })
        if let bytes = queue.write({ $0.takeInPassing(atMost: file.bytesAtOnce) }) {
            _ = write(bytes)
        }
        return queue.write { $0.needsTender() }
    }

    /// Writes a part of the waiting bytes; nil if none wait, or another thread writes them.
    func push() -> LineProgress? {
        queue.write { $0.take(atMost: file.bytesAtOnce) }.map(write)
    }

    /// Writes all that goes in now.
    func pushAll() -> LineProgress? {
        while true {
            switch push() {
            case .written: continue
            case let last: return last
            }
        }
    }

    /// Waits until more goes in.
    func awaitRoom(milliseconds: Int32) {
        file.awaitRoom(milliseconds: milliseconds)
    }

    /// Writes the waiting lines, for so long at most, and gives up the rest.
    func finish(withinMilliseconds milliseconds: Int) {
        let end = MonotonicClock.milliseconds() + UInt64(milliseconds)
        while pushAll() == .full {
            let now = MonotonicClock.milliseconds()
            guard now < end else { break }
            awaitRoom(milliseconds: Int32(end - now))
        }
        abandon()
    }

    /// Leaves the waiting lines to the next outlet of the same file.
    func handOver(to next: LineOutlet) {
        let waiting = queue.write { $0.abandon() }
        if !waiting.isEmpty { next.add(String(decoding: waiting, as: UTF8.self)) }
    }

    private func abandon() {
        let waiting = queue.write { $0.abandon() }
        dropped.add(LineQueue.lines(in: waiting))
    }

    private func write(_ bytes: [UInt8]) -> LineProgress {
        let progress = file.write(bytes)
        let missing = queue.write { queue in
            if case .written(let count) = progress { return queue.wrote(count, isBlocked: false) }
            return queue.wrote(0, isBlocked: true)
        }
        if missing > 0 {
            let line = tell(missing)
            dropped.add(queue.write { $0.add(line) })
        }
        return progress
    }
}
