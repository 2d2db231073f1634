internal import Topics

/// The line that `--format` says: text with names in braces, which an event fills in.
struct LineFormat: Sendable {
    /// The names that may stand in braces: the parts of an event.
    enum Name: String, CaseIterable {
        case id, topic, time, type, key, data
        case contentType = "content_type"
    }

    private enum Piece {
        case text(String)
        case name(Name)
        case attribute(String)
    }

    /// The beginning of a name that stands for an attribute.
    private static let attributePrefix = "attribute."

    private let pieces: [Piece]

    /// The format that a text is: `{{` and `}}` are single braces.
    init(_ text: String) throws(CommandFailure) {
        var (pieces, plain) = ([Piece](), "")
        var rest = text[...]
        while let character = rest.popFirst() {
            let isTwice = (character == "{" || character == "}") && rest.first == character
            if isTwice { rest.removeFirst() }
            guard character == "{", !isTwice else {
                plain.append(character)
                continue
            }
            let word = String(rest.prefix { $0 != "}" })
            guard let piece = Self.piece(word), rest.count > word.count else {
                let names = Name.allCases.map(\.rawValue) + [Self.attributePrefix + "NAME"]
                throw CommandFailure(
                    .usage,
                    "'--format' has no '{\(word)}': write "
                        + names.map { "{\($0)}" }.joined(separator: " "))
            }
            rest = rest.dropFirst(word.count + 1)
            pieces += [.text(plain), piece]
            plain = ""
        }
        self.pieces = pieces + [.text(plain + "\n")]
    }

    private static func piece(_ word: String) -> Piece? {
        if let name = Name(rawValue: word) { return .name(name) }
        let isAttribute = word.hasPrefix(attributePrefix) && word.count > attributePrefix.count
        return isAttribute ? .attribute(String(word.dropFirst(attributePrefix.count))) : nil
    }

    /// Adds an event to standard output.
    func print(_ event: Event) {
        for piece in pieces {
            switch piece {
            case .text(let text): Output.standard.write(text)
            case .attribute(let name):
                Output.standard.write(event.metadata.attributes[name] ?? "")
            case .name(.data): Output.standard.write(event.payload)
            case .name(.id): Output.standard.write("\(event.id)")
            case .name(.topic): Output.standard.write(event.topic.text)
            case .name(.time): Output.standard.write("\(event.time)")
            case .name(.type): Output.standard.write(event.metadata.type ?? "")
            case .name(.key): Output.standard.write(event.metadata.key ?? "")
            case .name(.contentType): Output.standard.write(event.metadata.contentType ?? "")
            }
        }
    }
}
