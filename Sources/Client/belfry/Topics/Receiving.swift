internal import BelfryClient
internal import Glibc
internal import Protection
internal import Topics

/// `belfry sub` and `belfry wait`.
enum Receiving {
    /// The arguments that both of them take.
    private struct Wish: Sendable {
        let selector: Selector
        let start: StartPosition
        let filter: EventFilter

        init(_ arguments: Arguments) throws(CommandFailure) {
            selector = try Names.selector(arguments.operands)
            start =
                try arguments.text("--since").map { text throws(CommandFailure) in
                    try Names.start(text)
                } ?? .now
            filter = EventFilter(attributes: try arguments.attributes(ofPublisher: false)) {
                arguments.text(CommandOption.name(of: $0))
            }
        }
    }

    /// Tells a person who waits for a topic that is not there, and which name is near. Nothing else is
    /// wrong with that: the first event makes it.
    private static func tellAbsence(of selector: Selector, _ session: Session) {
        guard Output.errors.isTerminal, let name = selector.singleName else { return }
        Task {
            let pattern = try TopicPattern(name.text)
            guard try await session.client.topics(matching: pattern).topics.isEmpty else { return }
            let near = await TopicCommands.near(name.text, session)
            Output.say("there is no topic '\(name)' yet; waiting for its first event\(near)")
        }
    }

    static func run(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        let wish = try Wish(arguments)
        let form = try PrintedForm(arguments)
        let file = try arguments.text("--name").map { name throws(CommandFailure) in
            try CursorFile(name, of: wish.selector)
        }
        let program =
            arguments.program.isEmpty
            ? nil : EventProgram(words: arguments.program, isRaw: arguments.has("--raw"))
        for name in ["--retry", "--parallel"] where arguments.has(name) && program == nil {
            throw CommandFailure(.usage, "'\(name)' needs a program behind '--'")
        }
        let count = try arguments.parallel()
        let start = file?.start.map { .after($0) } ?? wish.start
        let end: SubscriptionEnd = arguments.has("--until-now") ? .now : .never
        let client = session.client
        let subscription = try await session.ask { () throws(ClientError) in
            try await client.subscribe(
                wish.selector, since: start, filter: wish.filter, until: end)
        }
        tellAbsence(of: wish.selector, session)
        // From here on nothing that comes is missed, however this run ends.
        if file?.start == nil { try file?.keep(subscription.cursor) }
        let limits = try ReadingLimits(
            arguments, wanted: program == nil ? .all : wish.filter.toActOn)
        if let program, count > 1 {
            return try await ParallelReading(
                subscription, program, file, limits, countMax: count
            ).run()
        }
        let reading = SubscriptionReading(subscription, form, file, program, limits)
        try await reading.run()
    }

    static func wait(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        let wish = try Wish(arguments)
        let form = try PrintedForm(arguments)
        let isOver = Protected(false)
        if let timeout = try arguments.duration("--timeout") {
            Task {
                try await Task.sleep(for: .microseconds(timeout))
                // The one of the two that is first says how it ends.
                let isFirst = isOver.write { isOver in
                    defer { isOver = true }
                    return !isOver
                }
                if isFirst { exit(CommandExit.nothing.rawValue) }
            }
        }
        let client = session.client
        let subscription = try await session.ask { () throws(ClientError) in
            try await client.subscribe(wish.selector, since: wish.start, filter: wish.filter)
        }
        tellAbsence(of: wish.selector, session)
        do throws(ClientError) {
            for try await case .event(let event) in subscription {
                let isFirst = isOver.write { isOver in
                    defer { isOver = true }
                    return !isOver
                }
                if isFirst { form.print(event) }
                return
            }
        } catch {
            throw CommandFailure(error)
        }
    }
}
