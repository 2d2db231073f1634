internal import Glibc
internal import Protection
internal import Topics

/// The program behind `--`, which runs once for each event.
struct EventProgram: Sendable {
    /// The result of one run.
    struct Run: Sendable {
        let ending: ProgramEnding
        /// The bytes that it wrote to standard output, if they were kept.
        var output: [UInt8] = []
        /// Whether it wrote more than an event can have.
        var isTooLong = false
        /// The last line of its standard error, or else of its output, as far as they were kept.
        var lastLine: String?
    }

    let words: [String]
    /// Whether it reads payloads as they are; else a text has a line end.
    var isRaw = false
    /// The outputs of it that are kept; the others are our own streams. Of standard error the last
    /// lines are kept, and all of it is handed on.
    var kept: Set<Int32> = []
    /// Passes signals on to it; nil where it is left to the terminal.
    var watch: ProgramWatch?

    /// Runs it with the payload as its standard input and the rest in its environment, and waits for
    /// its end on a thread of its own.
    ///
    /// - Parameter variables: More variables beside those of the event; each name gets `BELFRY_` in
    ///   front.
    func run(
        for event: Event, _ variables: [(name: String, text: String)] = []
    ) async throws(CommandFailure) -> Run {
        let result: Result<Run, CommandFailure> = await withCheckedContinuation { continuation in
            do throws(Errno) {
                try OwnedThread {
                    do throws(CommandFailure) {
                        continuation.resume(returning: .success(try perform(event, variables)))
                    } catch {
                        continuation.resume(returning: .failure(error))
                    }
                }.detach()
            } catch {
                continuation.resume(
                    returning: .failure(
                        CommandFailure(.failedProgram, "no thread could be started: \(error)")))
            }
        }
        return try result.get()
    }

    /// The same until it ends with 0. After a failure it runs again behind a pause, up to `retries`
    /// times more.
    func run(for event: Event, retries: Int) async throws(CommandFailure) {
        var (left, seconds) = (retries, 1)
        while true {
            let ending = try await run(for: event).ending
            if ending == .exited(0) { return }
            let sentence = "\(words[0]) \(ending.sentence) for event \(event.id)"
            guard left > 0 else { throw CommandFailure(.failedProgram, sentence) }
            Output.say("\(sentence): it runs again in \(seconds) s")
            try? await Task.sleep(for: .seconds(seconds))
            left -= 1
            seconds = min(seconds * 2, Limits.retrySecondsMax)
        }
    }

    private func perform(
        _ event: Event, _ variables: [(name: String, text: String)]
    ) throws(CommandFailure) -> Run {
        let trace = TraceVariables.variables(of: event)
        let start = ProgramStart(
            words: words, variables: Self.variables(of: event) + Self.named(variables) + trace,
            // Those of another event, whose program we are.
            left: [Self.prefix + Self.attribute] + (trace.isEmpty ? [] : TraceVariables.names),
            piped: kept.union([STDIN_FILENO]), ownGroup: watch != nil)
        let (pid, ends) = try start.start()
        watch?.add(-pid)
        var pipes = ProgramPipes(ends, of: pid)
        var (output, isTooLong) = ([UInt8](), false)
        var tails: [Int32: OutputTail] = [:]
        let input = isRaw ? event.payload : ProgramInput.payload(of: event)
        let ending = input.withUnsafeBytes { bytes in
            pipes.run(writing: bytes, gone: { watch?.remove(-pid) }) { stream, bytes in
                tails[stream, default: OutputTail()].add(bytes)
                if stream == STDERR_FILENO { return ProgramPipes.handOn(bytes, to: stream) }
                isTooLong = isTooLong || output.count + bytes.count > Limits.outputBytesMax
                if !isTooLong { output.append(contentsOf: bytes) }
                return true
            }
        }
        let lastLine = tails[STDERR_FILENO]?.lastLine ?? tails[STDOUT_FILENO]?.lastLine
        return Run(ending: ending, output: output, isTooLong: isTooLong, lastLine: lastLine)
    }

    private static func variables(of event: Event) -> [(name: String, text: String)] {
        named([
            ("ID", "\(event.id)"), ("TOPIC", event.topic.text), ("TIME", "\(event.time)"),
            ("TYPE", event.metadata.type ?? ""), ("KEY", event.metadata.key ?? ""),
            ("CONTENT_TYPE", event.metadata.contentType ?? ""),
        ])
            + named(
                event.metadata.attributes.all.map {
                    (attribute + $0.name.uppercased(), $0.value)
                })
    }

    private static func named(
        _ variables: [(name: String, text: String)]
    ) -> [(name: String, text: String)] {
        variables.map { (prefix + $0.name, $0.text) }
    }

    private static let prefix = "BELFRY_"
    private static let attribute = "ATTRIBUTE_"
}
