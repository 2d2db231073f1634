/// Something that waits on one loop.
///
/// All verbs are called on the loop's thread.
protocol LoopWait: AnyObject {
    /// Whether it still waits to be answered or told something.
    var isWaiting: Bool { get }

    /// Rules or tokens have changed: it ends where they do not let its caller wait any more.
    func judge()

    /// The bus is leaving: it has to end now.
    func drain()
}
