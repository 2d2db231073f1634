import Foundation
import JSON
import Topics

@testable import BusAPI

extension ParserCheck {
    /// What a client publishes over a WebSocket is what Foundation reads in its message, and is
    /// the same when it is written down again.
    static let messages = ParserCheck("messages", bytesMax: 512) { input in
        guard input.utf8 != nil else { return }
        var ref: MessageRef?
        guard let message = try? ClientMessage(input, ref: &ref) else { return }
        let payload = Array(message.payload.bytes)
        let object =
            try JSONSerialization.jsonObject(with: Data(input)) as? [String: Any] ?? [:]
        try agree(message.topic?.text, object["topic"] as? String, "topic")
        try agree(message.metadata.type, object["type"] as? String, "type")
        try agree(message.metadata.key, object["key"] as? String, "key")
        if let text = object["data"] as? String {
            try agree(payload, Array(text.utf8), "text")
        } else if let base64 = object["data_base64"] as? String {
            try agree(payload, Data(base64Encoded: base64).map(Array.init), "bytes")
        } else {
            try agree(message.metadata.contentType, "application/json", "content type")
        }
        try checkAgain(message, ref)
    }

    private static func checkAgain(_ message: ClientMessage, _ ref: MessageRef?) throws {
        var json = JSONWriter()
        json.beginObject()
        if let ref {
            json.name("ref")
            ref.json.withUnsafeBytes { json.encoded($0) }
        }
        if let topic = message.topic {
            json.name("topic")
            json.string(topic.text)
        }
        if let type = message.metadata.type {
            json.name("type")
            json.string(type)
        }
        if let key = message.metadata.key {
            json.name("key")
            json.string(key)
        }
        if message.metadata.contentType != nil {
            json.name("data")
            json.encoded(message.payload.bytes)
        } else {
            json.name("data_base64")
            json.base64(message.payload.bytes)
        }
        json.endObject()
        var refAgain: MessageRef?
        let again = try json.finished().withUnsafeBytes { try ClientMessage($0, ref: &refAgain) }
        try agree(refAgain, ref, "ref, and written again")
        try agree(again.topic, message.topic, "topic, and written again")
        try agree(again.metadata, message.metadata, "attributes, and written again")
        try agree(Array(again.payload.bytes), Array(message.payload.bytes), "payload, again")
    }
}
