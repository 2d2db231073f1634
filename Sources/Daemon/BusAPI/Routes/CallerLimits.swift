internal import HTTPFront
internal import Topics

/// What one caller may take of the bus, so that none can use it up. Root and the bus's own user
/// are callers like others: what runs away most easily on a machine runs as one of them.
extension BusHandler {
    /// Refuses one more waiting request where there are as many as there may be.
    func refuseIfFull(for account: CallerAccount) throws(Refusal) {
        let waitingMax = configuration.subscribersMax
        guard service.waiting.value < waitingMax else {
            throw Refusal(
                .limitBus,
                "\(waitingMax) requests are waiting already (poll.subscribers in belfryd.conf); try again "
                    + "later.")
        }
        let callerMax = configuration.subscribersPerUIDMax
        guard account.subscribers.value < callerMax else {
            throw Refusal(
                .limitCaller,
                "\(account.name) may have \(callerMax) waiting requests, and has "
                    + "(poll.subscribers_per_uid in belfryd.conf); end some first.")
        }
    }

    /// Refuses one more subscription where there are as many as there may be.
    func refuseIfFull(_ selector: Selector, for account: CallerAccount) throws(Refusal) {
        try refuseIfFull(for: account)
        guard subscriptions.hasRoom(for: selector) else {
            throw Refusal(
                .limitBus,
                "The patterns and lists of waiting requests fill their share of memory (a quarter of "
                    + "bus.memory_bytes in belfryd.conf): use a pattern that matches more, or try "
                    + "again later.")
        }
        if let topicMax = configuration.subscribersPerTopicMax, let topic = selector.singleName,
            bus.subscriptions(to: topic) >= topicMax
        {
            throw Refusal(
                .limitBus,
                "\(topicMax) requests are waiting for '\(topic)' already (poll.subscribers_per_topic in "
                    + "belfryd.conf); try again later.")
        }
    }

    /// Counts bytes of a caller that are about to wait for the store, until their wait is over.
    ///
    /// - Throws: `LIMIT_CALLER` when too many of theirs wait already; one batch always may.
    func queue(_ bytes: Int, for account: CallerAccount) throws(Refusal) -> QueuedBytes {
        let queued = QueuedBytes(bytes, of: account)
        let all = account.queuedBytes.add(bytes)
        guard all <= configuration.queuedBytesPerUIDMax || all == bytes else {
            queued.end()
            throw Refusal(
                .limitCaller,
                "\(account.name) may have \(configuration.queuedBytesPerUIDMax) bytes that wait for "
                    + "the store (bus.commit_queue_bytes_per_uid in belfryd.conf), and this would be "
                    + "more; wait for answers first.")
        }
        return queued
    }
}

/// Bytes of a caller that wait for the store.
struct QueuedBytes: Sendable {
    private let account: CallerAccount
    private let bytes: Int

    fileprivate init(_ bytes: Int, of account: CallerAccount) {
        self.account = account
        self.bytes = bytes
    }

    /// They wait no more. Called once, from any thread.
    func end() { account.queuedBytes.add(-bytes) }
}
