internal import BelfryClient
internal import Topics
internal import Wire

/// Names on the command line.
enum Names {
    static func topic(_ text: String) throws(CommandFailure) -> TopicName {
        do throws(NameError) {
            return try TopicName(text)
        } catch {
            throw CommandFailure(.usage, "'\(text)' is no topic: \(error)")
        }
    }

    /// One selector of several operands.
    static func selector(_ texts: [String]) throws(CommandFailure) -> Selector {
        do throws(NameError) {
            return try Selector(texts.joined(separator: ","))
        } catch {
            throw CommandFailure(
                .usage, "'\(texts.joined(separator: " "))' selects nothing: \(error)")
        }
    }

    static func id(_ text: String) throws(CommandFailure) -> EventID {
        guard let id = EventID(decimal: text), id != .zero else {
            throw CommandFailure(.usage, "'\(text)' is no id")
        }
        return id
    }

    /// The forms of `since` that the bus has.
    static func start(_ text: String) throws(CommandFailure) -> StartPosition {
        switch text {
        case "now": return .now
        case "earliest": return .earliest
        case "latest": return .latest
        default: break
        }
        if let id = EventID(decimal: text) { return id == .zero ? .earliest : .after(id) }
        if text.hasPrefix("-"), let count = Int(text.dropFirst()), count > 0 { return .last(count) }
        if text.hasPrefix("@"), let seconds = Int64(text.dropFirst()), seconds < 1 << 40 {
            return .time(Timestamp(microseconds: seconds * 1_000_000))
        }
        if text.last?.isNumber == false, let back = Quantity.microseconds(text) {
            return .ago(microseconds: back)
        }
        let time = text.utf8.count == 10 ? text + "T00:00:00Z" : text
        if let time = Timestamp(rfc3339: time) { return .time(time) }
        throw CommandFailure(
            .usage,
            "'--since \(text)' is no start: write an id, now, earliest, latest, -N, 10m, @SECONDS "
                + "or a time as 2026-11-21T09:00:00Z")
    }
}
