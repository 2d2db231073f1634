internal import Glibc
internal import Protection

/// Folders of the daemon.
enum Directory {
    /// A warning about a folder that only its owner should be able to write; nil if all is well.
    static func warning(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & (S_IWGRP | S_IWOTH) != 0 else {
            return nil
        }
        return "other users may write the folder \(path), and so remove or replace the bus's files "
            + "in it: chmod go-w"
    }

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
