import Foundation
import TestSupport

/// One JSON text of the bus in a stream, read by a parser that is not the bus's own. Members that
/// the contract does not know are malformed.
enum StreamText: Sendable {
    case told(Told)
    /// The answer to what was published over the same connection: what it was about, and the id
    /// or the problem.
    case receipt(ref: String?, id: UInt64?, problem: String?)

    init(_ text: String) throws {
        guard let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        else { throw RawClient.Failure.malformed(text) }
        if let cursor = object["cursor"], object.count == 1 {
            self = .told(.cursor(try Self.id(cursor, text)))
        } else if let gap = object["gap"] as? [String: Any], object.count == 1 {
            self = .told(.gap(try Self.gap(gap, text)))
        } else if object["topic"] != nil {
            self = .told(.event(try Self.event(object, text)))
        } else if let id = object["id"], Set(object.keys).isSubset(of: ["id", "ref"]) {
            self = .receipt(
                ref: object["ref"] as? String, id: try Self.id(id, text), problem: nil)
        } else if let code = object["code"] as? String, object["status"] is Int {
            self = .receipt(ref: object["ref"] as? String, id: nil, problem: code)
        } else {
            throw RawClient.Failure.malformed(text)
        }
    }

    /// The gap that this text is.
    static func gap(_ text: String) throws -> ToldGap {
        guard let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        else { throw RawClient.Failure.malformed(text) }
        return try gap(object, text)
    }

    private static let required: Set = ["id", "topic", "time"]
    private static let members: Set = [
        "id", "topic", "time", "type", "key", "content_type", "data", "data_base64", "sender",
    ]

    private static func event(_ object: [String: Any], _ text: String) throws -> Delivery {
        let keys = Set(object.keys)
        guard keys.isSubset(of: members), keys.isSuperset(of: required),
            let topic = object["topic"] as? String
        else { throw RawClient.Failure.malformed(text) }
        let payload: String
        switch (object["data"], object["data_base64"]) {
        case (let data as String, nil): payload = data
        case (nil, let base64 as String):
            guard let data = Data(base64Encoded: base64) else {
                throw RawClient.Failure.malformed(text)
            }
            payload = String(decoding: data, as: UTF8.self)
        default: throw RawClient.Failure.malformed(text)
        }
        return Delivery(
            id: try id(object["id"], text), topic: topic, type: object["type"] as? String,
            payload: payload)
    }

    private static func gap(_ object: [String: Any], _ text: String) throws -> ToldGap {
        guard Set(object.keys) == ["after", "through"] else {
            throw RawClient.Failure.malformed(text)
        }
        return ToldGap(
            after: try id(object["after"], text), through: try id(object["through"], text))
    }

    private static func id(_ value: Any?, _ text: String) throws -> UInt64 {
        guard let value = value as? String, let id = UInt64(value), "\(id)" == value else {
            throw RawClient.Failure.malformed(text)
        }
        return id
    }
}
