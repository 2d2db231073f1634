import Foundation
import TestSupport
import Testing

/// The JSON answer of a long poll, read by a parser that is not the bus's own.
struct PollBody: Decodable {
    /// One event.
    struct Envelope: Decodable {
        let id: String
        let topic: String
        let time: String
        let type: String?
        let key: String?
        let content_type: String?
        let data: String?
        let data_base64: String?
    }

    /// A gap that was told.
    struct Gap: Decodable {
        let after: String
        let through: String
    }

    let events: [Envelope]
    let cursor: String
    let gap: Gap?

    init(_ answer: RawClient.Answer) throws {
        try #require(answer.status == 200, "\(answer.statusLine): \(answer.text)")
        self = try JSONDecoder().decode(PollBody.self, from: Data(answer.body))
        try #require(answer.header("event-cursor") == cursor)
    }
}

extension PollBody.Envelope {
    /// The payload, of which exactly one form has to be there.
    var payload: [UInt8] {
        get throws {
            try #require((data == nil) != (data_base64 == nil), "one of data and data_base64")
            if let data { return Array(data.utf8) }
            return Array(try #require(Data(base64Encoded: data_base64 ?? "")))
        }
    }
}
