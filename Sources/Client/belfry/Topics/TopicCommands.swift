internal import BelfryClient
internal import Glibc
internal import JSON
internal import Topics
internal import Wire

/// `belfry topics`, `topic show`, `topic set`, `topic rm` and `get`.
enum TopicCommands {
    static func list(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        let pattern: TopicPattern?
        do throws(NameError) {
            pattern = try arguments.operands.first.map { text throws(NameError) in
                try TopicPattern(text)
            }
        } catch {
            throw CommandFailure(.usage, "'\(arguments.operands[0])' is no pattern: \(error)")
        }
        let client = session.client
        let topics = try await session.ask { () throws(ClientError) in
            try await client.topics(matching: pattern).topics
        }
        if topics.isEmpty, let word = arguments.operands.first {
            throw CommandFailure(
                .nothing,
                "there is no topic '\(word)' that you may see" + (await near(word, session)))
        }
        print(topics, arguments)
    }

    /// The topic that somebody who mistyped a name probably meant, as the end of a sentence.
    static func near(_ word: String, _ session: Session) async -> String {
        let all = try? await session.client.topics().topics
        return Nearest.question(about: word, among: (all ?? []).map(\.name.text))
    }

    static func show(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        let topic = try Names.topic(arguments.operands[0])
        let client = session.client
        let found = try await session.ask { () throws(ClientError) in
            try await client.description(of: topic)
        }
        guard let found else {
            let near = await near(topic.text, session)
            throw CommandFailure(.nothing, "there is no topic '\(topic)'" + near)
        }
        guard !arguments.has("--json") else { return Output.standard.write(json: json(found)) }
        let version = try await session.ask(isRepeatable: true) { () throws(ClientError) in
            try await client.version(of: topic)
        }
        let id = { (id: EventID?) in id.map { "\($0)" } ?? "-" }
        PrintedTable.print(
            ["NAME", "VALUE"],
            [["topic", "\(found.name)"], ["registered", found.isRegistered ? "yes" : "no"]]
                + TopicSetting.all.map { [$0.member, $0.text(of: found) ?? "-"] } + [
                    ["events", "\(found.events)"], ["bytes", "\(found.bytes)"],
                    ["published", "\(found.published)"], ["oldest", id(found.oldest)],
                    ["newest", id(found.newest)], ["version", version.tag],
                    ["newest_time", found.newestTime.map { "\($0)" } ?? "-"],
                    ["silent_since", found.silentSince.map { "\($0)" } ?? "-"],
                    ["subscribers", "\(found.subscribers)"],
                ])
    }

    /// The options of `topic set`, in the order of the settings.
    static let options = TopicSetting.all.map { setting in
        CommandOption("--\(setting.name)", setting.valueName, setting.summary)
    }

    static func set(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        let topic = try Names.topic(arguments.operands[0])
        let parameters = TopicSetting.all.compactMap { setting in
            arguments.text("--\(setting.name)").map { (name: setting.name, text: $0) }
        }
        let client = session.client
        // To say the same twice does no harm.
        let made = try await session.ask(isRepeatable: true) { () throws(ClientError) in
            try await client.register(topic, parameters: parameters)
        }
        if let hint = made.hint { Output.say(hint) }
    }

    static func remove(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        let topic = try Names.topic(arguments.operands[0])
        let client = session.client
        do throws(CommandFailure) {
            try await session.ask { () throws(ClientError) in try await client.remove(topic) }
        } catch {
            guard error.refusal?.code == "TOPIC_UNKNOWN" else { throw error }
            let near = await near(topic.text, session)
            throw CommandFailure(.nothing, "there is no topic '\(topic)'" + near)
        }
    }

    static func get(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        let id = try Names.id(arguments.operands.last!)
        let client = session.client
        let topic: TopicName
        if arguments.operands.count > 1 {
            topic = try Names.topic(arguments.operands[0])
        } else {
            topic = try await self.topic(of: id, session)
        }
        let lookup = try await session.ask { () throws(ClientError) in
            try await client.event(id, in: topic)
        }
        guard case .found(let event) = lookup else {
            throw CommandFailure(
                .nothing, "there is no event \(id) in \(topic) any more, or never was")
        }
        Output.standard.write(event.payload)
    }

    /// The topic of an event of which only the id is known.
    private static func topic(
        of id: EventID, _ session: Session
    ) async throws(CommandFailure) -> TopicName {
        let everything = try Names.selector([">"])
        let client = session.client
        let subscription = try await session.ask { () throws(ClientError) in
            try await client.subscribe(
                everything, since: .after(id.predecessor), until: .now)
        }
        do throws(ClientError) {
            for try await case .event(let event) in subscription {
                if event.id == id { return event.topic }
                break
            }
        } catch {
            throw CommandFailure(error)
        }
        throw CommandFailure(.nothing, "there is no event \(id), or not any more")
    }

    // MARK: Printing

    private static func print(_ topics: [TopicDescription], _ arguments: Arguments) {
        guard !arguments.has("--json") else {
            for topic in topics { Output.standard.write(json: json(topic)) }
            return
        }
        let now = SystemClock().now()
        PrintedTable.print(
            ["TOPIC", "EVENTS", "BYTES", "NEWEST", "SUBSCRIBERS", "REGISTERED"],
            topics.map { topic in
                [
                    "\(topic.name)", "\(topic.events)", "\(topic.bytes)",
                    topic.newestTime.map { $0.age(at: now) } ?? "-", "\(topic.subscribers)",
                    topic.isRegistered ? "yes" : "no",
                ]
            })
    }

    private static func json(_ topic: TopicDescription) -> String {
        JSONWriter.object { topic.writeMembers(to: &$0) }
    }
}
