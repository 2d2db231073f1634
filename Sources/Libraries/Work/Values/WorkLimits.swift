/// The limits of all groups of a bus.
///
/// One user has three quarters of each number that is shared; callers in the process of the bus
/// count as one user.
public struct WorkLimits: Hashable, Sendable {
    /// Groups: each takes about 2.5 KB beside its jobs and its topics, and a pattern of four segments 1 KB.
    /// With their topics they take a quarter of the memory at the most.
    public var groupsMax = 1_000
    /// Open jobs of one group: some 4 MB.
    public var openPerGroupMax = 10_000
    /// Open jobs of all groups, about 400 bytes each.
    public var openMax = 250_000
    /// Jobs of one group that wait for others of their key, 32 bytes each.
    public var parkedPerGroupMax = 100_000
    /// The same of all groups.
    public var parkedMax = 1_000_000

    /// The defaults, each of which can be changed.
    public init() {}
}
