internal import Glibc
internal import Protection
internal import Topics

/// The file beside a store that its bus has locked, `belfry.db-life`: the `LifeRecord`, and behind
/// it the highest id that was answered (`AnsweredMark`).
struct LifeFile: Sendable {
    let path: String
    /// The record that the last life left; nil if it left none, or none that can be read.
    let last: LifeRecord?
    /// The highest id that a life is known to have answered.
    let answered: EventID
    private let descriptor: Int32
    private let identity: FileIdentity

    /// Opens and locks the file of a store; it is made if it is missing.
    init(of store: String) throws(StoreError) {
        path = "\(store)-life"
        (descriptor, identity) = try Self.lock(path, of: store)
        var bytes = [UInt8](repeating: 0, count: Limits.lifeFileBytes)
        let count = max(0, pread(descriptor, &bytes, bytes.count, 0))
        last = LifeRecord(Array(bytes.prefix(count)))
        answered = AnsweredMark.read(bytes)
    }

    private static func lock(
        _ path: String, of store: String
    ) throws(StoreError) -> (Int32, FileIdentity) {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        while true {
            let file = open(path, flags, 0o600)
            guard file >= 0 else {
                throw StoreError(
                    detail: "the store \(store) cannot be locked: \(Errno.last). See "
                        + "to it that its folder exists and that the bus's user may write there")
            }
            guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
                let code = Errno.last
                close(file)
                throw .inUse(store, code)
            }
            // The process that had it before may have removed it after it was opened here.
            if let identity = FileIdentity(descriptor: file), identity == FileIdentity(path: path) {
                return (file, identity)
            }
            close(file)
        }
    }

    /// Lets go of the file, and removes one in which nothing was ever written: of a store that was
    /// only looked at, or could not be opened.
    func release() {
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_size == 0 { unlink(path) }
        // A child that was forked and has not yet called `exec` holds the descriptor too, and with
        // it the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Has a record on the disk before it returns.
    func write(_ record: LifeRecord) throws(StoreError) {
        let bytes = record.bytes
        guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count, fsync(descriptor) == 0
        else { throw unwritable(.last) }
    }

    /// Makes the mark of the highest answered id. The file has room for it from now on.
    func makeMark() throws(StoreError) -> AnsweredMark {
        do throws(Errno) {
            return try AnsweredMark(descriptor)
        } catch {
            throw unwritable(error)
        }
    }

    private func unwritable(_ code: Errno) -> StoreError {
        StoreError(detail: "\(path) cannot be written: \(code). Make room or repair the disk")
    }

    /// Why the path of a life that has begun leads to its file no more; nil while all is well. A
    /// file that was cut short counts as well: the mark must not be written beyond its end.
    var absence: String? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            return "the lock file \(path) was removed while it was in use"
        }
        guard FileIdentity(status) == identity, status.st_size >= Limits.lifeFileBytes else {
            return "the lock file \(path) was replaced while it was in use"
        }
        return nil
    }
}
