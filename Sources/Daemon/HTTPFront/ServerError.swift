internal import Glibc
internal import Protection

/// Why a server could not start.
public struct ServerError: Error, Equatable, CustomStringConvertible {
    /// What was tried, what the system said, and what to do about it.
    public let detail: String

    /// The detail.
    public var description: String { detail }

    init(_ detail: String) {
        self.detail = detail
    }

    /// The failure of the system call that was just made, by `errno`.
    init(doing what: String, code: Int32 = errno) {
        self.init("\(what): \(Errno(code)) (errno \(code))")
    }
}
