/// The names that tokens may have.
enum TokenName {
    static func isValid(_ name: String) -> Bool {
        (1...AccessLimits.tokenNameBytesMax).contains(name.utf8.count)
            && name.utf8.allSatisfy(isWord)
    }

    static let form =
        "the name of a token has 1 to \(AccessLimits.tokenNameBytesMax) bytes of A-Z a-z 0-9 _ . -"

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
