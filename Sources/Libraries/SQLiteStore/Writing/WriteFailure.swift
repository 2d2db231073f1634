internal import Topics

/// Why a group could not be committed, and whether that is certain.
struct WriteFailure: Error {
    /// What its publishers are told.
    let error: BusError
    /// Whether no later start can find anything of the group. If not, its publishers are told
    /// nothing before something else was written over it.
    let isCertain: Bool

    /// Whether it is for the size of what was to be written alone: something smaller would fit.
    let isForSize: Bool

    init(_ error: BusError, isCertain: Bool = true, isForSize: Bool = false) {
        self.error = error
        self.isCertain = isCertain
        self.isForSize = isForSize
    }

    /// What SQLite said before it was asked to commit, or why a file beside it was not written.
    init(_ path: String, _ error: any Error) {
        self.init(
            (error as? DatabaseError).map { .unwritable(path, $0) } ?? .storeFailed("\(error)"))
    }
}
