internal import BelfryClient
internal import Glibc
internal import Protection

/// The bus that a command talks to, and how long it waits for it.
struct Session: Sendable {
    let client: BusClient
    /// Where the bus is.
    let address: BusAddress
    /// How long it waits for a bus that is not there.
    let patience: Duration
    private let outage = Outage()

    /// The bus of the options and the environment: `--url`, `BELFRY_URL`, the socket of the system's
    /// service where there is one, loopback.
    init(_ arguments: Arguments) throws(CommandFailure) {
        let path = "/run/belfry/belfry.sock"
        let usual = access(path, F_OK) == 0 ? BusAddress.socket(path) : .loopback
        try self.init(
            at: try (arguments.text("--url") ?? Self.variable("BELFRY_URL")).map {
                text throws(CommandFailure) in try Self.address(text)
            } ?? usual, tokenFile: arguments.text("--token-file"), arguments)
    }

    /// The bus at an address, with the token of a file or of the environment.
    init(
        at address: BusAddress, tokenFile: String?, _ arguments: Arguments
    ) throws(CommandFailure) {
        self.address = address
        let token = try Self.token(tokenFile)
        let patience = Duration.microseconds(
            try arguments.duration("--patience") ?? 60_000_000)
        self.patience = patience
        do throws(ClientError) {
            client = try BusClient(
                ClientConfiguration(
                    address: address, trust: arguments.has("--trust-anyone") ? .anyone : .known,
                    patience: arguments.has("--no-repeat") ? .zero : patience,
                    token: { token },
                    interrupted: { [outage] in
                        outage.end()
                        outage.say($0)
                    }))
        } catch {
            throw CommandFailure(error)
        }
    }

    /// The address that a text is.
    static func address(_ text: String) throws(CommandFailure) -> BusAddress {
        guard let address = BusAddress(text) else {
            throw CommandFailure(
                .usage, "'\(text)' is no address: write http://HOST:PORT or unix:PATH")
        }
        return address
    }

    /// The variable that the token is in, if no file has it. Programs that we start do not get it:
    /// they are not to handle an event in our name.
    static let tokenVariable = "BELFRY_TOKEN"

    static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func token(_ path: String?) throws(CommandFailure) -> String? {
        guard let path else { return variable(tokenVariable) }
        return try TextFile.text(of: path, isSecret: true)
            .split(whereSeparator: \.isWhitespace).first.map { String($0) }
    }

    /// Asks the bus, again and again where it is not there or at a limit, until patience ends or the
    /// task is cancelled. Says so where it takes long.
    ///
    /// - Parameter isRepeatable: Whether it does no harm when it is made twice, so that it is asked again too
    ///   where the outcome is unknown. A publish is none: the client repeats it with its key.
    func ask<Answer: Sendable>(
        isRepeatable: Bool = false,
        _ body: @escaping @Sendable () async throws(ClientError) -> Answer
    ) async throws(CommandFailure) -> Answer {
        let end = ContinuousClock.now + patience
        do throws(ClientError) {
            return try await attempt(within: patience, body) { error in
                var isUnknown = false
                if case .outcomeUnknown = error { isUnknown = isRepeatable }
                return (error.isPassing || isUnknown) && ContinuousClock.now < end
            }
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Makes a request that does no harm when it is made twice. Repeats it if there is no answer, a
    /// limit or a full store, as long as `isPatient` says so and the task is not cancelled.
    func insist<Answer: Sendable>(
        while isPatient: @escaping @Sendable () -> Bool,
        _ body: @escaping @Sendable () async throws(ClientError) -> Answer
    ) async throws(ClientError) -> Answer {
        try await attempt(within: nil, body) { error in
            switch error {
            case .unreachable, .outcomeUnknown: isPatient()
            case .refused(let refusal):
                (refusal.isPassing || refusal.status == 507) && isPatient()
            case .untrusted, .uncertified, .malformedAnswer, .unsendable, .cancelled: false
            }
        }
    }

    /// Makes a request as long as `again` returns true for its failures, and gives up a bus that is
    /// not there after this time.
    private func attempt<Answer: Sendable>(
        within time: Duration?,
        _ body: @escaping @Sendable () async throws(ClientError) -> Answer,
        again: @escaping @Sendable (ClientError) -> Bool
    ) async throws(ClientError) -> Answer {
        let found = Protected(ClientError?.none)
        let lookout = Lookout(
            look: { [client] in
                let error = await Self.trouble(of: client)
                found.value = error
                return error
            }, sleep: { (try? await Task.sleep(for: $0)) != nil },
            say: { [outage] in outage.say($0) })
        let outcome = await withTaskGroup(of: Result<Answer, ClientError>?.self) { tasks in
            tasks.addTask { await Self.outcome(of: body, again: again, lookout, found) }
            tasks.addTask {
                await lookout.run(silentFor: Limits.silence, giveUpAfter: time)
                return nil
            }
            var outcome: Result<Answer, ClientError>?
            // Whichever ends first ends the other.
            for await ended in tasks {
                outcome = outcome ?? ended
                tasks.cancelAll()
            }
            return outcome
        }
        outage.end()
        return try (outcome ?? .failure(.cancelled)).get()
    }

    /// Why a bus does not tell its version at once; nil if it does.
    private static func trouble(of client: BusClient) async -> ClientError? {
        do throws(ClientError) {
            _ = try await client.version(within: Limits.silence)
            return nil
        } catch {
            return error
        }
    }

    private static func outcome<Answer>(
        of body: () async throws(ClientError) -> Answer, again: (ClientError) -> Bool,
        _ lookout: Lookout, _ found: Protected<ClientError?>
    ) async -> Result<Answer, ClientError> {
        var before: ClientError?
        while true {
            do throws(ClientError) {
                return .success(try await body())
            } catch {
                // Why it was given up, or asked again, says more.
                switch error {
                case .cancelled: return .failure(before ?? found.value ?? error)
                case .outcomeUnknown where Task.isCancelled:
                    return .failure(found.value.map { .outcomeUnknown("\($0)") } ?? error)
                default: break
                }
                guard !Task.isCancelled, again(error) else { return .failure(error) }
                before = error
                lookout.note(error)
                // A crowd does not come back at once.
                try? await Task.sleep(for: .milliseconds(Int.random(in: 50...500)))
                if Task.isCancelled { return .failure(error) }
            }
        }
    }
}

/// Tells the user that the bus is not there: once for all requests that wait for it.
final class Outage: Sendable {
    private let isSaid = Protected(false)

    /// Says it, unless it was said since the last ``end()``.
    func say(_ error: ClientError) {
        let isNew = isSaid.write { isSaid in
            defer { isSaid = true }
            return !isSaid
        }
        if isNew { Output.say("\(error); still trying") }
    }

    /// A request was answered.
    func end() { isSaid.value = false }
}
