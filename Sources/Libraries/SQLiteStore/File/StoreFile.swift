internal import Glibc
internal import Protection
internal import Topics

/// The file of a store, as this process alone uses it as long as the object lives.
///
/// Beside `belfry.db` lie SQLite's journal (`-wal`) and its index (`-shm`) while the store is in
/// use, and `belfry.db-life`. That one is locked for the path, and the file itself for all of its
/// names. Both locks go with the process, however that ends. Other programs can read the database
/// meanwhile.
final class StoreFile: Sendable {
    /// The path without symbolic links, so that two names of one file share their lock.
    let path: String
    let life: LifeFile
    private let inode: InodeLock

    /// Makes the file if it is missing, for its user alone, and locks it.
    init(path: String) throws(StoreError) {
        let resolved = Self.resolved(path)
        self.path = resolved
        try FileIdentity.checkRegular(Self.databaseFiles(resolved) + ["\(resolved)-life"])
        let life = try LifeFile(of: resolved)
        do throws(StoreError) {
            inode = try InodeLock(path: resolved)
        } catch {
            life.release()
            throw error
        }
        self.life = life
    }

    /// Locks a file that has to be there.
    convenience init(existing path: String) throws(StoreError) {
        guard access(path, F_OK) == 0 else {
            throw StoreError(detail: "there is no store \(path): \(Errno.last)")
        }
        try self.init(path: path)
    }

    deinit {
        inode.release()
        life.release()
    }

    /// The files that SQLite opens for a database.
    static func databaseFiles(_ path: String) -> [String] {
        ["", "-wal", "-shm", "-journal"].map { path + $0 }
    }

    /// Bytes of SQLite's journal on the disk; 0 where there is none.
    var journalBytes: Int {
        var status = stat()
        return stat("\(path)-wal", &status) == 0 ? Int(status.st_size) : 0
    }

    /// Sees to it that the journal beside a file is its own. SQLite would put the pages of another
    /// journal into a copy that somebody put in the place of the store.
    ///
    /// A backup is of SQLite's first kind of file, which has no such journal; a start makes it one
    /// of the second kind before there is a journal.
    static func checkJournal(_ path: String) throws(StoreError) {
        var status = stat()
        guard stat("\(path)-wal", &status) == 0, status.st_size > 0, isOfFirstKind(path) else {
            return
        }
        throw StoreError(
            detail: "\(path) is a backup, and \(path)-wal beside it is the journal of the store "
                + "that was there before: remove \(path)-wal and \(path)-shm, and leave "
                + "\(path)-life; or put the backup in place by `belfryd --restore`, which does that"
        )
    }

    /// Whether the header of a database says that it has no write-ahead journal
    /// (https://sqlite.org/fileformat2.html, section 1.3.3).
    private static func isOfFirstKind(_ path: String) -> Bool {
        guard let stream = fopen(path, "re") else { return false }
        defer { fclose(stream) }
        var header = [UInt8](repeating: 0, count: 20)
        return fread(&header, 1, header.count, stream) == header.count
            && header.starts(with: "SQLite format 3\0".utf8) && header[18...19] == [1, 1]
    }

    /// The folder of a path.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Why the path leads to the file no more, or the journal is gone; nil while all is well.
    var absence: String? {
        guard let found = FileIdentity(path: path) else {
            return "the file \(path) was removed while it was in use"
        }
        guard found == inode.identity else {
            return "the file \(path) was replaced while it was in use"
        }
        return FileIdentity(path: "\(path)-wal") == nil
            ? "the journal \(path)-wal was removed while it was in use" : nil
    }

    /// Whether the disk has more than a little room.
    var hasRoom: Bool { hasRoom(Limits.roomBytesMin) }

    /// Whether the disk has room for so many bytes, as far as the system says.
    func hasRoom(_ bytes: UInt64) -> Bool {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return true }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize) >= bytes
    }

    /// A path without symbolic links; the same one if it leads to nothing.
    static func resolved(_ path: String) -> String {
        if let real = realpath(path, nil) {
            defer { free(real) }
            return String(cString: real)
        }
        return path
    }
}
