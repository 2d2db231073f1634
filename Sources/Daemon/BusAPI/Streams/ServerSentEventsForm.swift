internal import HTTPFront
internal import JSON
internal import Topics

/// The form that browsers' `EventSource` reads.
///
/// A block that only has an id dispatches nothing, and its id is remembered. So such a block tells
/// the cursor if no block with data does. Some libraries hand on such blocks as empty messages: the
/// parameter `cursors` leaves them out.
struct ServerSentEventsForm: StreamForm {
    /// Whether the data of an event is its envelope, else its payload.
    let hasEnvelopes: Bool
    /// Whether the name of an event is its type. An envelope has the type as a member instead.
    let hasNames: Bool
    /// Whether blocks without data tell the cursor.
    let saysCursors: Bool

    static let parameters = ["envelope", "named", "cursors"]

    /// The form that the parameters of a request for an event stream ask for.
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

    /// Whether a request asks for an event stream. Its other parameters may have invalid values.
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

    /// The cursor has no block of its own if a block with data comes first. A gap has the cursor as
    /// its id, so that it is told again to a reader that is cut off behind it. An event has a later
    /// id.
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

    /// The gap has no id: a reader that goes on from its last id is told the gap again.
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
    /// Living Standard, section 9.2.3). So a temporary refusal is a stream without events. A
    /// comment tells its reason, and `retry` when to come again. No line is empty: some libraries
    /// would hand on a message.
    ///
    /// - Parameter milliseconds: Draws how long a reader waits if the bus ends.
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
