internal import BelfryClient
internal import Glibc
internal import JSON
internal import Topics
internal import Wire

/// `belfry pub`.
enum Publishing {
    static func run(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        let topic = try Names.topic(arguments.operands[0])
        let areLines = arguments.has("--lines")
        if areLines, arguments.operands.count > 1 {
            throw CommandFailure(.usage, "'--lines' reads standard input: leave the text out")
        }
        if arguments.has("--rate"), !areLines {
            throw CommandFailure(.usage, "'--rate' needs '--lines'")
        }
        if arguments.has("--idempotency-key"), areLines {
            throw CommandFailure(
                .usage, "'--lines' has keys of its own: leave '--idempotency-key' out")
        }
        for name in ["--delay", "--at", "--every", "--if-match"]
        where arguments.has(name) && areLines {
            throw CommandFailure(.usage, "'\(name)' is for one event: leave '--lines' out")
        }
        let metadata = try metadata(arguments, areLines: areLines)
        let ttl = try arguments.duration("--ttl")
        let client = session.client
        guard !areLines else {
            let stop = try LineStop(
                patience: min(session.patience, .seconds(Limits.lastLinesSecondsMax)))
            let lines = LinePublishing(
                client, session, topic, metadata, ttl: ttl, rate: try arguments.count("--rate"),
                stop: stop)
            try stop.listen()
            say(try await lines.run(), arguments)
            if let signal = stop.signal {
                try Output.standard.flush()
                SignalPipe.end(by: signal)
            }
            return
        }
        let batch = PublishBatch(
            topic: topic, metadata: metadata, payloads: [try payload(arguments)],
            condition: try condition(arguments))
        let key = try key(arguments)
        let (due, every) = (try due(arguments), try arguments.duration("--every"))
        if due != nil || every != nil {
            let client = session.client
            let name = arguments.text("--name")
            return say(
                try await session.ask { () throws(ClientError) in
                    try await client.publish(
                        batch, later: due, every: every, name: name, ttl: ttl, key: key)
                }, arguments)
        }
        guard !arguments.has("--name") else {
            throw CommandFailure(.usage, "'--name' is that of a schedule: give '--every' too")
        }
        let receipt = try await session.ask { () throws(ClientError) in
            try await client.publish(batch, ttl: ttl, key: key)
        }
        tellHint(of: receipt)
        if receipt.standing != .new, key != nil {
            Output.say("this key was published before, as event \(receipt.last)")
        }
        say(receipt.last, arguments)
    }

    /// Prints the ticket, and says where it is over already. A person is told how to take it back.
    private static func say(_ outcome: ClientHold, _ arguments: Arguments) {
        switch outcome {
        case .held(let ticket):
            if ticket.due.microseconds <= Int64(time(nil)) * 1_000_000 {
                tellOfPast()
            } else if Output.errors.isTerminal, !arguments.has("--id") {
                Output.say(
                    "held until \(ticket.due); `belfry cancel \(ticket.topic) \(ticket.id)` takes it back"
                )
            }
            say(ticket.id, arguments)
        case .published(let receipt):
            tellOfPast()
            say(receipt.last, arguments)
        }
    }

    private static func tellOfPast() {
        Output.say("its time is over: it is published at once")
    }

    /// When the event is due; nil for now.
    private static func due(_ arguments: Arguments) throws(CommandFailure) -> DueTime? {
        let delay = try arguments.duration("--delay")
        guard let text = arguments.text("--at") else {
            return delay.map { .after(microseconds: $0) }
        }
        guard delay == nil else {
            throw CommandFailure(.usage, "'--delay' and '--at' say the same: give one")
        }
        guard case .time(let time)? = Since.position(text) else {
            throw CommandFailure(
                .usage,
                "'--at \(text)' is no time: write 2026-12-24T08:00:00Z, a date, or @ and Unix seconds"
            )
        }
        return .at(time)
    }

    private static func condition(
        _ arguments: Arguments
    ) throws(CommandFailure) -> PublishCondition? {
        guard let text = arguments.text("--if-match") else { return nil }
        guard let condition = TopicVersion.condition(ofTag: text) else {
            throw CommandFailure(
                .usage,
                "'--if-match \(text)' is no version: give one of `belfry topic show`, as in 123, 0 or none"
            )
        }
        return condition
    }

    private static func key(_ arguments: Arguments) throws(CommandFailure) -> PublishKey? {
        guard let text = arguments.text("--idempotency-key") else { return nil }
        do throws(PublishKeyError) {
            return try PublishKey(text)
        } catch {
            throw CommandFailure(.usage, "'--idempotency-key': \(error)")
        }
    }

    /// Tells the hint of a receipt, about a likely mistake.
    static func tellHint(of receipt: ClientReceipt?) {
        if let hint = receipt?.hint { Output.say(hint) }
    }

    /// The text behind the topic, else standard input. With `--json` it is JSON.
    static func payload(_ arguments: Arguments) throws(CommandFailure) -> Payload {
        let bytes: [UInt8]
        if arguments.operands.count > 1 {
            bytes = Array(arguments.operands[1].utf8)
        } else if let read = fromStandardInput() {
            bytes = read
        } else {
            throw CommandFailure(.file, "standard input cannot be read: \(TextFile.lastError)")
        }
        if arguments.has("--json") { try checkJSON(bytes) }
        return Payload(bytes)
    }

    /// Standard input to its end. A person who only forgot the text would wait for nothing.
    private static func fromStandardInput() -> [UInt8]? {
        if ByteInput.standard.isTerminal {
            Output.say(
                "type the event, and Ctrl-D behind its last line; Ctrl-C publishes nothing")
        }
        return ByteInput.standard.all()
    }

    private static func checkJSON(_ bytes: [UInt8]) throws(CommandFailure) {
        guard let fault = bytes.withUnsafeBytes({ JSONText.fault(in: $0) }) else { return }
        let before = String(decoding: bytes[..<fault], as: UTF8.self).unicodeScalars
            .split(separator: "\n", omittingEmptySubsequences: false)
        let what =
            fault == bytes.count
            ? "ends before its JSON is whole"
            : "is no JSON from line \(before.count), column \(before.last!.count + 1) on"
        throw CommandFailure(.usage, "the text \(what): mend it, or leave '--json' out")
    }

    private static func say(_ id: EventID?, _ arguments: Arguments) {
        if arguments.has("--id"), let id { Output.standard.write("\(id)\n") }
    }

    /// The metadata that the options give.
    static func metadata(
        _ arguments: Arguments, areLines: Bool
    ) throws(CommandFailure) -> EventMetadata {
        var contentType = arguments.text("--content-type")
        if arguments.has("--json") {
            guard contentType == nil else {
                throw CommandFailure(.usage, "'--json' and '--content-type' say the same: give one")
            }
            // The bus makes application/json of it for each line.
            contentType = areLines ? "application/x-ndjson" : "application/json"
        }
        let attributes = try arguments.attributes(ofPublisher: true)
            .traced(by: TraceVariables.ours)
        do throws(MetadataError) {
            return try EventMetadata(
                type: arguments.text("--type"), key: arguments.text("--key"),
                contentType: contentType,
                attributes: attributes)
        } catch {
            throw CommandFailure(.usage, "\(error)")
        }
    }
}
