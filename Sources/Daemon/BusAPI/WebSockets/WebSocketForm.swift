internal import HTTPFront
internal import Topics

/// Messages of a WebSocket. Those of the bus itself are one JSON object each, in a text frame.
///
/// A member tells the kinds apart: `topic` is in events alone, `cursor` in cursors and `gap` in
/// gaps. All other messages answer those that the client published (``PublishAcknowledgements``).
struct WebSocketForm: StreamForm {
    /// Whether events are their payloads, as binary messages.
    let isRaw: Bool

    var encoding: EventEncoding { isRaw ? .payloadMessage : .envelopeMessage }

    var contentType: String? { nil }

    /// A payload does not have its id, so cursors have to tell it.
    var eventsSayCursor: Bool { !isRaw }

    func cursor(_ cursor: EventID, to output: inout [UInt8]) {
        output += WebSocketFrame.text(StreamControlMessage.cursor(cursor).taken())
    }

    func gap(_ gap: Gap, to output: inout [UInt8]) {
        output += WebSocketFrame.text(StreamControlMessage.gap(gap).taken())
    }

    /// WebSockets have their own pings for that.
    func heartbeat(to output: inout [UInt8]) {}
}
