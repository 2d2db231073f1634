internal import Glibc
internal import Protection

/// Why a server could not start.
public struct ServerError: Error, Equatable, CustomStringConvertible {
    /// The operation that failed, the system's message, and the remedy if there is one.
    public let detail: String

    /// The detail.
    public var description: String { detail }

    /// Whether another program listens at the address.
    public let isAddressTaken: Bool

    init(_ detail: String, isAddressTaken: Bool = false) {
        self.detail = detail
        self.isAddressTaken = isAddressTaken
    }

    /// The failure of the system call that was just made, by `errno`.
    init(doing what: String, code: Int32 = errno) {
        let isTaken = code == EADDRINUSE
        let says = isTaken ? "another program listens there" : "\(Errno(code))"
        self.init("\(what): \(says) (errno \(code))", isAddressTaken: isTaken)
    }
}
