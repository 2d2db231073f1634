internal import Glibc
internal import Protection
internal import Topics

/// The device and inode of a file, which are the same under all of its names.
struct FileIdentity: Hashable {
    private let device: dev_t
    private let inode: ino_t

    init(_ status: stat) {
        device = status.st_dev
        inode = status.st_ino
    }

    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Sees to it that paths lead to regular files or to nothing: a pipe would hold up the thread
    /// that opens it.
    static func checkRegular(_ paths: [String]) throws(StoreError) {
        for path in paths {
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { continue }
            throw StoreError(
                detail: "\(path) is no regular file: move it away, or choose another store")
        }
    }
}
