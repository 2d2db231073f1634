internal import Topics

/// The form that browsers' `EventSource` reads.
///
/// A block that only has an id dispatches nothing, and is remembered: that is how the cursor is
/// said.
struct ServerSentEventsForm: StreamForm {
    /// Whether the data of an event is its envelope, else its payload.
    let hasEnvelopes: Bool

    var encoding: EventEncoding { hasEnvelopes ? .streamedEnvelope : .streamedPayload }

    var contentType: String? { "text/event-stream" }

    var eventsSayCursor: Bool { true }

    func begin(retryMilliseconds: Int, to output: inout [UInt8]) {
        heartbeat(to: &output)
        output.append("retry: ")
        output.append(decimal: retryMilliseconds)
        output.append("\n")
    }

    func cursor(_ cursor: EventID, to output: inout [UInt8]) {
        ServerSentEventsText.id(cursor, to: &output)
        output.append("\n")
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
