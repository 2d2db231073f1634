/// The bounds of in-process broadcasting.
enum BroadcastingLimits {
    /// Entries below which nothing is swept: looking for dead ones there costs more than they do.
    static let sweepEntriesMin = 16
}
