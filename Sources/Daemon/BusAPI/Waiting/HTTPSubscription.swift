internal import Access
internal import HTTPFront
internal import Topics

/// A request that waits for events on one loop, in any form: an entry of the loop's table.
///
/// All verbs are called on the loop's thread, while it is in the table or by its reader.
protocol HTTPSubscription: LoopWait {
    /// Its reader, which has its position in the log.
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

    /// Its place in the table; `nil` while it is not in it. For the table alone to change.
    var place: SubscriptionTable.Place? { get set }

    /// Looks at the log, unless it cannot now: events were admitted that may concern it. `news` has
    /// all of them since the last call; nil if they are not known.
    func advance(_ news: LogNews?)

    /// Tells it that its topic was deleted, at this place in the order. Called if its selector is
    /// exactly that topic's name.
    func topicRemoved(at place: EventID)

    /// Gives it the result of its reader's longer read, with the bytes that were made of it beside
    /// the loop; nil if the loop is to make them.
    func fetched(_ read: Result<LogRead, BusError>, _ made: MadeAnswer?)

    /// Ends it now, because its caller may not have it any more.
    func deny(_ refusal: Refusal)
}

extension HTTPSubscription {
    /// Whether it is in the loop's table.
    var isWaiting: Bool { place != nil }

    var isSubscriber: Bool { true }
}
