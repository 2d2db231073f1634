internal import HTTPFront
internal import Topics

/// Messages of a WebSocket: what the bus itself says is one JSON object each, in a text frame.
///
/// Which it is, a member tells: `topic` stands in events alone, `cursor` and `gap` in what they are
/// named for; all else answers what the client published (``PublishAcknowledgements``).
struct WebSocketForm: StreamForm {
    /// Whether events are their payloads, as binary messages.
    let isRaw: Bool

    var encoding: EventEncoding { isRaw ? .payloadMessage : .envelopeMessage }

    var contentType: String? { nil }

    /// A payload does not say its id, so that cursors have to.
    var eventsSayCursor: Bool { !isRaw }

    func cursor(_ cursor: EventID, to output: inout [UInt8]) {
        output += WebSocketFrame.text(StreamControlMessage.cursor(cursor).taken())
    }

    func gap(_ gap: Gap, to output: inout [UInt8]) {
        output += WebSocketFrame.text(StreamControlMessage.gap(gap).taken())
    }

    /// A WebSocket has pings of its own for that.
    func heartbeat(to output: inout [UInt8]) {}
}
