internal import Glibc
internal import Protection

/// A directory that this process alone uses, as long as the handle lives.
final class DirectoryHandle: Sendable {
    let path: String
    private let descriptor: Int32

    /// Not through a link, and without waiting for the other end of a pipe.
    private static let cautiously = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK

    /// Opens the directory and locks it.
    init(path: String) throws(StoreError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw StoreError(
                detail: "the state directory \(path) cannot be opened: \(Errno.last). "
                    + "Create it, and let the bus's user write to it")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            // The object is whole by now: throwing runs `deinit`, which closes the descriptor.
            throw StoreError(
                detail: "the state directory \(path) is in use by another bus "
                    + "(\(Errno.last)): stop that one, or choose another directory")
        }
    }

    deinit {
        // A child that was forked and has not yet called `exec` holds the descriptor too, and with
        // it the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// The bytes of a file, nil if there is none.
    func read(_ name: String, bytesMax: Int) throws(StoreError) -> [UInt8]? {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return nil }
            throw failure("read", name)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw StoreError(detail: "\(path)/\(name) is no regular file: move it away")
        }
        let file = openat(descriptor, name, O_RDONLY | Self.cautiously)
        guard file >= 0 else { throw failure("read", name) }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: bytesMax + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes {
                Glibc.read(file, $0.baseAddress! + count, $0.count - count)
            }
            if got < 0 {
                if errno == EINTR { continue }
                throw failure("read", name)
            }
            if got == 0 { break }
            count += got
        }
        return Array(bytes.prefix(count))
    }

    /// Writes these bytes to a file, in place of any that had the name, and has them on the disk.
    func write(
        _ bytes: [UInt8], to name: String, afterWriting: () -> Void
    ) throws(StoreError) {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | Self.cautiously
        let file = openat(descriptor, name, flags, 0o600)
        guard file >= 0 else { throw failure("write", name) }
        defer { close(file) }
        var count = 0
        while count < bytes.count {
            let put = bytes.withUnsafeBytes {
                Glibc.write(file, $0.baseAddress! + count, $0.count - count)
            }
            if put < 0 {
                if errno == EINTR { continue }
                throw failure("write", name)
            }
            count += put
        }
        afterWriting()
        guard fsync(file) == 0 else { throw failure("sync", name) }
    }

    /// Gives a file the name of another one, which goes.
    func rename(_ name: String, to newName: String) throws(StoreError) {
        guard renameat(descriptor, name, descriptor, newName) == 0 else {
            throw failure("rename", name)
        }
    }

    /// Has the names of the directory on the disk.
    func sync() throws(StoreError) {
        guard fsync(descriptor) == 0 else { throw failure("sync", ".") }
    }

    private func failure(_ verb: String, _ name: String) -> StoreError {
        StoreError(
            detail: "could not \(verb) \(path)/\(name): \(Errno.last). Make room or repair "
                + "the disk, and see to it that the bus's user may write there")
    }
}
