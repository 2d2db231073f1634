internal import Protection

/// A thread that calls something at a steady pace, until it is stopped.
///
/// A plain thread and not a dispatch timer: the workers of Dispatch set their own priority, which
/// a hardened service may not, and say so on standard error.
final class PeriodicThread: Sendable {
    private let thread: Protected<OwnedThread?>
    private let end = WakeUp()

    /// Begins after the first interval.
    ///
    /// - Throws: when the system has no thread left.
    init(everyMilliseconds milliseconds: Int, _ work: @escaping @Sendable () -> Void)
        throws(DaemonError)
    {
        do throws(Errno) {
            let thread = try OwnedThread { [end] in
                while !end.wait(milliseconds: Int32(milliseconds)) { work() }
            }
            self.thread = Protected(thread)
        } catch {
            throw DaemonError(detail: "no thread for periodic work: \(error)")
        }
    }

    deinit {
        stop()
    }

    /// When this returns, no call runs and none will begin; a second call does nothing. Not to be
    /// called by the task that the thread calls.
    func stop() {
        let running = thread.write { thread in
            defer { thread = nil }
            return thread
        }
        guard let running else { return }
        end.signal()
        running.join()
    }
}
