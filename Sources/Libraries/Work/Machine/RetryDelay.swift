internal import Topics

/// How long a job rests that failed, where its worker names no delay: a delay by its attempts, and
/// some jitter, so that jobs that failed together do not come again together.
enum RetryDelay {
    /// The delay in microseconds: never below that by the attempts, and at most a tenth above it.
    ///
    /// It follows from its arguments alone. So a job is due at the same time on all hosts of an order,
    /// and a replay of the order decides as the order was decided.
    static func microseconds(after attempt: Int, of id: EventID, in group: GroupName) -> Int64 {
        let delay = base(after: attempt)
        return delay + jitter(of: delay, after: attempt, of: id, in: group)
    }

    /// 1 s, doubled with each attempt, up to 5 min.
    private static func base(after attempt: Int) -> Int64 {
        let doublings = min(max(0, attempt - 1), 30)
        return min(
            Limits.retryMicrosecondsDefault << Int64(doublings), Limits.retryMicrosecondsDefaultMax)
    }

    /// 0 to a tenth of the delay: FNV-1a of 64 bits over the text `GROUP ID ATTEMPT`, as a remainder.
    ///
    /// Another text or sum is another rule of the order: hosts that do not have the same one differ.
    private static func jitter(
        of delay: Int64, after attempt: Int, of id: EventID, in group: GroupName
    ) -> Int64 {
        var text = "\(group.text) \(id.rawValue) \(attempt)"
        let sum = text.withUTF8 { Checksum.fnv1a(UnsafeRawBufferPointer($0)) }
        return Int64(sum % UInt64(delay / Limits.retryJitterFraction + 1))
    }
}
