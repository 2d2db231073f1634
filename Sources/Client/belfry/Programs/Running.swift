internal import BelfryClient
internal import Glibc
internal import Protection
internal import Topics

/// `belfry run`.
enum Running {
    /// The result of one run.
    private struct Outcome: Sendable {
        let ending: ProgramEnding
        let tail: OutputTail
        /// The time at which the program ended. Processes that it left behind may have been
        /// listened to longer.
        var end = ContinuousClock.now
    }

    static func run(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        let report = try RunReport(arguments)
        let watch = ProgramWatch()
        try watch.listen()
        // A bus that is away does not keep the program from running.
        let started = Task { await publish(report.started, session) }
        let begin = ContinuousClock.now
        let outcome = await program(arguments.program, watch)
        let (ending, time) = (outcome.ending, outcome.end - begin)
        await started.value
        await publish(report.ended(ending, after: time, outcome.tail.text), session)
        exit(ending.code)
    }

    private static func publish(_ batch: PublishBatch, _ session: Session) async {
        do throws(CommandFailure) {
            let client = session.client
            _ = try await session.ask { () throws(ClientError) in try await client.publish(batch) }
        } catch {
            Output.say("the run is not told: \(error.sentence ?? "")")
        }
    }

    /// Runs the program with our own streams, and waits for its end on a thread of its own.
    private static func program(
        _ words: [String], _ watch: ProgramWatch
    ) async -> Outcome {
        await withCheckedContinuation { continuation in
            do throws(Errno) {
                try OwnedThread {
                    do throws(CommandFailure) {
                        continuation.resume(returning: try perform(words, watch))
                    } catch {
                        continuation.resume(returning: failed(error.sentence ?? ""))
                    }
                }.detach()
            } catch {
                continuation.resume(returning: failed("no thread could be started: \(error)"))
            }
        }
    }

    /// Tells of a program that cannot be run, with the exit status that a shell gives.
    private static func failed(_ sentence: String) -> Outcome {
        Output.say(sentence)
        var tail = OutputTail()
        Array(sentence.utf8).withUnsafeBytes { tail.add($0) }
        return Outcome(ending: .exited(127), tail: tail)
    }

    private static func perform(
        _ words: [String], _ watch: ProgramWatch
    ) throws(CommandFailure) -> Outcome {
        let (pid, ends) = try ProgramStart(words: words, piped: [STDOUT_FILENO, STDERR_FILENO])
            .start()
        watch.add(pid)
        var pipes = ProgramPipes(ends, of: pid)
        var (tail, end) = (OutputTail(), ContinuousClock.now)
        let gone = {
            end = ContinuousClock.now
            watch.remove(pid)
        }
        let ending = pipes.run(
            writing: UnsafeRawBufferPointer(start: nil, count: 0), gone: gone
        ) { stream, bytes in
            tail.add(bytes)
            return ProgramPipes.handOn(bytes, to: stream)
        }
        return Outcome(ending: ending, tail: tail, end: end)
    }
}
