internal import BelfryClient
internal import Topics

/// What every loop of a worker does.
struct WorkPlan: Sendable {
    /// Where the standard output of the program goes.
    enum Destination: Sendable {
        /// Nowhere but to our own.
        case ours
        /// To this topic, as an event with the key of its job.
        case topic(TopicName)
        /// To somebody who waits for the reply.
        case reply
    }

    let group: ClientGroup
    /// The topics of a group that is made if there is none.
    let selector: Selector?
    let program: EventProgram
    let output: Destination
    /// What the output is.
    let contentType: String?
    /// How long a lease lasts that is not extended, in microseconds.
    let lease: Int64
    /// Whether it ends where no job is at hand.
    let isUntilEmpty: Bool

    /// What is said of a job behind the end of its program.
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
        default: return job.retry
        }
    }

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
        do throws(AttributeError) {
            return ClientOutput(
                Payload(bytes),
                attributes: try EventAttributes(
                    key: topic == nil ? nil : job.event.attributes.key, contentType: contentType),
                to: topic)
        } catch {
            throw CommandFailure(.usage, "\(error)")
        }
    }
}
