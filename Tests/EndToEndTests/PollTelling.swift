import TestSupport
import Testing

extension RawClient.Answer {
    /// What an answer to a long poll of either form says, an end by DELETE included.
    func told(isJSON: Bool) throws -> [Told] {
        let cursor = try #require(number("event-cursor"), "\(statusLine): \(text)")
        var told: [Told] = []
        if let text = header("event-gap") {
            let match = try #require(text.wholeMatch(of: /after=([0-9]+), through=([0-9]+)/))
            told.append(.gap(ToldGap(after: UInt64(match.1)!, through: UInt64(match.2)!)))
        }
        switch status {
        case 200 where isJSON:
            let body = try PollBody(self)
            let gap = try body.gap.map {
                Told.gap(
                    ToldGap(
                        after: try #require(UInt64($0.after)),
                        through: try #require(UInt64($0.through))))
            }
            try #require(told.first == gap)
            told += try body.events.map {
                let id: UInt64 = try #require(UInt64($0.id))
                let payload = String(decoding: try $0.payload, as: UTF8.self)
                return .event(Delivery(id: id, topic: $0.topic, type: $0.type, payload: payload))
            }
        case 200:
            let id: UInt64 = try #require(number("event-id"))
            let topic: String = try #require(header("event-topic"))
            told.append(
                .event(
                    Delivery(id: id, topic: topic, type: header("event-type"), payload: text)))
        case 204 where !isJSON: break
        case 410: try #require(member("code") == "TOPIC_DELETED")
        default: Issue.record("\(statusLine): \(text)")
        }
        return told + [.cursor(cursor)]
    }
}
