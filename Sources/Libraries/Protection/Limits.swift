/// The bounds of protected values.
enum ProtectionLimits {
    /// How often a thread lets others run before it sleeps for a lock.
    ///
    /// A block under a lock is shorter than going to sleep and being woken, so most locks are free
    /// again after one yield or two; at ten the holder is doing something long.
    static let yieldsBeforeSleepMax = 10
}
