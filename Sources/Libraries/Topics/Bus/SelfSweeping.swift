internal import Dispatch
internal import Protection

/// A timer that sweeps its owner, a bus or its work groups, at a steady pace until it is stopped or
/// the owner is gone.
///
/// It uses a dispatch queue, which costs no thread while nothing is due. The daemon sweeps by a
/// thread of its own instead, because its service may not set priorities as Dispatch does.
package final class SelfSweeping: Sendable {
    private let running = Protected<(queue: DispatchQueue, timer: any DispatchSourceTimer)?>(nil)

    package init() {}

    /// Begins after the first interval; called once.
    ///
    /// - Parameter sweep: Holds the owner weakly, because the owner holds this timer.
    package func start(everyMilliseconds interval: Int?, _ sweep: @escaping @Sendable () -> Void) {
        let interval = interval ?? Limits.sweepMilliseconds
        let queue = DispatchQueue(label: "belfry.sweep", qos: .utility)
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(
            deadline: .now() + .milliseconds(interval), repeating: .milliseconds(interval),
            leeway: .milliseconds(interval / 10))
        timer.setEventHandler(handler: sweep)
        timer.activate()
        running.value = (queue, timer)
    }

    /// When this returns, no sweep runs and none will begin; not to be called by a sweep.
    package func stop() {
        guard let (queue, timer) = take() else { return }
        timer.cancel()
        queue.sync {}
    }

    /// Does not wait for a sweep, because that may hold the last reference to the owner.
    deinit { take()?.timer.cancel() }

    private func take() -> (queue: DispatchQueue, timer: any DispatchSourceTimer)? {
        running.write { running in
            defer { running = nil }
            return running
        }
    }
}
