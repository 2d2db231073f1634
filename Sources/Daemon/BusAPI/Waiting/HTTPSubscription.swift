internal import Access
internal import HTTPFront
internal import Topics

/// A request that waits for events on one loop, in whatever form: an entry of the loop's table.
///
/// All verbs are called on the loop's thread, while it is in the table or by its reader.
protocol HTTPSubscription: LoopWait {
    /// Where it is in the log.
    var reader: LogReader { get set }

    /// The form in which it is told events, as figures name it.
    var form: DeliveryForm { get }

    /// Whether it receives events, and so counts as a subscriber of the bus.
    var isSubscriber: Bool { get }

    /// The other end of its socket; nil once it is answered.
    var origin: SocketOrigin? { get }

    /// The user or token that asked for it.
    var caller: Caller { get }
    /// The account that counts it, while it is subscribed. For ``Waits`` alone to change.
    var account: CallerAccount? { get set }

    /// The access rules that it was judged by last. For ``Waits`` alone to change.
    var accessNumber: UInt32 { get set }

    /// Where the table keeps it; `nil` while it is not in it. The table's alone to change.
    var place: SubscriptionTable.Place? { get set }

    /// Something was admitted that may concern it: looks at the log, unless it cannot now. `news` has
    /// all of it since the last time; nil where that is not known.
    func advance(_ news: LogNews?)

    /// The topic that its selector is exactly the name of was deleted, at this place in the order.
    func topicRemoved(at place: EventID)

    /// What the longer read of its reader has found, and what was written of it beside the loop; nil
    /// where that is left to the loop.
    func fetched(_ read: Result<LogRead, BusError>, _ made: MadeAnswer?)

    /// Its caller may not have it any more: it has to end now.
    func deny(_ refusal: Refusal)
}

extension HTTPSubscription {
    /// Whether it is in the loop's table.
    var isWaiting: Bool { place != nil }

    var isSubscriber: Bool { true }
}
