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
    }

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
            guard let name = Name(rawValue: word), rest.count > word.count else {
                throw CommandFailure(
                    .usage,
                    "'--format' has no '{\(word)}': write "
                        + Name.allCases.map { "{\($0.rawValue)}" }.joined(separator: " "))
            }
            rest = rest.dropFirst(word.count + 1)
            pieces += [.text(plain), .name(name)]
            plain = ""
        }
        self.pieces = pieces + [.text(plain + "\n")]
    }

    /// Adds an event to standard output.
    func print(_ event: Event) {
        for piece in pieces {
            switch piece {
            case .text(let text): Output.standard.write(text)
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
