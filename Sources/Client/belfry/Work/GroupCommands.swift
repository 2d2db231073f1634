internal import BelfryClient
internal import Topics
internal import Wire

/// `belfry groups`, `group show`, `group set`, `group rm`, `group seek` and `jobs`.
enum GroupCommands {
    static func list(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        let client = session.client
        let groups = try await session.ask { () throws(ClientError) in
            try await client.groups()
        }
        guard !arguments.has("--json") else { return printLines(groups.map(\.json)) }
        PrintedTable.print(
            ["GROUP", "OF", "BEHIND", "OPEN", "LEASED", "WORKERS", "DONE", "FAILED"],
            groups.map { group in
                let progress = group.progress
                let number = { (number: Int?) in number.map { "\($0)" } ?? "-" }
                return [
                    group.name, group.settings.selector.map { "\($0)" } ?? "-",
                    number(progress?.behind), number(progress?.open),
                    number(progress?.leased), number(progress?.workers), number(progress?.done),
                    number(progress?.failed),
                ]
            })
    }

    static func show(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        let group = session.client.group(arguments.operands[0])
        let found = try await session.ask { () throws(ClientError) in
            try await group.description()
        }
        guard let found else { throw Self.absent(group) }
        guard !arguments.has("--json") else { return printLines([found.json]) }
        var rows = [["group", found.name]]
        for setting in GroupSetting.all {
            if case .start = setting.form { continue }
            rows.append([setting.name, setting.text(of: found.settings) ?? "-"])
        }
        if let progress = found.progress {
            rows += [
                ["reach", "\(progress.reach)"],
                ["behind", progress.behind.map { "\($0)" } ?? "-"], ["open", "\(progress.open)"],
                ["leased", "\(progress.leased)"], ["waiting", "\(progress.waiting)"],
                ["parked", "\(progress.parked)"], ["workers", "\(progress.workers)"],
                ["done", "\(progress.done)"], ["failed", "\(progress.failed)"],
                ["gone", "\(progress.gone)"], ["expired", "\(progress.expired)"],
            ]
        }
        PrintedTable.print(["NAME", "VALUE"], rows)
    }

    /// The options of `group set`, in the order of the settings.
    static let options = GroupSetting.all.map { setting in
        if case .attributes = setting.form { return CommandOption.attribute(setting.summary) }
        return CommandOption(option(of: setting), setting.valueName, setting.summary)
    }

    private static func option(of setting: GroupSetting) -> String {
        "--" + String(setting.name.map { $0 == "_" ? "-" : $0 })
    }

    static func set(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        let group = session.client.group(arguments.operands[0])
        let parameters =
            try GroupSetting.all.compactMap { setting in
                arguments.text(Self.option(of: setting)).map { (name: setting.name, text: $0) }
            } + arguments.attributes(ofPublisher: false).parameters
        // To say the same twice does no harm.
        _ = try await session.ask(isRepeatable: true) { () throws(ClientError) in
            try await group.set(parameters: parameters)
        }
    }

    static func remove(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        let group = session.client.group(arguments.operands[0])
        do throws(CommandFailure) {
            try await session.ask { () throws(ClientError) in
                try await group.remove(isForced: arguments.has("--force"))
            }
        } catch {
            throw failure(error, group)
        }
    }

    static func seek(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        let group = session.client.group(arguments.operands[0])
        guard let text = arguments.text("--since") else {
            throw CommandFailure(.usage, "'belfry group seek' needs '--since'")
        }
        let start = try Names.start(text)
        do throws(CommandFailure) {
            _ = try await session.ask { () throws(ClientError) in
                try await group.seek(to: start)
            }
        } catch {
            throw failure(error, group)
        }
    }

    static func jobs(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        let group = session.client.group(arguments.operands[0])
        var rows: [[String]] = []
        var after = EventID.zero
        while true {
            let from = after
            let jobs: [ClientJobDescription]
            do throws(CommandFailure) {
                jobs = try await session.ask { () throws(ClientError) in
                    try await group.jobs(after: from, max: Limits.jobsListed)
                }
            } catch {
                throw failure(error, group)
            }
            if arguments.has("--json") {
                printLines(jobs.map(\.json))
                try Output.standard.flush()
            } else {
                rows += jobs.map { job in
                    [
                        "\(job.id)", job.topic, job.key ?? "-", job.state.rawValue,
                        "\(job.attempt)", job.worker ?? "-", "\(job.due)", job.reason ?? "",
                    ]
                }
            }
            guard let last = jobs.last, jobs.count == Limits.jobsListed else { break }
            after = last.id
        }
        guard !arguments.has("--json") else { return }
        PrintedTable.print(
            ["JOB", "TOPIC", "KEY", "STATE", "ATTEMPT", "WORKER", "DUE", "REASON"], rows)
        if rows.isEmpty { await tellOfLetters(of: group) }
    }

    /// Tells that failed jobs became dead letters: a user who looks for them finds no open job.
    private static func tellOfLetters(of group: ClientGroup) async {
        guard let found = try? await group.description(), found.settings.dead?.topic != nil,
            let failed = found.progress?.failed, failed > 0
        else { return }
        Output.say(
            "no job is open, and \(failed) became \(failed == 1 ? "a dead letter" : "dead letters"): "
                + "'belfry dead \(group.name)' lists those that are left")
    }

    // MARK: Helpers

    private static func printLines(_ lines: [String]) {
        for line in lines { Output.standard.write(json: line) }
    }

    static func absent(_ group: ClientGroup) -> CommandFailure {
        CommandFailure(.nothing, "there is no group \(group.name)")
    }

    static func failure(_ error: CommandFailure, _ group: ClientGroup) -> CommandFailure {
        switch error.refusal?.code {
        case "GROUP_UNKNOWN": absent(group)
        case "EVENT_UNKNOWN", "JOB_SETTLED": CommandFailure(.nothing, error.sentence)
        default: error
        }
    }
}
