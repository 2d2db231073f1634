internal import CMicroHTTPD

/// The version of libmicrohttpd that the process runs with, and its differences from others.
///
/// Debian 12 has 0.9.75 and Debian 13 has 1.0.1, under one name of the shared library: a program
/// built with either may run with the other. So the library is asked at run time, here alone.
struct ParserLibrary: Sendable, Equatable {
    let major: Int
    let minor: Int

    /// The one that this process has loaded.
    static let loaded =
        ParserLibrary(String(cString: MHD_get_version())) ?? ParserLibrary(major: 1, minor: 0)

    init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// Reads the text of `MHD_get_version`, such as `0.9.75` or `1.0.1`; nil of anything else.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count >= 2, let major = parts[0], let minor = parts[1] else { return nil }
        self.init(major: major, minor: minor)
    }

    /// Whether this is 1.0 or later, which rewrote the reading of request lines and headers.
    private var isRewritten: Bool { major >= 1 }

    /// Whether `MHD_add_connection` only queues the socket unless the daemon was started as one
    /// that a single thread drives.
    ///
    /// The notification that a connection has started then comes from a later `MHD_run`. The flag
    /// for a single thread is unknown to 0.9.75, which has no other way.
    var queuesAddedConnections: Bool { isRewritten }
}
