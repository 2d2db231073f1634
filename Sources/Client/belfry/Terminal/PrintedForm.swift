internal import Topics
internal import Wire

/// How events are printed.
enum PrintedForm: Sendable {
    /// Time, topic and data on a line, for people.
    case line
    /// The bytes, and behind them this one.
    case data(end: UInt8)
    /// One object of JSON a line.
    case json
    /// A line by the text of `--format`.
    case format(LineFormat)

    /// The form that the options ask for.
    init(_ arguments: Arguments) throws(CommandFailure) {
        let given = ["--data", "--json", "-0", "--format"].filter { arguments.has($0) }
        guard given.count <= 1 else {
            throw CommandFailure(
                .usage, "'\(given[0])' and '\(given[1])' are two forms: give one")
        }
        if let form = given.first, !arguments.program.isEmpty {
            throw CommandFailure(
                .usage,
                "'\(form)' is how events are printed: a program behind '--' has the bytes as its "
                    + "input, and BELFRY_TOPIC and others in its environment")
        }
        switch given.first {
        case "--data": self = .data(end: 0x0A)
        case "--json": self = .json
        case "-0": self = .data(end: 0)
        case "--format": self = .format(try LineFormat(arguments.text("--format") ?? ""))
        default: self = .line
        }
    }

    /// Adds an event to standard output.
    func print(_ event: Event) {
        let output = Output.standard
        switch self {
        case .data(let end):
            output.write(event.payload)
            withUnsafeBytes(of: end) { output.write($0) }
        case .json:
            var bytes: [UInt8] = []
            EventEnvelope.write(event, to: &bytes)
            bytes.append(0x0A)
            bytes.withUnsafeBytes { output.write($0, .json) }
        case .format(let format): format.print(event)
        case .line:
            output.write(.dim)
            output.write("\(event.time)")
            output.write(.plain)
            output.write(" ")
            output.write(.bold)
            output.write(event.topic.text)
            output.write(.plain)
            let isShown = event.payload.count <= Limits.shownBinaryBytesMax || event.payload.isText
            let text =
                isShown ? event.payload.text : "(\(event.payload.count) bytes that are no text)"
            output.write(" \(TerminalText.line(text))")
            if let death = Self.death(of: event) {
                output.write(.dim)
                output.write(" (\(TerminalText.line(death)))")
                output.write(.plain)
            }
            output.write("\n")
        }
    }

    /// The group and the reason of a dead letter; nil for every other event.
    private static func death(of event: Event) -> String? {
        let attributes = event.metadata.attributes
        return attributes[DeathAttribute.group.rawValue].map { group in
            "dead letter of \(group): \(attributes[DeathAttribute.reason.rawValue] ?? "")"
        }
    }
}
