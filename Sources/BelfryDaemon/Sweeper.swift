internal import Dispatch

/// Calls something at a steady pace on a queue of its own, until it is stopped.
final class Sweeper: Sendable {
    private let queue = DispatchQueue(label: "belfry.sweeper", qos: .utility)
    // nonisolated(unsafe): a dispatch source is safe from any thread, its protocol does not say so.
    private nonisolated(unsafe) let timer: any DispatchSourceTimer

    /// Begins after the first interval. An interval may stretch by a quarter, so that the machine
    /// need not wake for this alone.
    init(every seconds: Int, _ work: @escaping @Sendable () -> Void) {
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(
            deadline: .now() + .seconds(seconds), repeating: .seconds(seconds),
            leeway: .milliseconds(seconds * 250))
        timer.setEventHandler(handler: work)
        timer.activate()
    }

    deinit {
        timer.cancel()
    }

    /// When this returns, no call runs and none will begin. Not to be called by the work itself.
    func stop() {
        timer.cancel()
        queue.sync {}
    }
}
