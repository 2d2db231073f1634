/// The members of the JSON object in a client's text message, found but not understood yet.
struct ClientMembers {
    /// The members that a message may have.
    enum Name: String, CaseIterable {
        case topic, data
        case dataBase64 = "data_base64"
        case type, key, ref
    }

    /// The first member that should not be there, if any.
    private(set) var stray: Refusal?
    private var text: [UInt8] = []
    private var places = [Range<Int>?](repeating: nil, count: Name.allCases.count)

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

    /// The value of a member as JSON text, white space between tokens aside.
    subscript(name: Name) -> ArraySlice<UInt8>? {
        places[Self.place(of: name)].map { text[$0] }
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
        guard let known = Name(rawValue: name) else {
            let list = Name.allCases.map(\.rawValue).joined(separator: ", ")
            return note(
                Refusal(
                    .parameterUnknown,
                    "'\(shown)' is no member of a message that publishes; it knows \(list)."))
        }
        guard self[known] == nil else {
            return note(
                Refusal(.parameterRepeated, "'\(name)' is in the message twice; give it once."))
        }
        places[Self.place(of: known)] = place
    }

    private mutating func note(_ refusal: Refusal) {
        if stray == nil { stray = refusal }
    }

    private static func place(of name: Name) -> Int { Name.allCases.firstIndex(of: name)! }

    private static func malformed(_ what: String, at scanner: JSONScanner) -> Refusal {
        Refusal(
            .requestMalformed,
            "The message \(what), at byte \(scanner.index); publish with "
                + #"{"topic":…,"data":…}."#)
    }
}
