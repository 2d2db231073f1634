/// What configuration may change about how much groups take on.
///
/// One user has three quarters of each number that is shared.
package struct WorkLimits: Hashable, Sendable {
    /// Groups: each takes about 2 KB beside its jobs.
    package var groupsMax = 1_000
    /// Open jobs of one group: some 4 MB.
    package var openPerGroupMax = 10_000
    /// Open jobs of all groups, about 400 bytes each.
    package var openMax = 250_000
    /// Jobs of one group that wait for others of their key, 32 bytes each.
    package var parkedPerGroupMax = 100_000
    /// The same of all groups.
    package var parkedMax = 1_000_000

    /// The defaults, each of which can be changed.
    package init() {}
}
