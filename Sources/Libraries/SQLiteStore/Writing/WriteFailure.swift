internal import Topics

/// Why a group could not be committed, and whether that is certain.
struct WriteFailure: Error {
    /// The error for its publishers.
    let error: BusError
    /// Whether no later start can find anything of the group. If not, its publishers are told
    /// nothing before something else was written over it.
    let isCertain: Bool

    /// Whether the size of the group is the only reason: something smaller would fit.
    let isForSize: Bool

    init(_ error: BusError, isCertain: Bool = true, isForSize: Bool = false) {
        self.error = error
        self.isCertain = isCertain
        self.isForSize = isForSize
    }

    /// A failure of SQLite before it was asked to commit, or of writing a file beside the store.
    init(_ path: String, _ error: any Error) {
        self.init(
            (error as? DatabaseError).map { .unwritable(path, $0) } ?? .storeFailed("\(error)"))
    }
}
