/// Topics by the shape of their names: `*` is exactly one segment, `>` one or more at the end.
///
/// Neither wildcard matches the bus's own topics (`$…`). A pattern without a wildcard matches the
/// one name it spells.
public struct TopicPattern: Hashable, Sendable, CustomStringConvertible {
    /// The pattern as it was written.
    public let text: String
    let hasWildcard: Bool

    /// The pattern that `text` spells, by the rules of a topic name and with wildcards.
    ///
    /// - Throws: `NameError`, which names the wrong byte, its index and the correct form.
    /// - Complexity: O(length), at most 255 bytes are looked at.
    public init(_ text: some StringProtocol) throws(NameError) {
        try self.init(text: String(text), offset: 0)
    }

    init(text: String, offset: Int) throws(NameError) {
        let found = try NameGrammar(allowsWildcards: true, offset: offset).check(text)
        self.text = text
        hasWildcard = found.hasWildcard
    }

    /// Whether `name` has this shape.
    ///
    /// - Complexity: O(length of both), without allocating.
    public func matches(_ name: TopicName) -> Bool {
        guard hasWildcard else { return text == name.text }
        guard !name.isReserved else { return false }
        var shape = text
        var candidate = name.text
        return shape.withUTF8 { shape in
            candidate.withUTF8 { Self.matches(shape, $0) }
        }
    }

    private static func matches(
        _ shape: UnsafeBufferPointer<UInt8>, _ name: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        var inShape = 0
        var inName = 0
        while inShape < shape.count {
            guard inName < name.count else { return false }
            switch shape[inShape] {
            case UInt8(ascii: ">"):
                return true
            case UInt8(ascii: "*"):
                inShape += 1
                while inName < name.count, name[inName] != UInt8(ascii: ".") { inName += 1 }
            default:
                guard shape[inShape] == name[inName] else { return false }
                inShape += 1
                inName += 1
            }
        }
        return inName == name.count
    }

    /// The pattern as it was written.
    public var description: String { text }
}
