internal import JSON
internal import Topics

/// The two events that tell of one run of a program.
struct RunReport: Sendable {
    private let topic: TopicName
    private let command: [String]
    private let metadata: [String: EventMetadata]

    init(_ arguments: Arguments) throws(CommandFailure) {
        topic = try Names.topic(arguments.operands[0])
        let name = arguments.program[0].split(separator: "/").last.map { String($0) }
        let key = arguments.text("--key") ?? name ?? arguments.program[0]
        command = arguments.program
        // Runs that overlap are told apart by it.
        let run = String(UInt64.random(in: .min ... .max), radix: 36)
        let attributes: EventAttributes
        do throws(AttributeError) {
            attributes = try EventAttributes(["run": run]).traced(by: TraceVariables.ours)
        } catch {
            throw CommandFailure(.usage, "\(error)")
        }
        do throws(MetadataError) {
            var metadata: [String: EventMetadata] = [:]
            for type in ["started", "ended"] {
                metadata[type] = try EventMetadata(
                    type: type, key: key, contentType: "application/json", attributes: attributes)
            }
            self.metadata = metadata
        } catch {
            throw CommandFailure(.usage, "\(error)")
        }
    }

    /// It begins.
    var started: PublishBatch { batch("started") { _ in } }

    /// It has ended.
    func ended(
        _ ending: ProgramEnding, after time: Duration, _ output: String
    ) -> PublishBatch {
        let signal: Int? = if case .signalled(let signal) = ending { Int(signal) } else { nil }
        let (seconds, attoseconds) = time.components
        let thousandths = String(1_000 + attoseconds / 1_000_000_000_000_000).dropFirst()
        return batch("ended") { json in
            json.member("exit", Int(ending.code))
            json.member("signal", signal)
            json.name("seconds")
            json.value { $0.append(contentsOf: "\(seconds).\(thousandths)".utf8) }
            json.member("output", output)
        }
    }

    private func batch(
        _ type: String, _ members: (inout JSONWriter) -> Void
    ) -> PublishBatch {
        let text = JSONWriter.object { json in
            json.member("command", command) { $0.string($1) }
            members(&json)
        }
        return PublishBatch(
            topic: topic, metadata: metadata[type] ?? .none,
            payloads: [Payload(Array(text.utf8))])
    }
}
