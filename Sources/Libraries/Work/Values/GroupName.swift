/// The name of a work group: 1 to 64 of `A-Z a-z 0-9 . _ -`, compared byte for byte.
public struct GroupName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The name as it was written.
    public let text: String

    /// The group that `text` names.
    ///
    /// - Throws: `WorkNameError`, which says which byte is wrong and where.
    package init(_ text: some StringProtocol) throws(WorkNameError) {
        self.text = try WorkNameError.checked(String(text), "a group's name")
    }

    /// The name as it was written.
    public var description: String { text }

    /// Whether `left` sorts before `right`.
    public static func < (left: GroupName, right: GroupName) -> Bool { left.text < right.text }
}

/// The name of one worker's loop, as its caller chose it: 1 to 64 of `A-Z a-z 0-9 . _ -`.
///
/// A worker is its name and its caller: another caller with the same name is another worker.
package struct WorkerName: Hashable, Sendable, CustomStringConvertible {
    /// The name as it was written.
    package let text: String

    /// The worker that `text` names.
    ///
    /// - Throws: `WorkNameError`, which says which byte is wrong and where.
    package init(_ text: some StringProtocol) throws(WorkNameError) {
        self.text = try WorkNameError.checked(String(text), "a worker's name")
    }

    /// The name as it was written.
    package var description: String { text }
}

/// Why a text is no name of a group or a worker.
package struct WorkNameError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence: the mistake, and which text is allowed.
    package let description: String

    static func checked(_ text: String, _ what: String) throws(WorkNameError) -> String {
        let bytesMax = Limits.nameBytesMax
        guard (1...bytesMax).contains(text.utf8.count) else {
            throw WorkNameError(
                description: "\(what) has 1 to \(bytesMax) bytes, not \(text.utf8.count)")
        }
        if text.utf8.allSatisfy(isAllowed) { return text }
        for (index, byte) in text.utf8.enumerated() where !isAllowed(byte) {
            throw WorkNameError(
                description:
                    "byte 0x\(String(byte, radix: 16, uppercase: true)) at index \(index): "
                    + "\(what) has A to Z, a to z, 0 to 9, dots, underscores and dashes only")
        }
        return text
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
