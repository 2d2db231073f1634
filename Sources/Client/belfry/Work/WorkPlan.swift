internal import BelfryClient
internal import Topics

/// The plan of every loop of a worker: the group, the program, and the use of its output.
struct WorkPlan: Sendable {
    /// The destination of the program's standard output.
    enum Destination: Sendable {
        /// Our own standard output alone.
        case ours
        /// To this topic, as an event with the key of its job.
        case topic(TopicName)
        /// To somebody who waits for the reply.
        case reply
    }

    let session: Session
    let group: ClientGroup
    /// The topics of a group that is made if there is none.
    let selector: Selector?
    let program: EventProgram
    let output: Destination
    /// The content type of the output.
    let contentType: String?
    /// How long a lease lasts that is not extended, in microseconds.
    let lease: Int64
    /// Whether it ends when no job is at hand.
    let isUntilEmpty: Bool

    /// The settlement of a job after the end of its program.
    func settlement(of job: ClientJob, _ run: EventProgram.Run) throws(CommandFailure)
        -> ClientSettlement
    {
        switch run.ending {
        case .exited(0) where !run.isTooLong:
            return job.settled(.done(try result(of: job, run.output)))
        case .exited(Self.dataError):
            if case .reply = output, !run.isTooLong {
                return job.settled(.dead(refusal: try result(of: job, run.output)))
            }
            return job.dead
        default: return retry(of: job)
        }
    }

    /// The settlement of a job that is tried again. Somebody waits for a reply, so a request comes
    /// again sooner than a job.
    func retry(of job: ClientJob) -> ClientSettlement {
        guard case .reply = output else { return job.retry }
        let doublings = Int64(min(max(job.attempt - 1, 0), 30))
        let pause = min(
            Limits.requestPauseMicrosecondsFirst << doublings, Limits.requestPauseMicrosecondsMax)
        return job.settled(.retry(delay: pause))
    }

    /// The refusal that an asker gets after the last attempt; nil for a job that comes again.
    ///
    /// - Parameters:
    ///   - words: The last words of the program.
    ///   - attempts: How many the group allows.
    func refusal(of job: ClientJob, _ words: String, attempts: Int) -> ClientSettlement? {
        guard case .reply = output, job.attempt >= attempts else { return nil }
        let sentence = Payload(Array(words.utf8))
        return job.settled(.dead(refusal: ClientOutput(sentence, metadata: Self.plainText)))
    }

    /// How a program ended that failed, as a sentence.
    func how(_ run: EventProgram.Run) -> String {
        "\(program.words[0]) "
            + (run.isTooLong
                ? "wrote more than an event can have (\(Limits.outputBytesMax) bytes)"
                : run.ending.sentence)
    }

    /// Its last words: how it ended, and its last line.
    func words(of run: EventProgram.Run) -> String {
        how(run) + (run.isTooLong ? "" : run.lastLine.map { ": \($0)" } ?? "")
    }

    private static let plainText =
        (try? EventMetadata(contentType: "text/plain; charset=utf-8")) ?? .none

    /// `EX_DATAERR` of sysexits(3): to try it again is no use.
    static let dataError: Int32 = 65

    private func result(
        of job: ClientJob, _ bytes: [UInt8]
    ) throws(CommandFailure) -> ClientOutput? {
        let topic: TopicName?
        switch output {
        case .ours: return nil
        case .topic(let name): topic = name
        case .reply: topic = nil
        }
        do throws(MetadataError) {
            return ClientOutput(
                Payload(bytes),
                metadata: try EventMetadata(
                    key: topic == nil ? nil : job.event.metadata.key, contentType: contentType,
                    attributes: topic == nil
                        ? .none : EventAttributes.none.traced(by: job.event.metadata.attributes)),
                to: topic)
        } catch {
            throw CommandFailure(.usage, "\(error)")
        }
    }
}
