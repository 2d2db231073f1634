internal import Access
internal import HTTPFront
internal import Topics

/// Whoever waits for events on one loop, in whatever form: what stands in the loop's table.
///
/// All verbs are called on the loop's thread, while it is in the table or by its reader.
protocol HTTPSubscription: AnyObject {
    /// Where it is in the log.
    var reader: LogReader { get set }

    /// The form in which it is told events, as figures name it.
    var form: DeliveryForm { get }

    /// Whether it receives events, and so counts as a subscriber of the bus.
    var isSubscriber: Bool { get }

    /// The other end of its socket; nil once it is answered.
    var origin: SocketOrigin? { get }

    /// Who asked for it.
    var caller: Caller { get }
    /// Whom it is counted for, while it has joined. The handler's alone to change.
    var account: CallerAccount? { get set }

    /// The rules about access that it was judged by last. The handler's alone to change.
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

    /// Who asked for it may not have it any more: it has to end now.
    func forbidden(_ refusal: Refusal)

    /// The bus is leaving: it has to end now.
    func drain()
}

extension HTTPSubscription {
    var isSubscriber: Bool { true }
}
