/// The members of the JSON object in a client's text message, found but not understood yet.
struct ClientMembers {
    /// The members that a message may have.
    static let names = ["topic", "data", "data_base64"] + WireAttribute.parameters + ["ref"]

    /// The first member that should not be there, if any.
    private(set) var stray: Refusal?
    private var text: [UInt8] = []
    private var places = [Range<Int>?](repeating: nil, count: Self.names.count)

    /// Reads the whole message, so that what is wrong with one member hides no other.
    ///
    /// - Parameter message: Bytes that are known to be valid UTF-8.
    /// - Throws: `Refusal` where it is not one JSON object.
    /// - Complexity: O(bytes).
    init(_ message: UnsafeRawBufferPointer) throws(Refusal) {
        text.reserveCapacity(message.count)
        var scanner = JSONScanner(message)
        scanner.skipSpace()
        guard scanner.take(UInt8(ascii: "{"), into: &text) else {
            throw Self.malformed("is not a JSON object", at: scanner)
        }
        scanner.skipSpace()
        if !scanner.take(UInt8(ascii: "}"), into: &text) {
            repeat { try member(&scanner) } while scanner.take(UInt8(ascii: ","), into: &text)
            guard scanner.take(UInt8(ascii: "}"), into: &text) else {
                throw Self.malformed("has neither ',' nor '}' behind a member", at: scanner)
            }
        }
        scanner.skipSpace()
        guard scanner.isAtEnd else {
            throw Self.malformed("goes on behind its JSON object", at: scanner)
        }
    }

    /// The value of a member of ``names`` as JSON text, white space between tokens aside.
    subscript(name: String) -> ArraySlice<UInt8>? {
        guard let index = Self.names.firstIndex(of: name) else {
            preconditionFailure("a message has no member '\(name)'")
        }
        return places[index].map { text[$0] }
    }

    private mutating func member(_ scanner: inout JSONScanner) throws(Refusal) {
        scanner.skipSpace()
        var start = text.count
        guard scanner.next == UInt8(ascii: "\""), scanner.string(into: &text) else {
            throw Self.malformed("has no member's name where one belongs", at: scanner)
        }
        let name = String(decoding: JSONString.text(of: text[start...]), as: UTF8.self)
        let shown = name.prefix(Limits.shownNameCharacters)
        scanner.skipSpace()
        guard scanner.take(UInt8(ascii: ":"), into: &text) else {
            throw Self.malformed("has no ':' behind '\(shown)'", at: scanner)
        }
        scanner.skipSpace()
        start = text.count
        guard scanner.value(depth: 1, into: &text) else {
            throw Self.malformed(
                "has no JSON as the value of '\(shown)' (at most \(Limits.jsonDepthMax) levels, "
                    + "numbers that a double can hold, no lone surrogates)", at: scanner)
        }
        keep(start..<text.count, of: name, shown)
        scanner.skipSpace()
    }

    private mutating func keep(_ place: Range<Int>, of name: String, _ shown: Substring) {
        guard let index = Self.names.firstIndex(of: name) else {
            let list = Self.names.joined(separator: ", ")
            return note(
                Refusal(
                    .parameterUnknown,
                    "'\(shown)' is no member of a message that publishes; it knows \(list)."))
        }
        guard places[index] == nil else {
            return note(
                Refusal(.parameterRepeated, "'\(name)' is in the message twice; give it once."))
        }
        places[index] = place
    }

    private mutating func note(_ refusal: Refusal) {
        if stray == nil { stray = refusal }
    }

    private static func malformed(_ what: String, at scanner: JSONScanner) -> Refusal {
        Refusal(
            .requestMalformed,
            "The message \(what), at byte \(scanner.index); publish with "
                + #"{"topic":…,"data":…}."#)
    }
}
