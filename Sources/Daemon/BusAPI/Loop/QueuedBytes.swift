internal import HTTPFront

/// Bytes of a caller that wait for the store.
struct QueuedBytes: Sendable {
    private let account: CallerAccount
    private let bytes: Int

    /// Counts so many bytes more for their caller, until ``end()``.
    ///
    /// - Throws: `LIMIT_CALLER` when more than `bytesMax` would wait; one batch always may.
    init(_ bytes: Int, of account: CallerAccount, atMost bytesMax: Int) throws(Refusal) {
        self.account = account
        self.bytes = bytes
        let all = account.queuedBytes.add(bytes)
        guard all <= bytesMax || all == bytes else {
            end()
            throw Refusal(
                .limitCaller,
                "\(account.name) may have \(bytesMax) bytes that wait for the store "
                    + "(bus.commit_queue_bytes_per_uid in belfryd.conf), and this would be more; wait "
                    + "for answers first.")
        }
    }

    /// They wait no more. Called once, from any thread.
    func end() { account.queuedBytes.add(-bytes) }
}
