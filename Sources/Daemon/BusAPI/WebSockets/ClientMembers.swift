internal import JSON
internal import Wire

/// The members of the JSON object in a client's text message, found but not understood yet. Valid as long
/// as the message.
struct ClientMembers {
    /// The members that a message may have.
    static let names =
        ["topic", "data", "data_base64"] + WireField.parameters + [
            "\(WireAttribute.member)", "ref",
        ]

    /// The first member that should not be there, if any.
    private(set) var stray: Refusal?
    private var values = [UnsafeRawBufferPointer?](repeating: nil, count: Self.names.count)

    /// Reads the whole message, so that a mistake in one member hides no other.
    ///
    /// - Parameter message: Bytes that are known to be valid UTF-8.
    /// - Throws: `Refusal` if it is not one JSON object.
    /// - Complexity: O(bytes).
    init(_ message: UnsafeRawBufferPointer) throws(Refusal) {
        var reader = JSONReader(message)
        guard reader.takes("{") else { throw Self.malformed("is not a JSON object", at: reader) }
        if !reader.takes("}") {
            repeat { try member(&reader) } while reader.takes(",")
            guard reader.takes("}") else {
                throw Self.malformed("has neither ',' nor '}' behind a member", at: reader)
            }
        }
        guard reader.isAtEnd() else {
            throw Self.malformed("goes on behind its JSON object", at: reader)
        }
    }

    /// The value of a member of ``names`` as it stands in the message.
    subscript(name: String) -> UnsafeRawBufferPointer? {
        guard let index = Self.names.firstIndex(of: name) else {
            preconditionFailure("a message has no member '\(name)'")
        }
        return values[index]
    }

    private mutating func member(_ reader: inout JSONReader) throws(Refusal) {
        guard let token = reader.stringToken() else {
            throw Self.malformed("has no member's name where one belongs", at: reader)
        }
        let name = String(decoding: JSONText.unescaped(token.inside), as: UTF8.self)
        let shown = name.prefix(Limits.shownNameCharacters)
        guard reader.takes(":") else {
            throw Self.malformed("has no ':' behind '\(shown)'", at: reader)
        }
        guard let value = reader.value() else {
            throw Self.malformed(
                "has no JSON as the value of '\(shown)' (at most \(JSONLimits.depthMax) levels, "
                    + "numbers that a double can hold, no lone surrogates)", at: reader)
        }
        keep(value, of: name, shown)
    }

    private mutating func keep(_ value: UnsafeRawBufferPointer, of name: String, _ shown: Substring)
    {
        guard let index = Self.names.firstIndex(of: name) else {
            let list = Self.names.joined(separator: ", ")
            return note(
                Refusal(
                    .parameterUnknown,
                    "'\(shown)' is no member of a message that publishes; it knows \(list)."))
        }
        guard values[index] == nil else {
            return note(
                Refusal(.parameterRepeated, "'\(name)' is in the message twice; give it once."))
        }
        values[index] = value
    }

    private mutating func note(_ refusal: Refusal) {
        if stray == nil { stray = refusal }
    }

    private static func malformed(_ what: String, at reader: JSONReader) -> Refusal {
        Refusal(
            .requestMalformed,
            "The message \(what), at byte \(reader.index); publish with "
                + #"{"topic":…,"data":…}."#)
    }
}
