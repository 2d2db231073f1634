internal import CSQLite
internal import Glibc
internal import Protection
package import Topics

extension SQLiteStore {
    /// Copies a store into a new file, as it is at one moment, whether a bus uses it or not.
    ///
    /// A bus that uses it publishes and reads on meanwhile; only its journal is not emptied. The
    /// copy says that it is one, so that a bus that begins with it tells its readers a gap.
    ///
    /// - Parameters:
    ///   - path: The store.
    ///   - copy: The file to make; there must be none.
    /// - Throws: `StoreError`; then there is no file at `copy`.
    /// - Complexity: O(size of the store).
    package static func backUp(_ path: String, to copy: String) throws(StoreError) {
        guard access(copy, F_OK) != 0 else {
            throw StoreError(detail: "there is a file \(copy) already: choose another one")
        }
        try FileIdentity.checkRegular(StoreFile.databaseFiles(StoreFile.resolved(path)))
        try StoreFile.checkJournal(path)
        let unfinished = "\(copy).unfinished"
        removeAll(of: unfinished)
        do throws(StoreError) {
            try makeCopy(of: path, to: unfinished)
            guard rename(unfinished, copy) == 0 else {
                throw StoreError(
                    detail: "the copy cannot be called \(copy): \(Errno.last)")
            }
        } catch {
            removeAll(of: unfinished)
            throw error
        }
    }

    /// Copies a store into a file that there is not yet, for this user alone.
    static func makeCopy(of path: String, to copy: String) throws(StoreError) {
        do {
            let source = try Database(path: path, mode: .reading)
            try StoreOpening.checkKind(source, path, .current)
            let made = Glibc.open(copy, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard made >= 0 else {
                throw StoreError(
                    detail: "the copy \(copy) cannot be made: \(Errno.last)")
            }
            Glibc.close(made)
            try self.copy(source, to: copy)
        } catch let error as DatabaseError {
            throw StoreError(
                detail: "\(path) could not be copied to \(copy) (\(error.text)): see that there "
                    + "is room, and that this user may read the one and write the other")
        } catch let error as StoreError {
            throw error
        } catch {
            preconditionFailure("an error of no kind: \(error)")
        }
    }

    private static func copy(_ source: Database, to path: String) throws(DatabaseError) {
        let target = try Database(path: path, mode: .writing)
        try target.execute("PRAGMA synchronous = FULL")
        // One read of the source from beginning to end: commits of that time are not in it.
        try source.execute("BEGIN")
        _ = try source.integer("SELECT count(*) FROM bus")
        guard let backup = sqlite3_backup_init(target.pointer, "main", source.pointer, "main")
        else { throw DatabaseError(code: -1, connection: target.pointer) }
        let code = sqlite3_backup_step(backup, -1)
        sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE else {
            throw DatabaseError(code: code, connection: target.pointer)
        }
        try source.execute("COMMIT")
        // Without the journal's mode the copy is one file, even while it is opened.
        try target.execute("PRAGMA journal_mode = DELETE; UPDATE bus SET is_copy = 1")
    }

    static func removeAll(of path: String) {
        for file in StoreFile.databaseFiles(path) { unlink(file) }
    }
}
