internal import Topics

extension BusError {
    /// The error for a publisher when SQLite did not write.
    static func unwritable(_ path: String, _ error: DatabaseError) -> BusError {
        switch error.kind {
        case .full:
            .storeFull(
                "the store \(path) has no room (\(error.text)): make room on its disk, or raise "
                    + "its size limit")
        case .readOnly:
            .storeFailed(
                "the store \(path) cannot be written (\(error.text)): let the bus's user write "
                    + "there, and see whether its disk was mounted read-only after an error")
        case .busy:
            .storeFailed(
                "the store \(path) is locked by another program (\(error.text)): programs other "
                    + "than the bus may only read it")
        case .damaged, .notDatabase:
            .storeFailed(
                "the store \(path) is damaged (\(error.text)): stop the bus, run belfryd "
                    + "--check-store, and restore a backup")
        case .other:
            .storeFailed("the store \(path) cannot be written (\(error.text)): repair its disk")
        }
    }

    /// The error for a reader when SQLite did not read.
    static func unreadable(_ path: String, _ error: DatabaseError) -> BusError {
        .storeFailed(
            "the store \(path) cannot be read (\(error.text)): run belfryd --check-store")
    }

    /// The error for a publisher once a file of the store is not where it was.
    static func absent(_ absence: String) -> BusError {
        .storeFailed(
            "\(absence), so a start would not find what is written: put it back, or restart the bus"
        )
    }
}

extension StoreError {
    /// Why a store that SQLite does not open or read cannot be used.
    static func unusable(_ path: String, _ error: DatabaseError) -> StoreError {
        switch error.kind {
        case .damaged: damaged(path, [error.text])
        case .notDatabase:
            StoreError(
                detail: "\(path) is no database (\(error.text)): choose another file, or move "
                    + "this one away and begin with an empty store")
        case .full:
            StoreError(
                detail: "the store \(path) has no room (\(error.text)): make room on its disk")
        case .readOnly:
            StoreError(
                detail: "the store \(path) cannot be written (\(error.text)): let the bus's user "
                    + "write the file and its folder")
        case .busy:
            StoreError(
                detail: "the store \(path) is locked by another program (\(error.text)): end "
                    + "that one")
        case .other:
            StoreError(
                detail: "the store \(path) cannot be used (\(error.text)): see to its disk, and "
                    + "that the bus's user may read and write the file and its folder")
        }
    }

    /// Why a store whose file makes no sense cannot be used.
    static func damaged(_ path: String, _ findings: [String]) -> StoreError {
        StoreError(
            detail: "the store \(path) is damaged (\(findings.joined(separator: "; "))): restore "
                + "a backup, or move it away and begin with an empty store; "
                + "`sqlite3 \(path) .recover` may still read some of it")
    }
}
