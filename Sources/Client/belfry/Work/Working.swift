internal import BelfryClient
internal import Glibc
internal import Topics

/// `belfry work` and `belfry answer`.
enum Working {
    static func work(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        let output: WorkPlan.Destination =
            try arguments.text("--output").map { name throws(CommandFailure) in
                .topic(try Names.topic(name))
            } ?? .ours
        if arguments.has("--content-type"), case .ours = output {
            throw CommandFailure(.usage, "'--content-type' is about what goes to '--output'")
        }
        try await run(arguments, session, output)
    }

    static func answer(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        if let selector = try selector(arguments) {
            try await make(session.client.group(arguments.operands[0]), of: selector, session)
        }
        try await run(arguments, session, .reply)
    }

    /// Makes a group that replies, unless there is one. Requests are only in the log while somebody
    /// answers them, so it begins at now, and keeps nothing over a restart.
    private static func make(
        _ group: ClientGroup, of selector: Selector, _ session: Session
    ) async throws(CommandFailure) {
        let found = try await session.ask(isRepeatable: true) { () throws(ClientError) in
            if let found = try await group.description() { return found }
            var settings = GroupSettings(of: selector)
            (settings.replies, settings.persists, settings.start) = (true, false, .now)
            return try await group.set(settings).group
        }
        guard found.settings.replies == true else {
            throw CommandFailure(
                .refused,
                "the group \(group.name) answers no requests: 'belfry group set' makes one with "
                    + "'--replies yes'")
        }
    }

    private static func selector(_ arguments: Arguments) throws(CommandFailure) -> Selector? {
        let texts = Array(arguments.operands.dropFirst())
        return texts.isEmpty ? nil : try Names.selector(texts)
    }

    private static func run(
        _ arguments: Arguments, _ session: Session, _ output: WorkPlan.Destination
    ) async throws(CommandFailure) {
        let lease = try arguments.duration("--lease") ?? Limits.leaseMicroseconds
        guard GroupSettings.leaseRange.contains(lease) else {
            throw CommandFailure(.usage, "a lease lasts 1s to 12h")
        }
        let count = try arguments.parallel()
        let shift = WorkShift(
            jobsMax: try arguments.count("--max"), patience: session.patience)
        try shift.watch.listen()
        let kept: Set<Int32> =
            switch output {
            case .ours: [STDERR_FILENO]
            case .topic, .reply: [STDOUT_FILENO, STDERR_FILENO]
            }
        let plan = WorkPlan(
            session: session, group: session.client.group(arguments.operands[0]),
            selector: try selector(arguments),
            program: EventProgram(
                words: arguments.program, isRaw: arguments.has("--raw"), kept: kept,
                watch: shift.watch),
            output: output, contentType: arguments.text("--content-type"), lease: lease,
            isUntilEmpty: arguments.has("--until-empty"))
        let name =
            arguments.text("--worker")
            ?? "belfry-" + String(UInt64.random(in: 0 ... .max), radix: 36)
        try await run(plan, shift, count, named: name)
    }

    /// Runs so many loops; the first that fails stops the others, behind the jobs that they have.
    private static func run(
        _ plan: WorkPlan, _ shift: WorkShift, _ count: Int, named name: String
    ) async throws(CommandFailure) {
        let failure = await withTaskGroup(of: CommandFailure?.self) { group in
            for number in 1...count {
                let loop = WorkerLoop(
                    plan, shift, named: count == 1 ? name : "\(name)-\(number)")
                group.addTask {
                    do throws(CommandFailure) {
                        try await loop.run()
                        return nil
                    } catch {
                        shift.watch.stop()
                        return error
                    }
                }
            }
            return await group.reduce(CommandFailure?.none) { $0 ?? $1 }
        }
        if let failure { throw failure }
    }
}
