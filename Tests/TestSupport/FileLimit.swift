internal import Glibc

/// How many files and sockets the tests' own process may have open.
public enum FileLimit {
    /// Raises the soft limit to the hard one.
    ///
    /// - Returns: The limit from then on.
    @discardableResult
    public static func raise() -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        getrlimit(resource, &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
        return Int(clamping: limit.rlim_cur)
    }
}
