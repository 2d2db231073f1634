internal import Glibc

/// Small files, whole, that nobody else may write.
enum TextFile {
    /// Opens a file.
    ///
    /// A pipe in its place, for which one would wait, and everything else that is no file is refused.
    ///
    /// - Parameter isSecret: Whether nobody but its owner and its group may read it.
    /// - Throws: A failure that names the problem and its remedy.
    static func open(
        _ path: String, _ flags: Int32, isSecret: Bool = false
    ) throws(CommandFailure) -> Int32 {
        let file = Glibc.open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o600)
        guard file >= 0 else {
            // The errors for a writer of a pipe that nobody reads, of a socket, and of a folder.
            guard errno != ENXIO, errno != EISDIR else { throw noFile(path) }
            throw failure(path, flags & O_ACCMODE == O_RDONLY ? "read" : "written")
        }
        do throws(CommandFailure) {
            let status = try status(of: file, path)
            guard status.st_mode & S_IFMT == S_IFREG else { throw noFile(path) }
            try check(status, path, isSecret: isSecret)
        } catch {
            close(file)
            throw error
        }
        return file
    }

    /// The text of a file.
    ///
    /// - Throws: A failure that names the problem and its remedy.
    static func text(
        of path: String, isSecret: Bool = false, bytesMax: Int = Limits.fileBytesMax
    ) throws(CommandFailure) -> String {
        let file = try open(path, O_RDONLY, isSecret: isSecret)
        defer { close(file) }
        guard try status(of: file, path).st_size <= bytesMax else {
            throw CommandFailure(.file, "\(path) is longer than \(bytesMax) bytes")
        }
        guard let bytes = ByteInput(file).all() else { throw failure(path, "read") }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Replaces a file: a reader finds the old text or the new one.
    static func replace(_ path: String, by text: String) -> Bool {
        let fresh = path + ".new"
        // A run that was killed, or somebody else, may have left a file there. It is neither
        // followed nor waited for.
        unlink(fresh)
        let file = Glibc.open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        let bytes = Array(text.utf8)
        let isWritten = write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
        close(file)
        return isWritten && rename(fresh, path) == 0
    }

    /// Sees to it that nobody else may write into a folder, and so replace the files in it.
    ///
    /// - Throws: A failure that names the remedy.
    static func check(folder path: String) throws(CommandFailure) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw failure(path, "read") }
        try check(status, path, isSecret: false)
    }

    private static func check(
        _ status: stat, _ path: String, isSecret: Bool
    ) throws(CommandFailure) {
        let isRead = isSecret && status.st_mode & S_IROTH != 0
        let isWritten = status.st_mode & (S_IWGRP | S_IWOTH) != 0
        switch (isRead, isWritten) {
        case (false, false): return
        case (true, false):
            throw CommandFailure(
                .file, "\(path) has secrets and everybody can read it: 'chmod o-r' it")
        case (false, true):
            throw CommandFailure(.file, "other users may write \(path): 'chmod go-w' it")
        case (true, true):
            throw CommandFailure(
                .file,
                "\(path) has secrets, and others may read and write it: 'chmod o-r,go-w' it")
        }
    }

    private static func status(of file: Int32, _ path: String) throws(CommandFailure) -> stat {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure(path, "read") }
        return status
    }

    private static func noFile(_ path: String) -> CommandFailure {
        CommandFailure(.file, "\(path) is no regular file")
    }

    private static func failure(_ path: String, _ verb: String) -> CommandFailure {
        CommandFailure(.file, "\(path) cannot be \(verb): \(lastError)")
    }

    /// The system's words for the error of the last call.
    static var lastError: String { String(cString: strerror(errno)) }
}
