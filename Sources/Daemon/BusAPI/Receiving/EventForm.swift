internal import HTTPFront
internal import JSON
internal import Wire

/// The form in which a reader wants its events.
enum EventForm: Equatable {
    /// One event an answer, its payload as the body.
    case raw
    /// All events that are there, as one JSON object.
    case json

    /// A stream of envelopes, one a line.
    case ndjson
    /// A stream that `EventSource` reads.
    case sse
    /// Messages of a WebSocket: payloads as binary ones, or envelopes as text.
    case webSocket(isRaw: Bool)

    /// The form as figures name it.
    var delivery: DeliveryForm {
        switch self {
        case .raw: .raw
        case .json: .json
        case .ndjson: .ndjson
        case .sse: .sse
        case .webSocket: .websocket
        }
    }

    /// The form that `as`, or else `Accept`, asks for.
    ///
    /// `Accept` is read as RFC 9110 section 12.5.1 says: the highest weight wins, of equal ones the
    /// first named. A request that names no known form gets raw events.
    static func chosen(_ head: RequestHead, _ parameters: Parameters) throws(Refusal) -> EventForm {
        if head.asksForWebSocket {
            return .webSocket(
                isRaw: try parameters.choice("as", ["raw": true, "json": false]) ?? false)
        }
        guard !head.headers.has("sec-websocket-key") else {
            throw Refusal(
                .requestMalformed,
                "This is the handshake of a WebSocket without `Upgrade: websocket` and HTTP/1.1: a proxy "
                    + "in front took them away. It has to pass on both headers, Upgrade and Connection."
            )
        }
        if let form = try parameters.choice(
            "as", ["raw": EventForm.raw, "json": .json, "ndjson": .ndjson, "sse": .sse])
        {
            return form
        }
        guard let accept = head.headers.first("accept"), accept != "*/*" else { return .raw }
        let isOne = head.headers.occurrences(of: "accept") == 1
        return best(of: isOne ? accept : head.headers.all("accept").joined(separator: ","))
    }

    private static func best(of accept: String) -> EventForm {
        var best: (weight: Int, form: EventForm)?
        for range in accept.split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.trimmingBlanks }
            guard let form = parts.first.flatMap(named) else { continue }
            let weight = parts.dropFirst().compactMap(weight).first ?? 1_000
            if weight > (best?.weight ?? 0) { best = (weight, form) }
        }
        return best?.form ?? .raw
    }

    private static func named(_ media: Substring) -> EventForm? {
        if ASCII.isEqualIgnoringCase(media, "*/*") { return .raw }
        if ASCII.isEqualIgnoringCase(media, "application/json") { return .json }
        if ASCII.isEqualIgnoringCase(media, "application/x-ndjson") { return .ndjson }
        if ASCII.isEqualIgnoringCase(media, "text/event-stream") { return .sse }
        return nil
    }

    /// The weight that a parameter gives, in thousandths; nil if it gives none.
    private static func weight(_ parameter: Substring) -> Int? {
        guard parameter.hasPrefix("q=") || parameter.hasPrefix("Q="),
            let value = Double(parameter.dropFirst(2)), (0...1).contains(value)
        else { return nil }
        return Int(value * 1_000)
    }
}
