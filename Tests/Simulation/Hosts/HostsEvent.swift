/// Something that runs of several hosts are to meet.
package enum HostsEvent: CaseIterable, Sendable {
    /// An append that is a part of a larger group.
    case part
    /// An append that a server which took over does not have.
    case lostAppend
    /// An append that the order took twice.
    case repeatedAppend
    /// A batch that was refused.
    case refusal
    /// A batch of which nobody knows.
    case doubt
    /// A reader whose cursor was ahead of the host that it asked.
    case cursorAhead
    /// A gap that a reader was told.
    case gap
    /// A job that was handed out again.
    case secondAttempt
    /// A job that became a dead letter.
    case letter
    /// A hand-out that its worker would have learned of too late.
    case lateLease
}
