internal import Glibc
internal import Protection

/// Making of folders.
enum Directory {
    /// Makes a folder and those above it, each readable as `mode` says; one that is there stays
    /// as it is.
    static func make(_ path: String, mode: mode_t) throws(DaemonError) {
        if mkdir(path, mode) == 0 { return }
        var code = errno
        if code == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try make(String(path[..<slash]), mode: mode)
            if mkdir(path, mode) == 0 { return }
            code = errno
        }
        guard code == EEXIST else {
            throw DaemonError(detail: "the folder \(path) cannot be made: \(Errno(code))")
        }
    }
}
