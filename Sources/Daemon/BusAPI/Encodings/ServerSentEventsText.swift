internal import Glibc
internal import JSON
internal import Topics
internal import Wire

/// The lines of an event stream (WHATWG HTML, section 9.2).
enum ServerSentEventsText {
    /// The payload as data.
    ///
    /// An event stream is UTF-8 and cannot carry anything else: such a payload goes as an envelope,
    /// under a name that no publisher can give.
    ///
    /// - Parameter isNamed: Whether the type is the event's name, under which alone a browser
    ///   dispatches it; without one `onmessage` is shown it.
    static func payload(of event: Event, isNamed: Bool, to output: inout [UInt8]) {
        let payload = event.payload.bytes
        // Behind others the room grows by itself: made for each, it would be copied for each.
        if output.isEmpty { output.reserveCapacity(payload.count + 64) }
        id(event.id, to: &output)
        guard UTF8Text.isValid(payload) else {
            output.append("event: $envelope\n")
            return envelope(of: event, to: &output)
        }
        if isNamed, let type = event.metadata.type {
            output.append("event: ")
            output.append(contentsOf: type.utf8)
            output.append(lineFeed)
        }
        data(payload, to: &output)
        output.append(lineFeed)
    }

    /// The envelope as data, which ends the event.
    static func envelope(of event: Event, to output: inout [UInt8]) {
        output.append("data: ")
        EventEnvelope.write(event, to: &output)
        output.append("\n\n")
    }

    /// The id that the client remembers.
    static func id(_ id: EventID, to output: inout [UInt8]) {
        output.append("id: ")
        output.append(decimal: id.rawValue)
        output.append(lineFeed)
    }

    /// One field for each line of `text`, which CR, LF and CRLF end, as they end lines for the
    /// reader; the reader joins them again by LF.
    private static func data(_ text: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        var start = 0
        // Few texts have a CR; looked for once, it need not be looked for in each line.
        let hasReturns = index(of: carriageReturn, in: text, from: 0) != nil
        while let end = hasReturns
            ? text[start...].firstIndex(where: { $0 == lineFeed || $0 == carriageReturn })
            : index(of: lineFeed, in: text, from: start)
        {
            line(text[start..<end], to: &output)
            start = end + 1
            if text[end] == carriageReturn, start < text.count, text[start] == lineFeed {
                start += 1
            }
        }
        line(text[start...], to: &output)
    }

    private static func index(
        of byte: UInt8, in text: UnsafeRawBufferPointer, from start: Int
    ) -> Int? {
        guard start < text.count, let base = text.baseAddress else { return nil }
        return memchr(base + start, Int32(byte), text.count - start).map {
            UnsafeRawPointer($0) - base
        }
    }

    private static func line(_ text: Slice<UnsafeRawBufferPointer>, to output: inout [UInt8]) {
        output.append("data: ")
        output.append(contentsOf: UnsafeRawBufferPointer(rebasing: text))
        output.append(lineFeed)
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
}
