internal import HTTPFront
internal import JSON
internal import Topics

/// The form that browsers' `EventSource` reads.
///
/// A block that only has an id dispatches nothing, and is remembered: that is how the cursor is
/// said where no block with data says it. Some libraries hand on such blocks as empty messages: the
/// parameter `cursors` leaves them out.
struct ServerSentEventsForm: StreamForm {
    /// Whether the data of an event is its envelope, else its payload.
    let hasEnvelopes: Bool
    /// Whether the name of an event is its type; not of an envelope, which has it as a member.
    let hasNames: Bool
    /// Whether blocks without data say the cursor.
    let saysCursors: Bool

    static let parameters = ["envelope", "named", "cursors"]

    /// What a request for this form of events says about it.
    ///
    /// - Parameter hasOneTopic: Whether the selector is the name of one topic.
    init(
        _ form: EventForm, _ parameters: Parameters, hasOneTopic: Bool
    ) throws(Refusal) {
        /// A choice that only an event stream has.
        func choice(_ name: String) throws(Refusal) -> Bool? {
            let wanted = try parameters.truth(name)
            guard wanted == nil || form == .sse else {
                throw Refusal(
                    .parameterInvalid, "'\(name)' is for event streams alone: ask with as=sse.")
            }
            return wanted
        }
        hasEnvelopes = try choice("envelope") ?? !hasOneTopic
        let named = try choice("named")
        if hasEnvelopes, named != nil {
            throw Refusal(
                .parameterInvalid,
                "'named' is for event streams of payloads: ask for one topic, or with envelope=no.")
        }
        hasNames = named ?? false
        saysCursors = try choice("cursors") ?? true
    }

    /// Whether a request asks for an event stream, however wrong the rest of it is.
    static func isAsked(by head: RequestHead) -> Bool {
        guard head.method == "GET", Resource(head.target)?.kind == .topic,
            let parameters = try? Parameters(head.target.query, known: ReceiveRequest.parameters)
        else { return false }
        return (try? EventForm.chosen(head, parameters)) == .sse
    }

    var encoding: EventEncoding {
        hasEnvelopes ? .streamedEnvelope : hasNames ? .streamedNamedPayload : .streamedPayload
    }

    var contentType: String? { "text/event-stream" }

    var eventsSayCursor: Bool { true }

    /// The cursor has no block of its own where one with data comes first: the gap has it as its id,
    /// so that it is told again to a reader that is cut off behind it, and an event has a later one.
    func begin(
        at cursor: EventID, _ gap: Gap?, eventsFollow: Bool, retryMilliseconds: Int,
        to output: inout [UInt8]
    ) {
        heartbeat(to: &output)
        output.append("retry: ")
        output.append(decimal: retryMilliseconds)
        output.append("\n")
        if let gap {
            firstGap(gap, to: &output)
        } else if !eventsFollow {
            self.cursor(cursor, to: &output)
        }
    }

    func cursor(_ cursor: EventID, to output: inout [UInt8]) {
        guard saysCursors else { return }
        ServerSentEventsText.id(cursor, to: &output)
        output.append("\n")
    }

    func firstGap(_ gap: Gap, to output: inout [UInt8]) {
        ServerSentEventsText.id(gap.after, to: &output)
        self.gap(gap, to: &output)
    }

    /// The gap has no id: a reader that goes on from the id it has is told it again.
    func gap(_ gap: Gap, to output: inout [UInt8]) {
        output.append("event: $gap\ndata: ")
        var json = JSONWriter()
        gap.write(to: &json)
        output.append(contentsOf: json.bytes)
        output.append("\n\n")
    }

    func heartbeat(to output: inout [UInt8]) {
        output.append(":\n")
    }
}

extension Refusal {
    /// The answer to a request for an event stream.
    ///
    /// `EventSource` comes again behind a stream that ends, and never behind another status (HTML
    /// Living Standard, section 9.2.3). So what passes is a stream without events: a comment says why,
    /// and `retry` when to come again. No line is empty: some libraries would hand on a message.
    ///
    /// - Parameter milliseconds: How long a reader waits of a bus that ends.
    func eventStream(retryingIn milliseconds: () -> Int) -> Response {
        let (usual, status) = (self.response, problem.response.status)
        guard status == 429 || status == 503 else { return usual }
        let isLeaving = problem.code == ProblemCode.draining.rawValue
        let retry = isLeaving ? milliseconds() : Limits.refusedStreamRetryMilliseconds
        return Response(
            status: 200,
            headers: [("Content-Type", "text/event-stream"), ("X-Accel-Buffering", "no")],
            body: .bytes(
                Array(": \(problem.code) \(problem.detail)\nretry: \(retry)\n".utf8)))
    }
}
