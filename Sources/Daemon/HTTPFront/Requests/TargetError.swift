/// Why a request target cannot be read.
public struct TargetError: Error, Equatable {
    /// The fault and its place, as a sentence for the client.
    public let detail: String

    init(detail: String) {
        self.detail = detail
    }

    init(forbidden byte: UInt8, at index: Int) {
        switch byte {
        case 0: detail = "The target holds NUL at byte \(index)."
        case 0x20: detail = "The target holds a blank at byte \(index); it is written %20."
        case UInt8(ascii: "#"):
            detail = "The target holds a fragment at byte \(index); a literal # is written %23."
        default: detail = "The target holds a control byte at byte \(index)."
        }
    }
}
