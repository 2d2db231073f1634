/// Why a field of an event was refused.
public struct MetadataError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The field that was refused.
    public let field: MetadataField
    /// A sentence that names the fault, the byte where it is, and the correct form.
    public let detail: String

    private init(_ field: MetadataField, _ detail: String) {
        self.field = field
        self.detail = detail
    }

    /// The same sentence.
    public var description: String { detail }

    /// Refuses a text that no field can have.
    package static func check(
        _ text: String, _ field: MetadataField
    ) throws(MetadataError) {
        let bytes = text.utf8
        guard !bytes.isEmpty, bytes.count <= Limits.attributeBytesMax else {
            throw MetadataError(
                field,
                "the \(field) has \(bytes.count) bytes: leave it out, or write 1 to "
                    + "\(Limits.attributeBytesMax)")
        }
        if let bad = bytes.firstIndex(where: { $0 < 0x20 || $0 > 0x7E }) {
            let hex = String(bytes[bad], radix: 16, uppercase: true)
            let offset = bytes.distance(from: bytes.startIndex, to: bad)
            throw MetadataError(
                field,
                "byte 0x\(hex.count < 2 ? "0" : "")\(hex) at index \(offset) of the "
                    + "\(field) is not allowed: use printable ASCII, 0x20 to 0x7E")
        }
        if bytes.first == 0x20 || bytes.last == 0x20 {
            throw MetadataError(
                field,
                "the \(field) begins or ends with a space: remove the outer spaces")
        }
    }
}
