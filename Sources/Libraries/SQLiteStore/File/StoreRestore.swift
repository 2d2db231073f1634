internal import Glibc
internal import Protection
package import Topics

extension SQLiteStore {
    /// Puts a copy in the place of a store that nobody uses, with the owner of the file that was
    /// there, else of its folder.
    ///
    /// The copy is read whole before anything is touched, and stays. The old content of the store
    /// is gone, and so is its journal. The next life tells every older cursor a gap, and gives no
    /// id again.
    ///
    /// - Parameters:
    ///   - copy: A backup, or the file of a store that was stopped.
    ///   - path: The store.
    /// - Throws: `StoreError` if the store is in use, or the copy is none or not whole. The store
    ///   is as it was then.
    /// - Complexity: O(size of the copy).
    package static func restore(_ copy: String, to path: String) throws(StoreError) {
        guard access(copy, R_OK) == 0 else {
            throw StoreError(detail: "the copy \(copy) cannot be read: \(Errno.last)")
        }
        try FileIdentity.checkRegular(StoreFile.databaseFiles(StoreFile.resolved(copy)))
        guard StoreFile.resolved(copy) != StoreFile.resolved(path) else {
            throw StoreError(detail: "\(copy) is the store itself: name a copy of it")
        }
        let isNew = access(path, F_OK) != 0
        // Held to the end: no daemon begins with a file that is half there.
        let file = try StoreFile(path: path)
        let owner = try Owner(of: isNew ? StoreFile.folder(of: file.path) : file.path)
        let made = "\(file.path).restored"
        removeAll(of: made)
        do throws(StoreError) {
            try checkWhole(copy)
            try makeCopy(of: copy, to: made)
            for path in [made, "\(file.path)-life"] { try owner.take(path) }
            for suffix in ["-wal", "-shm", "-journal"] { unlink(file.path + suffix) }
            guard rename(made, file.path) == 0 else {
                throw StoreError(detail: "\(made) cannot be put in place: \(Errno.last)")
            }
            syncFolder(of: file.path)
        } catch {
            removeAll(of: made)
            if isNew { unlink(file.path) }
            throw error
        }
    }

    private static func checkWhole(_ copy: String) throws(StoreError) {
        do {
            try StoreFile.checkJournal(copy)
            let database = try Database(path: copy, mode: .reading)
            guard try StoreOpening.checkKind(database, copy, .current) else {
                throw StoreError(detail: "\(copy) is empty: name a backup")
            }
            let findings = try database.texts("PRAGMA integrity_check(\(Limits.findingsMax))")
            guard findings == ["ok"] else { throw StoreError.damaged(copy, findings) }
        } catch let error as DatabaseError {
            throw .unusable(copy, error)
        } catch let error as StoreError {
            throw error
        } catch {
            preconditionFailure("an error of no kind: \(error)")
        }
    }

    private static func syncFolder(of path: String) {
        let folder = Glibc.open(StoreFile.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        Glibc.close(folder)
    }

    /// The owner that the file is to have: root restores for the user of the service.
    private struct Owner {
        let uid: uid_t
        let gid: gid_t

        init(of path: String) throws(StoreError) {
            var status = stat()
            guard stat(path, &status) == 0 else {
                throw StoreError(detail: "\(path) cannot be looked at: \(Errno.last)")
            }
            (uid, gid) = (status.st_uid, status.st_gid)
        }

        func take(_ path: String) throws(StoreError) {
            guard lchown(path, uid, gid) == 0 else {
                throw StoreError(
                    detail: "\(path) cannot be given to user \(uid): \(Errno.last). Restore as "
                        + "root, or as that user")
            }
        }
    }
}
