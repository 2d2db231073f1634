internal import BelfryClient
internal import Glibc
internal import Topics

/// `belfry subscribers`.
enum SubscriberCommands {
    static func list(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        var topic: TopicName?
        if let word = arguments.operands.first { topic = try Names.topic(word) }
        let (client, asked) = (session.client, topic)
        let found = try await session.ask { () throws(ClientError) in
            try await client.subscribers(of: asked)
        }
        if let asked, found.isEmpty {
            throw CommandFailure(
                .nothing,
                "nobody that you may see waits for '\(asked)'"
                    + (await TopicCommands.near(asked.text, session)))
        }
        guard !arguments.has("--json") else {
            for subscriber in found { Output.standard.write(json: subscriber.json) }
            return
        }
        let now = SystemClock().now()
        PrintedTable.print(
            ["SELECTOR", "FORM", "USER", "PID", "SINCE", "BEHIND"],
            found.map { subscriber in
                [
                    subscriber.selector, subscriber.form, name(of: subscriber),
                    subscriber.pid.map { "\($0)" } ?? "-", subscriber.since.age(at: now),
                    subscriber.behind.map { "\($0)" } ?? "-",
                ]
            })
    }

    /// The user's name, its number where it has none here, and the token that was shown.
    private static func name(of subscriber: ClientSubscriber) -> String {
        let user = subscriber.user.map { number in
            getpwuid(uid_t(clamping: number)).map { String(cString: $0.pointee.pw_name) }
                ?? "\(number)"
        }
        let token = subscriber.token.map { "token \($0)" }
        let names = [user, token].compactMap(\.self)
        return names.isEmpty ? "-" : names.joined(separator: ", ")
    }
}
