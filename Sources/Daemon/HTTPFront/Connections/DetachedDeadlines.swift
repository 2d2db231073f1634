/// When somebody has to look at a detached socket again, for each reason; `.max` for never.
struct DetachedDeadlines {
    /// When its owner wants `timedOut`.
    var owner = UInt64.max
    /// When the owner of a stream that does not get on wants `stalled`.
    var stall = UInt64.max
    /// When what has come of a WebSocket's message must have come to its end.
    var input = UInt64.max
    /// When a half-closed peer is looked at again.
    private(set) var recheck = UInt64.max
    /// How long the last pause before looking at it was, in milliseconds.
    private var recheckPause: UInt64 = 0

    /// The first of them.
    var first: UInt64 { min(min(owner, stall), min(input, recheck)) }

    /// Sets when a half-closed peer is looked at again: nobody tells when it leaves, and most that
    /// leave do so soon.
    mutating func recheckLater(_ now: UInt64, pauseMax: UInt64) {
        recheckPause = min(
            max(2 * recheckPause, HTTPFrontLimits.halfClosedFirstRecheckMilliseconds), pauseMax)
        recheck = now + recheckPause
    }

    /// A half-closed peer is not looked at any more.
    mutating func endRechecks() { recheck = .max }
}
