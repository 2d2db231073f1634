internal import BelfryClient
internal import Topics

/// `belfry pub`.
enum Publishing {
    static func run(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        let topic = try Names.topic(arguments.operands[0])
        let areLines = arguments.has("--lines")
        if areLines, arguments.operands.count > 1 {
            throw CommandFailure(.usage, "'--lines' reads standard input: leave the text out")
        }
        for name in ["--rate", "--no-repeat"] where arguments.has(name) && !areLines {
            throw CommandFailure(.usage, "'\(name)' needs '--lines'")
        }
        let attributes = try attributes(arguments, areLines: areLines)
        let ttl = try arguments.duration("--ttl")
        let client = session.client
        guard !areLines else {
            let lines = LinePublishing(
                client, session, topic, attributes, ttl: ttl, rate: try arguments.count("--rate"),
                repeats: !arguments.has("--no-repeat"))
            return say(try await lines.run(), arguments)
        }
        let batch = PublishBatch(
            topic: topic, attributes: attributes, payloads: [try payload(arguments)])
        let receipt = try await session.ask { () throws(ClientError) in
            try await client.publish(batch, ttl: ttl)
        }
        say(receipt.last, arguments)
    }

    /// The text behind the topic, else standard input.
    static func payload(_ arguments: Arguments) throws(CommandFailure) -> Payload {
        if arguments.operands.count > 1 { return Payload(Array(arguments.operands[1].utf8)) }
        guard let bytes = ByteInput.standard.all() else {
            throw CommandFailure(.file, "standard input cannot be read: \(TextFile.lastError)")
        }
        return Payload(bytes)
    }

    private static func say(_ id: EventID?, _ arguments: Arguments) {
        if arguments.has("--id"), let id { Output.standard.write("\(id)\n") }
    }

    /// What the options say of the bytes.
    static func attributes(
        _ arguments: Arguments, areLines: Bool
    ) throws(CommandFailure) -> EventAttributes {
        var contentType = arguments.text("--content-type")
        if arguments.has("--json") {
            guard contentType == nil else {
                throw CommandFailure(.usage, "'--json' and '--content-type' say the same: give one")
            }
            // The bus makes application/json of it for each line.
            contentType = areLines ? "application/x-ndjson" : "application/json"
        }
        do throws(AttributeError) {
            return try EventAttributes(
                type: arguments.text("--type"), key: arguments.text("--key"),
                contentType: contentType)
        } catch {
            throw CommandFailure(.usage, "\(error)")
        }
    }
}
