internal import Glibc
internal import Protection
internal import Topics

/// The file of a store, as this process alone uses it as long as the object lives.
///
/// Beside `belfry.db` lie SQLite's journal (`-wal`) and its index (`-shm`) while the store is in
/// use, and `belfry.db-life`, which is locked and holds the `LifeRecord`. The lock goes with the
/// process, however that ends. Other programs can read the database meanwhile.
final class StoreFile: Sendable {
    /// The path without symbolic links, so that two names of one file share their lock.
    let path: String
    /// What the last life left; nil if it left nothing, or nothing that can be read.
    let lastLife: LifeRecord?
    /// Whether the file was made by this object.
    let isNew: Bool
    private let lock: Int32
    private let identity: Identity

    /// Which file it is, whatever its name.
    private struct Identity: Equatable {
        let device: dev_t
        let inode: ino_t

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

        private init(_ status: stat) {
            device = status.st_dev
            inode = status.st_ino
        }
    }

    /// Makes the file if it is missing, for its user alone, and locks it.
    init(path: String) throws(StoreError) {
        let resolved = Self.resolved(path)
        self.path = resolved
        let lock = try Self.lock("\(resolved)-life", of: path)
        self.lock = lock
        var bytes = [UInt8](repeating: 0, count: Limits.lifeRecordBytes)
        let count = pread(lock, &bytes, bytes.count, 0)
        lastLife = LifeRecord(Array(bytes.prefix(max(0, count))))
        let file = open(resolved, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        isNew = file >= 0
        if file >= 0 { close(file) }
        guard let identity = Identity(path: resolved) else {
            let code = errno
            Self.leave(lock, "\(resolved)-life")
            throw StoreError(
                detail: "the store \(path) cannot be made: \(Errno(code)). See to it "
                    + "that the bus's user may write there")
        }
        self.identity = identity
    }

    /// Locks a file that has to be there.
    convenience init(existing path: String) throws(StoreError) {
        guard access(path, F_OK) == 0 else {
            throw StoreError(detail: "there is no store \(path): \(Errno.last)")
        }
        try self.init(path: path)
    }

    deinit {
        Self.leave(lock, "\(path)-life")
    }

    /// Opens and locks a record, which is made if it is missing.
    private static func lock(_ record: String, of path: String) throws(StoreError) -> Int32 {
        while true {
            let lock = open(record, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard lock >= 0 else {
                throw StoreError(
                    detail: "the store \(path) cannot be locked: \(Errno.last). See "
                        + "to it that its folder exists and that the bus's user may write there")
            }
            guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
                let code = errno
                close(lock)
                throw StoreError(
                    detail: "the store \(path) is in use by another bus "
                        + "(\(Errno(code))): stop that one, or choose another file")
            }
            // Whoever had it before may have removed it after it was opened here.
            if Identity(path: record) == Identity(descriptor: lock) { return lock }
            close(lock)
        }
    }

    /// Lets go of a record, and removes one in which nothing was ever written: of a store that was
    /// only looked at, or could not be opened.
    private static func leave(_ lock: Int32, _ record: String) {
        var status = stat()
        if fstat(lock, &status) == 0, status.st_size == 0 { unlink(record) }
        // A child that was forked and has not yet called `exec` holds the descriptor too, and with
        // it the lock.
        flock(lock, LOCK_UN)
        close(lock)
    }

    /// Has a record on the disk before it returns.
    func write(_ record: LifeRecord) throws(StoreError) {
        let bytes = record.bytes
        guard pwrite(lock, bytes, bytes.count, 0) == bytes.count, fsync(lock) == 0 else {
            throw StoreError(
                detail: "\(path)-life cannot be written: \(Errno.last). Make room "
                    + "or repair the disk")
        }
    }

    /// What became of the file, if its path leads to it no more; nil while all is well.
    var absence: String? {
        guard let found = Identity(path: path) else {
            return "the file \(path) was removed while it was in use"
        }
        guard found == identity else {
            return "the file \(path) was replaced while it was in use"
        }
        return Identity(path: "\(path)-wal") == nil
            ? "the journal \(path)-wal was removed while it was in use" : nil
    }

    /// Whether the disk has more than a little room.
    var hasRoom: Bool {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return true }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize) >= Limits.roomBytesMin
    }

    /// The start of the machine that this is; empty where the kernel does not say.
    static var boot: String {
        guard let stream = fopen("/proc/sys/kernel/random/boot_id", "r") else { return "" }
        defer { fclose(stream) }
        var line = [UInt8](repeating: 0, count: 64)
        let count = fread(&line, 1, line.count, stream)
        return String(decoding: line.prefix(count).prefix { $0 > 0x20 && $0 < 0x7F }, as: UTF8.self)
    }

    private static func resolved(_ path: String) -> String {
        if let real = realpath(path, nil) {
            defer { free(real) }
            return String(cString: real)
        }
        return path
    }
}
