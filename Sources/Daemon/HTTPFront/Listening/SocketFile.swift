internal import Glibc

/// The file of a unix socket that was bound here.
struct SocketFile: Sendable {
    private let path: String
    private let device: UInt64
    private let inode: UInt64

    /// The file that is at `path` now.
    init?(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.path = path
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }

    /// The kind of file that its path leads to.
    enum Sight {
        case ours
        /// No file.
        case gone
        /// A file that somebody else put there.
        case others
    }

    /// The kind of file at its path at this moment. The kernel gives the number of this file to no
    /// other one while its socket is open.
    var sight: Sight {
        var status = stat()
        guard lstat(path, &status) == 0 else { return .gone }
        let isOurs = UInt64(status.st_dev) == device && UInt64(status.st_ino) == inode
        return isOurs ? .ours : .others
    }

    /// Removes the file, unless another one has taken its place.
    func remove() {
        if sight == .ours { unlink(path) }
    }

    /// Removes the socket that an earlier life left at `path`, on which nobody listens.
    ///
    /// - Throws: When there is another kind of file, or somebody listens.
    static func clear(_ path: String) throws(ServerError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw ServerError("\(path) exists and is no socket; remove it or name another path")
        }
        let probe = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue),
            0)
        guard probe >= 0 else { throw ServerError(doing: "opening a socket") }
        defer { close(probe) }
        let result = withAddress(of: path) { connect(probe, $0, $1) }
        guard result != 0, errno == ECONNREFUSED else {
            throw ServerError("another program listens at unix:\(path)", isAddressTaken: true)
        }
        guard unlink(path) == 0 else {
            throw ServerError(doing: "removing the stale socket \(path)")
        }
    }

    /// Calls `body` with the address to bind or connect to.
    static func withAddress(
        of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// The path a unix socket is bound to; empty for none.
    static func path(of descriptor: Int32) -> String {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &size)
            }
        }
        guard result == 0 else { return "" }
        return withUnsafeBytes(of: address.sun_path) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
