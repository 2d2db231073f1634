internal import BelfryClient
internal import Topics

/// `belfry dead` and `revive`.
enum DeadLetterCommands {
    static func dead(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        let group = session.client.group(arguments.operands[0])
        let id = try arguments.operands.dropFirst().first.map { (text) throws(CommandFailure) in
            try Names.id(text)
        }
        let topic = try await topic(of: group, session)
        let letters = try await DeadLetter.all(of: group, in: topic, session)
        if let id {
            return try await show(find(id, among: letters), topic, arguments, session)
        }
        let left = letters.filter { arguments.has("--revived") || !$0.isRevived }
        guard !arguments.has("--json") else {
            for letter in left { Output.standard.write(json: letter.json) }
            return
        }
        let now = SystemClock().now()
        PrintedTable.print(
            ["LETTER", "JOB", "FROM", "KEY", "ATTEMPTS", "DIED", "REASON"],
            left.map { letter in
                [
                    "\(letter.id)", letter.job.map { "\($0)" } ?? "-", letter.topic,
                    letter.key ?? "-", letter.attempts, letter.time.age(at: now),
                    (letter.isRevived ? "(revived) " : "") + letter.reason,
                ]
            })
    }

    private static func show(
        _ letter: DeadLetter, _ topic: TopicName, _ arguments: Arguments, _ session: Session
    ) async throws(CommandFailure) {
        guard !arguments.has("--json") else { return Output.standard.write(json: letter.json) }
        let client = session.client
        let lookup = try await session.ask { () throws(ClientError) in
            try await client.event(letter.id, in: topic)
        }
        guard case .found(let event) = lookup else { throw gone(letter.id) }
        let payload =
            event.payload.isText ? event.payload.text : "(\(event.payload.count) bytes)"
        PrintedTable.print(
            ["NAME", "VALUE"],
            [
                ["letter", "\(letter.id)"], ["in", topic.text],
                ["job", letter.job.map { "\($0)" } ?? "-"], ["from", letter.topic],
                ["type", event.metadata.type ?? "-"], ["key", letter.key ?? "-"],
                ["attempts", letter.attempts], ["died", "\(letter.time)"],
                ["reason", letter.reason], ["revived", letter.isRevived ? "yes" : "no"],
                ["payload", payload],
            ])
    }

    static func revive(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        let group = session.client.group(arguments.operands[0])
        let words = arguments.operands.dropFirst()
        guard words.isEmpty == arguments.has("--all") else {
            throw CommandFailure(
                .usage, "'belfry revive' takes the id of a letter or of its job, or '--all'")
        }
        guard let word = words.first else {
            return try await reviveAll(of: group, arguments, session)
        }
        do throws(CommandFailure) {
            let revived = try await reviveAny(try Names.id(word), of: group, session)
            if arguments.has("--id") { Output.standard.write("\(revived)\n") }
        } catch {
            throw GroupCommands.failure(error, group)
        }
    }

    /// Publishes a letter again by its own id, or by that of its job. The bus knows the newest letters
    /// by their jobs; the dead topic has them all.
    private static func reviveAny(
        _ id: EventID, of group: ClientGroup, _ session: Session
    ) async throws(CommandFailure) -> EventID {
        do throws(CommandFailure) {
            return try await revive(id, of: group, session)
        } catch {
            guard error.refusal?.code == "EVENT_UNKNOWN" else { throw error }
        }
        let letters = try await DeadLetter.all(
            of: group, in: topic(of: group, session), session)
        return try await revive(find(id, among: letters).id, of: group, session)
    }

    private static func reviveAll(
        of group: ClientGroup, _ arguments: Arguments, _ session: Session
    ) async throws(CommandFailure) {
        let topic = try await topic(of: group, session)
        let letters = try await DeadLetter.all(of: group, in: topic, session)
        var count = 0
        for letter in letters where !letter.isRevived {
            do throws(CommandFailure) {
                let id = try await revive(letter.id, of: group, session)
                if arguments.has("--id") { Output.standard.write("\(id)\n") }
                count += 1
            } catch {
                // Somebody else did it, or retention took it meanwhile.
                if ["JOB_SETTLED", "EVENT_UNKNOWN"].contains(error.refusal?.code) { continue }
                Output.say("\(count) of \(letters.count) letters were published again")
                throw GroupCommands.failure(error, group)
            }
        }
        Output.say("\(count) letter\(count == 1 ? " was" : "s were") published again")
    }

    private static func revive(
        _ letter: EventID, of group: ClientGroup, _ session: Session
    ) async throws(CommandFailure) -> EventID {
        try await session.ask { () throws(ClientError) in try await group.revive(letter) }
    }

    // MARK: Helpers

    /// The topic that the letters of a group go to.
    private static func topic(
        of group: ClientGroup, _ session: Session
    ) async throws(CommandFailure) -> TopicName {
        let found = try await session.ask { () throws(ClientError) in
            try await group.description()
        }
        guard let found else { throw GroupCommands.absent(group) }
        guard let dead = found.settings.dead?.topic else {
            throw CommandFailure(
                .nothing,
                "the group \(group.name) has no topic for dead letters: 'belfry group set "
                    + "\(group.name) --dead TOPIC' names one")
        }
        return dead
    }

    private static func find(
        _ id: EventID, among letters: [DeadLetter]
    ) throws(CommandFailure) -> DeadLetter {
        guard let letter = letters.last(where: { $0.id == id || $0.job == id }) else {
            throw gone(id)
        }
        return letter
    }

    private static func gone(_ id: EventID) -> CommandFailure {
        CommandFailure(.nothing, "\(id) is no dead letter of the group, or not any more")
    }
}
