internal import Glibc
internal import Protection
internal import Topics

/// The lock on the file of a database itself, which holds under every name that the file has.
///
/// It is a lock of the open file description, on a byte that SQLite never locks. A process that
/// closes any descriptor of a file loses all of its POSIX locks on it (fcntl(2)), and with them
/// SQLite's. So the descriptor stays open until the last connection is closed (`Database` keeps
/// the `StoreFile`), and a file that this process has is not opened a second time.
struct InodeLock: Sendable {
    let identity: FileIdentity
    private let descriptor: Int32

    /// The files that this process has.
    private static let held = Protected<Set<FileIdentity>>([])

    // F_OFD_SETLK, a macro behind _GNU_SOURCE.
    private static let set: Int32 = 37

    /// Locks a file, which is made if it is missing, for its user alone.
    init(path: String) throws(StoreError) {
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let made = open(path, flags | O_CREAT | O_EXCL, 0o600)
        if made >= 0 { close(made) }
        guard let identity = FileIdentity(path: path) else {
            throw StoreError(
                detail: "the store \(path) cannot be made: \(Errno.last). See to it "
                    + "that the bus's user may write there")
        }
        guard Self.held.write({ $0.insert(identity).inserted }) else {
            throw .inUse(path, Errno(EAGAIN))
        }
        do throws(StoreError) {
            descriptor = try Self.lock(path, flags, identity)
        } catch {
            Self.held.write { _ = $0.remove(identity) }
            throw error
        }
        self.identity = identity
    }

    private static func lock(
        _ path: String, _ flags: Int32, _ identity: FileIdentity
    ) throws(StoreError) -> Int32 {
        let descriptor = open(path, flags)
        guard descriptor >= 0 else {
            throw StoreError(
                detail: "the store \(path) can only be read (\(Errno.last)): let the bus's user "
                    + "write it")
        }
        guard FileIdentity(descriptor: descriptor) == identity else {
            close(descriptor)
            throw StoreError(detail: "the store \(path) was replaced while it was opened")
        }
        guard change(descriptor, to: F_WRLCK) else {
            let code = Errno.last
            close(descriptor)
            if code.code == EAGAIN || code.code == EACCES { throw .inUse(path, code) }
            throw StoreError(
                detail: "the store \(path) cannot be locked (\(code)): put it on a local disk")
        }
        return descriptor
    }

    private static func change(_ descriptor: Int32, to type: Int32) -> Bool {
        var lock = Glibc.flock()
        lock.l_type = Int16(type)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = Limits.lockedByte
        lock.l_len = 1
        return fcntl(descriptor, set, &lock) == 0
    }

    /// Lets go of the file; called once, when this process has no connection to it any more.
    func release() {
        // A child that was forked and has not yet called `exec` holds the descriptor too, and with
        // it the lock.
        _ = Self.change(descriptor, to: F_UNLCK)
        close(descriptor)
        Self.held.write { _ = $0.remove(identity) }
    }
}

extension StoreError {
    /// Why a store that is served already cannot be opened.
    static func inUse(_ path: String, _ code: Errno) -> StoreError {
        StoreError(
            detail: "the store \(path) is in use by another bus (\(code)): stop that one, or "
                + "choose another file")
    }
}
