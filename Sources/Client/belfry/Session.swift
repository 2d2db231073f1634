internal import BelfryClient
internal import Glibc

/// The bus that a command talks to, and how long it waits for it.
struct Session: Sendable {
    let client: BusClient
    /// Where the bus is.
    let address: BusAddress
    private let patience: Int64

    /// How long it waits for a bus that is not there.
    var patienceTime: Duration { .microseconds(patience) }

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
        patience = try arguments.duration("--patience") ?? 60_000_000
        do throws(ClientError) {
            client = try BusClient(
                ClientConfiguration(
                    address: address, trust: arguments.has("--trust-anyone") ? .anyone : .known
                ) { token })
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

    /// The variable that the token is in, where no file has it. Programs that we start do not get it:
    /// what they do with an event is not to be done in our name.
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
    /// task is cancelled.
    ///
    /// - Parameter repeats: Whether an unknown outcome is told and asked again too.
    func ask<Answer>(
        repeats: (@Sendable (ClientError) -> Void)? = nil,
        _ body: () async throws(ClientError) -> Answer
    ) async throws(CommandFailure) -> Answer {
        let clock = ContinuousClock()
        let end = clock.now + .microseconds(patience)
        var before: ClientError?
        while true {
            do throws(ClientError) {
                return try await body()
            } catch {
                // Why it was asked again says more.
                if case .cancelled = error, let before { throw CommandFailure(before) }
                before = error
                var isUnknown = false
                if case .outcomeUnknown = error { isUnknown = repeats != nil }
                guard error.isPassing || isUnknown, clock.now < end, !Task.isCancelled else {
                    throw CommandFailure(error)
                }
                if isUnknown { repeats?(error) }
                await Self.pause()
                if Task.isCancelled { throw CommandFailure(error) }
            }
        }
    }

    /// Asks what does no harm when it is asked twice, again and again where there is no answer, a
    /// limit or a full store, as long as `isPatient` says so and the task is not cancelled.
    static func insist<Answer>(
        while isPatient: () -> Bool, _ body: () async throws(ClientError) -> Answer
    ) async throws(ClientError) -> Answer {
        while true {
            do throws(ClientError) {
                return try await body()
            } catch {
                let goesOn: Bool
                switch error {
                case .unreachable, .outcomeUnknown: goesOn = true
                case .refused(let refusal): goesOn = refusal.isPassing || refusal.status == 507
                case .untrusted, .malformedAnswer, .unsendable, .cancelled: goesOn = false
                }
                guard goesOn, !Task.isCancelled, isPatient() else { throw error }
                await pause()
            }
        }
    }

    /// A crowd does not come back at once.
    private static func pause() async {
        try? await Task.sleep(for: .milliseconds(Int.random(in: 50...500)))
    }
}
