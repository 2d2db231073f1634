/// A request that waits on one loop.
///
/// All verbs are called on the loop's thread.
protocol LoopWait: AnyObject {
    /// Whether it still waits to be answered or told something.
    var isWaiting: Bool { get }

    /// Judges it because rules or tokens have changed: it ends if they do not let its caller wait.
    func reauthorize()

    /// Ends it now, because the bus is leaving.
    func drain()
}
