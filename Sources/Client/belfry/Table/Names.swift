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
        if let start = Since.position(text) { return start }
        throw CommandFailure(
            .usage,
            "'--since \(text)' is no start: write an id, now, earliest, latest, -N, 10m, @SECONDS "
                + "or a time as 2026-11-21T09:00:00Z")
    }
}
