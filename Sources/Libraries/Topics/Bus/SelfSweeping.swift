internal import Dispatch
internal import Protection

/// The care that a bus takes of itself: it is swept at a steady pace until that is stopped, or the
/// bus is gone.
///
/// On a dispatch queue, which costs no thread while nothing is due. The daemon sweeps by a thread of
/// its own instead, because its service may not set priorities as Dispatch does.
final class SelfSweeping: Sendable {
    private let running = Protected<(queue: DispatchQueue, timer: any DispatchSourceTimer)?>(nil)

    /// Begins after the first interval; called once.
    func start(_ bus: EventBus, everyMilliseconds interval: Int) {
        let queue = DispatchQueue(label: "belfry.sweep", qos: .utility)
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(
            deadline: .now() + .milliseconds(interval), repeating: .milliseconds(interval),
            leeway: .milliseconds(interval / 10))
        // Weak: the bus owns its care.
        timer.setEventHandler { [weak bus] in bus?.sweep() }
        timer.activate()
        running.value = (queue, timer)
    }

    /// When this returns, no sweep runs and none will begin; not to be called by a sweep.
    func stop() {
        guard let (queue, timer) = take() else { return }
        timer.cancel()
        queue.sync {}
    }

    /// Does not wait: the last hold on the bus may be that of a sweep.
    deinit { take()?.timer.cancel() }

    private func take() -> (queue: DispatchQueue, timer: any DispatchSourceTimer)? {
        running.write { running in
            defer { running = nil }
            return running
        }
    }
}
