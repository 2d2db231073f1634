internal import Glibc

/// How many files and sockets the process may have open.
enum FileLimit {
    /// Raises the soft limit to the hard one, and returns the limit that then holds. Every
    /// subscriber is a socket, and the soft limit of 1,024 only protects programs that use
    /// `select`.
    static func raise() -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return .max }
        var raised = limit
        raised.rlim_cur = limit.rlim_max
        return Int(clamping: setrlimit(resource, &raised) == 0 ? raised.rlim_cur : limit.rlim_cur)
    }
}
