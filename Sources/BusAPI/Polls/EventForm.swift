internal import HTTPFront

/// In which form a reader wants its events.
enum EventForm: Equatable {
    /// One event an answer, its payload as the body.
    case raw
    /// All events that are there, as one JSON object.
    case json

    /// The form that `as`, or else `Accept`, asks for.
    ///
    /// `Accept` is read as RFC 9110 section 12.5.1 says: the highest weight wins, of equal ones
    /// the first named. What matches no form is raw.
    static func chosen(_ head: RequestHead, _ parameters: Parameters) throws(Refusal) -> EventForm {
        if let word = parameters.text("as") {
            switch word {
            case "raw": return .raw
            case "json": return .json
            case "ndjson", "sse": throw streamsAreMissing(word)
            default:
                throw Refusal(
                    .parameterInvalid, "'as' is '\(word)'; it can be raw or json.")
            }
        }
        if head.headers.list("upgrade", contains: "websocket") {
            throw streamsAreMissing("WebSocket")
        }
        guard let accept = head.headers.first("accept"), accept != "*/*" else { return .raw }
        let isOne = head.headers.occurrences(of: "accept") == 1
        return try best(of: isOne ? accept : head.headers.all("accept").joined(separator: ","))
    }

    private static func best(of accept: String) throws(Refusal) -> EventForm {
        var best: (weight: Int, media: Substring)?
        for range in accept.split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.trimmingBlanks }
            guard let media = parts.first, known(media) else { continue }
            let weight = parts.dropFirst().compactMap(weight).first ?? 1_000
            if weight > (best?.weight ?? 0) { best = (weight, media) }
        }
        guard let media = best?.media else { return .raw }
        if ASCII.isEqualIgnoringCase(media, "application/json") { return .json }
        if ASCII.isEqualIgnoringCase(media, "*/*") { return .raw }
        throw streamsAreMissing(String(media))
    }

    private static func known(_ media: Substring) -> Bool {
        ASCII.isEqualIgnoringCase(media, "application/json")
            || ASCII.isEqualIgnoringCase(media, "application/x-ndjson")
            || ASCII.isEqualIgnoringCase(media, "text/event-stream")
            || ASCII.isEqualIgnoringCase(media, "*/*")
    }

    /// A weight in thousandths, of a parameter that is one.
    private static func weight(_ parameter: Substring) -> Int? {
        guard parameter.hasPrefix("q=") || parameter.hasPrefix("Q="),
            let value = Double(parameter.dropFirst(2)), (0...1).contains(value)
        else { return nil }
        return Int(value * 1_000)
    }

    private static func streamsAreMissing(_ form: String) -> Refusal {
        Refusal(
            .notSupported, "\(form) is not offered yet; poll with as=raw or as=json instead.")
    }
}

extension Substring {
    /// The text without the blanks and tabs around it.
    var trimmingBlanks: Substring {
        var text = self
        while let first = text.utf8.first, first == 0x20 || first == 0x09 { text.removeFirst() }
        while let last = text.utf8.last, last == 0x20 || last == 0x09 { text.removeLast() }
        return text
    }
}
