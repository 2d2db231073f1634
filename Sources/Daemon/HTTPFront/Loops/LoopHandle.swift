/// The way to a loop from any thread.
public struct LoopHandle: Sendable {
    /// Which of the server's loops it is, from 0.
    public let index: Int

    let mailbox: Mailbox

    /// Runs `job` on the loop's thread with the loop's handler.
    ///
    /// Jobs of one thread run in the order in which they were posted. A burst wakes the loop once;
    /// a job posted from the loop's own thread runs at the end of the current turn and wakes
    /// nobody. After the server has stopped, jobs are dropped.
    ///
    /// - Complexity: O(1).
    public func post(_ job: @escaping @Sendable (any RequestHandler) -> Void) {
        mailbox.post(.job(job))
    }

    /// Closes connections whose peers have read nothing of their answers for
    /// ``HTTPFrontLimits/stalledMilliseconds``, longest first, until answers of so many bytes more
    /// have room in their share of the memory.
    ///
    /// - Complexity: O(connections of the loop), on its thread.
    public func makeRoom(forAnswersOf bytes: Int) {
        mailbox.post(.makeRoom(bytes))
    }
}
