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
        let client = session.client
        guard !areLines else {
            let lines = LinePublishing(
                client, session, topic, attributes, rate: try arguments.count("--rate"),
                repeats: !arguments.has("--no-repeat"))
            return say(try await lines.run(), arguments)
        }
        let payload: Payload
        if arguments.operands.count > 1 {
            payload = Payload(Array(arguments.operands[1].utf8))
        } else if let bytes = ByteInput.standard.all() {
            payload = Payload(bytes)
        } else {
            throw CommandFailure(.file, "standard input cannot be read: \(TextFile.lastError)")
        }
        let batch = PublishBatch(topic: topic, attributes: attributes, payloads: [payload])
        let receipt = try await session.ask { () throws(ClientError) in
            try await client.publish(batch)
        }
        say(receipt.last, arguments)
    }

    private static func say(_ id: EventID?, _ arguments: Arguments) {
        if arguments.has("--id"), let id { Output.standard.write("\(id)\n") }
    }

    private static func attributes(
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
