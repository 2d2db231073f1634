internal import Topics

/// The two events that tell of one run of a program.
struct RunReport: Sendable {
    private let topic: TopicName
    private let command: String
    private let attributes: [String: EventAttributes]

    init(_ arguments: Arguments) throws(CommandFailure) {
        topic = try Names.topic(arguments.operands[0])
        let name = arguments.program[0].split(separator: "/").last.map { String($0) }
        let key = arguments.text("--key") ?? name ?? arguments.program[0]
        command =
            "[" + arguments.program.map { EventJSON.string($0) }.joined(separator: ",") + "]"
        do throws(AttributeError) {
            var attributes: [String: EventAttributes] = [:]
            for type in ["started", "ended"] {
                attributes[type] = try EventAttributes(
                    type: type, key: key, contentType: "application/json")
            }
            self.attributes = attributes
        } catch {
            throw CommandFailure(.usage, "\(error)")
        }
    }

    /// It begins.
    var started: PublishBatch { batch("started", #"{"command":\#(command)}"#) }

    /// It has ended.
    func ended(
        _ ending: ProgramEnding, after time: Duration, _ output: String
    ) -> PublishBatch {
        let signal =
            if case .signalled(let signal) = ending { "\(signal)" } else { "null" }
        let (seconds, attoseconds) = time.components
        let thousandths = String(1_000 + attoseconds / 1_000_000_000_000_000).dropFirst()
        return batch(
            "ended",
            #"{"command":\#(command),"exit":\#(ending.code),"signal":\#(signal)"#
                + #","seconds":\#(seconds).\#(thousandths),"output":\#(EventJSON.string(output))}"#)
    }

    private func batch(_ type: String, _ text: String) -> PublishBatch {
        PublishBatch(
            topic: topic, attributes: attributes[type] ?? .none,
            payloads: [Payload(Array(text.utf8))])
    }
}
