internal import Protection
public import Telemetry

/// Writes a log to standard error, and holds no thread that logs until somebody reads it.
///
/// A line is written at once, on the thread that logs, if that cannot wait; so nothing is missing
/// after a crash. A file takes every line. Lines that a pipe, a terminal or the journal does not
/// take wait in order for a thread. Beyond a bound lines are lost, counted, and told.
///
/// Does not touch how standard error blocks: other programs write there too.
///
/// Safe from any thread.
public final class LogWriter: Sendable {
    private let outlet: LineOutlet
    private let wakeUp = WakeUp()
    private let ended = WakeUp()
    private let phase = Protected(Phase.idle)

    private enum Phase {
        case idle, running, ending, ended
    }

    /// The log that it writes.
    public let log: Log

    /// A writer of lines in this form.
    ///
    /// - Parameters:
    ///   - descriptor: Standard error, or another descriptor in its place.
    public init(to descriptor: Int32 = 2, form: @escaping Log.Form) {
        let dropped = Counter()
        outlet = LineOutlet(
            LineDescriptor(sharing: descriptor), bytesMax: Limits.logBytesMax, dropped: dropped
        ) { count in
            form(.warning, "\(count) lines of the log are missing here, because nobody took them")
        }
        let (outlet, wakeUp) = (outlet, wakeUp)
        log = Log(
            level: .info,
            sink: { level, text in
                if outlet.add(form(level, text)) { wakeUp.signal() }
            }, room: { outlet.hasRoom }, dropped: dropped)
    }

    /// Begins to write the lines that cannot be written at once. Until then they wait.
    ///
    /// - Throws: when the system has no thread left.
    func start() throws(DaemonError) {
        let isFirst = phase.write { phase in
            guard case .idle = phase else { return false }
            phase = .running
            return true
        }
        guard isFirst else { return }
        do throws(Errno) {
            try OwnedThread { [self] in tend() }.detach()
        } catch {
            phase.value = .idle
            throw DaemonError(detail: "no thread for the log: \(error)")
        }
    }

    /// Writes the waiting lines, for a bounded time, and ends.
    func finish() {
        if !outlet.isEmpty { try? start() }
        guard phase.value == .running else { return }
        phase.value = .ending
        wakeUp.signal()
        ended.wait(milliseconds: Int32(Limits.lastLinesMilliseconds))
        phase.value = .ended
    }

    /// The loop of its thread.
    private func tend() {
        while phase.value != .ended {
            switch outlet.push() {
            case nil:
                if phase.value == .ending { return ended.signal() }
                wakeUp.wait(milliseconds: -1)
            case .written: continue
            case .full: outlet.awaitRoom(milliseconds: Limits.logRetryMilliseconds)
            case .failed:
                if phase.value == .ending { return ended.signal() }
                wakeUp.wait(milliseconds: Limits.logRetryMilliseconds)
            }
        }
    }
}
