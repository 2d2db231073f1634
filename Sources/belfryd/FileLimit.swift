internal import Glibc

/// How many files and sockets the process may have open.
enum FileLimit {
    /// Raises the soft limit to the hard one: every subscriber is a socket, and the soft limit of
    /// 1,024 only protects programs that use `select`.
    static func raise() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
