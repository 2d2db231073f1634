internal import HTTPFront
internal import Topics
internal import Wire

/// The forms in which one event is written, alike for every reader that wants the form.
enum EventEncoding: UInt8, CaseIterable {
    /// The JSON object alone.
    case envelope
    /// The JSON object as one line of a stream.
    case line
    /// An event of an event stream, with the payload as its data.
    case streamedPayload
    /// The same, under the name of its type.
    case streamedNamedPayload
    /// An event of an event stream, with the envelope as its data.
    case streamedEnvelope
    /// The JSON object as a text message of a WebSocket.
    case envelopeMessage
    /// The payload as a binary message of a WebSocket.
    case payloadMessage

    /// Writes `event` in this form, without framing.
    func write(_ event: Event, to output: inout [UInt8]) {
        switch self {
        case .envelope, .envelopeMessage:
            EventEnvelope.write(event, to: &output)
        case .line:
            EventEnvelope.write(event, to: &output)
            output.append(UInt8(ascii: "\n"))
        case .streamedPayload:
            ServerSentEventsText.payload(of: event, isNamed: false, to: &output)
        case .streamedNamedPayload:
            ServerSentEventsText.payload(of: event, isNamed: true, to: &output)
        case .streamedEnvelope:
            ServerSentEventsText.id(event.id, to: &output)
            ServerSentEventsText.envelope(of: event, to: &output)
        case .payloadMessage:
            output.append(contentsOf: event.payload.bytes)
        }
    }

    /// The bytes before and behind `count` bytes in this form on a connection that frames them.
    func framing(of count: Int) -> (prefix: [UInt8], suffix: [UInt8]) {
        switch self {
        case .envelope: ([], [])
        case .line, .streamedPayload, .streamedNamedPayload, .streamedEnvelope:
            (ChunkFraming.prefix(for: count), ChunkFraming.suffix)
        case .envelopeMessage: (WebSocketFrame.header(.text, count: count), [])
        case .payloadMessage: (WebSocketFrame.header(.binary, count: count), [])
        }
    }
}
