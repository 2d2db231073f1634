/// The right to answer one request, from any thread.
///
/// Names the request by loop, connection slot and number: an answer whose request is answered
/// already, or whose connection is gone, is dropped.
public struct PendingReply: Sendable {
    let mailbox: Mailbox
    let slot: Int
    let number: UInt64

    /// Answers the request; the first answer counts.
    ///
    /// Inside `RequestHandler.handle`, on the loop's thread, it answers directly, and nothing is
    /// suspended.
    ///
    /// Returning says nothing about the answer having left.
    public func send(_ response: consuming Response) {
        mailbox.post(LateReply(slot: slot, number: number, response: response))
    }

    /// Answers many requests, with one message to each loop.
    ///
    /// - Complexity: O(replies · loops).
    public static func send(_ replies: [(PendingReply, Response)]) {
        var batches: [(mailbox: Mailbox, replies: [LateReply])] = []
        for (pending, response) in replies {
            let reply = LateReply(slot: pending.slot, number: pending.number, response: response)
            if let index = batches.firstIndex(where: { $0.mailbox === pending.mailbox }) {
                batches[index].replies.append(reply)
            } else {
                batches.append((pending.mailbox, [reply]))
            }
        }
        for batch in batches { batch.mailbox.post(batch.replies) }
    }
}
