import Foundation
import TestSupport
import Topics
import Wire

@testable import BusAPI

extension ParserCheck {
    /// A payload comes back from the envelope and from the event stream as it was published.
    ///
    /// Input: a Content-Type, then a line feed and the payload.
    static let envelopes = ParserCheck("envelopes", bytesMax: 256) { input in
        let parts = input.parts(2)
        let contentType = parts[0].isEmpty ? nil : parts[0].text
        guard parts.count > 1,
            let metadata = try? EventMetadata(type: "a", key: "b", contentType: contentType)
        else { return }
        let payload = Array(parts[1])
        let event = Event(
            id: EventID(rawValue: 7), time: Timestamp(microseconds: 1),
            topic: try TopicName("t"), payload: Payload(payload), metadata: metadata,
            sender: Sender(uid: 1, pid: 2), isStored: false)
        try checkEnvelope(of: event, payload)
        for isNamed in [false, true] {
            try checkEventStream(of: event, isNamed: isNamed, payload)
        }
    }

    private static func checkEnvelope(of event: Event, _ payload: [UInt8]) throws {
        var text: [UInt8] = []
        EventEnvelope.write(event, to: &text)
        try hold(!text.contains { $0 < 0x20 || $0 == 0x7F }, "a control in an envelope")
        let object = try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any] ?? [:]
        try agree(object["id"] as? String, "7", "id")
        try agree(object["content_type"] as? String, event.metadata.contentType, "content type")
        let isText = String(validating: payload, as: UTF8.self) != nil
        try agree(object["data_base64"] == nil, isText, "text, and data")
        if let base64 = object["data_base64"] as? String {
            try agree(Data(base64Encoded: base64).map(Array.init), payload, "bytes")
        } else if let text = object["data"] as? String, Array(text.utf8) == payload {
            return
        } else {
            // Then it is the JSON that was published.
            let value = try JSONSerialization.jsonObject(
                with: Data(payload), options: .fragmentsAllowed)
            try agree(object["data"] as? NSObject, value as? NSObject, "JSON")
        }
    }

    private static func checkEventStream(
        of event: Event, isNamed: Bool, _ payload: [UInt8]
    ) throws {
        var text: [UInt8] = []
        ServerSentEventsText.payload(of: event, isNamed: isNamed, to: &text)
        var reader = EventStreamReader()
        let items = try reader.feed(text)
        try reader.finish()
        guard let published = String(validating: payload, as: UTF8.self) else {
            guard case .event("7", "$envelope", _) = items.first, items.count == 1 else {
                throw Broken(description: "no envelope, but \(items)")
            }
            return
        }
        var data = String.UnicodeScalarView()
        let before = (" " + published).unicodeScalars
        for (scalar, before) in zip(published.unicodeScalars, before) {
            if before == "\r", scalar == "\n" { continue }
            data.append(scalar == "\r" ? "\n" : scalar)
        }
        try agree(
            items, [.event(id: "7", type: isNamed ? "a" : nil, data: String(data))],
            "event stream")
    }
}
