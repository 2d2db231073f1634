internal import Glibc

/// Small files, whole.
enum TextFile {
    /// The text of a file; nil where it cannot be read.
    static func text(of path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return ByteInput(file).all().map { String(decoding: $0, as: UTF8.self) }
    }

    /// Replaces a file: whoever reads it finds the old text or the new one.
    static func replace(_ path: String, by text: String) -> Bool {
        let fresh = path + ".new"
        let file = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        let bytes = Array(text.utf8)
        let isWritten = write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
        close(file)
        return isWritten && rename(fresh, path) == 0
    }

    /// What the system said of the last call.
    static var lastError: String { String(cString: strerror(errno)) }
}
