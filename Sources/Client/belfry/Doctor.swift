internal import BelfryClient
internal import Glibc
internal import JSON
internal import Topics

/// `belfry doctor`: checks the way to the bus and the bus itself, and prints a line for each check.
struct Doctor {
    private let client: BusClient
    private let isJSON: Bool
    /// How it ends: the code of the first thing that is wrong.
    private var code = CommandExit.done

    static func run(_ arguments: Arguments, _ session: Session) async throws(CommandFailure) {
        var doctor = Doctor(client: session.client, isJSON: arguments.has("--json"))
        await doctor.examine(session.address)
        guard doctor.code == .done else { throw CommandFailure(doctor.code) }
    }

    private init(client: BusClient, isJSON: Bool) {
        self.client = client
        self.isJSON = isJSON
    }

    private mutating func examine(_ address: BusAddress) async {
        say("address", true, "\(address)")
        let begin = ContinuousClock.now
        guard
            let version = await answer(
                "reached",
                { (bus) throws(ClientError) in
                    try await bus.version(within: .seconds(Limits.doctorSeconds))
                })
        else {
            return say(
                "service", false,
                "'systemctl status belfryd' and 'journalctl -u belfryd' say why it does not start; "
                    + "another bus is named by '--url' or BELFRY_URL")
        }
        let time = ContinuousClock.now - begin
        say("reached", true, "in \(Int(time / .microseconds(1))) µs")
        say("version", true, version.number)
        if let clock = version.time { compare(clock) }
        if let reason = await answer(
            "ready", { (bus) throws(ClientError) in try await bus.readiness() })
        {
            wrong("ready", reason.map { .refused($0) })
        }
        let hasToken = Session.variable(Session.tokenVariable) != nil
        let who = hasToken ? "with a token" : "as user \(getuid())"
        if let count = await answer(
            "access", { (bus) throws(ClientError) in try await bus.topics().topics.count })
        {
            say("access", true, "\(who): \(count) topics may be seen")
        }
        if let figures = await answer(
            "figures", { (bus) throws(ClientError) in try await bus.figures() })
        {
            judge(figures)
        }
    }

    /// Asks the bus, and tells a failure as one of this check.
    private mutating func answer<Answer>(
        _ check: String, _ body: (BusClient) async throws(ClientError) -> Answer
    ) async -> Answer? {
        do throws(ClientError) {
            return try await body(client)
        } catch {
            wrong(check, error)
            return nil
        }
    }

    /// Nil is nothing wrong.
    private mutating func wrong(_ check: String, _ error: ClientError?) {
        guard let error else { return say(check, true, "yes") }
        let failure = CommandFailure(error)
        say(check, false, failure.sentence ?? "\(error)")
        if code == .done { code = failure.code }
    }

    private mutating func compare(_ clock: Timestamp) {
        let apart = (clock.microseconds - Int64(time(nil)) * 1_000_000) / 1_000_000
        let isNear = abs(apart) <= Limits.clockSecondsMax
        say("clock", isNear, isNear ? "as here" : "\(apart) s from the one here")
        if !isNear, code == .done { code = .nothing }
    }

    private mutating func judge(_ figures: [String: Double]) {
        let limit = figures["belfry_memory_limit_bytes"] ?? 0
        let used = figures.filter { $0.key.hasPrefix("belfry_memory_bytes") }.values.reduce(0, +)
        if limit > 0 {
            let part = Int(figure: used * 100 / limit)
            say("memory", true, "\(part) % of \(Int(figure: limit)) bytes")
        }
        let failed = Int(figure: figures["belfry_store_failed_commits_total"] ?? 0)
        say("store", failed == 0, "\(failed) commits failed since the bus began")
        if failed > 0, code == .done { code = .nothing }
    }

    private func say(_ check: String, _ isFine: Bool, _ sentence: String) {
        let padding = String(repeating: " ", count: max(0, 8 - check.count))
        guard !isJSON else {
            return Output.standard.write(
                json: JSONWriter.object { json in
                    json.member("check", check)
                    json.member("ok", isFine)
                    json.member("says", sentence)
                })
        }
        let line = TerminalText.line(sentence)
        Output.standard.write("\(isFine ? "ok " : "BAD")  \(check)\(padding)  \(line)\n")
    }
}
