internal import Access
package import HTTPFront
internal import Page
internal import Protection
public import Telemetry
package import Topics
package import Work

/// The bus as HTTP offers it: makes the handler of each loop, and speaks to all of them.
///
/// Promises that every loop serves the same bus under the same configuration. Does not start or
/// stop anything: loops belong to the server, the bus to its maker.
///
/// Safe from any thread.
public final class BusService: Sendable {
    let bus: EventBus
    let groups: WorkGroups
    let memory: MemoryBudget
    let log: Log
    let waiting = Gauge()
    let backgroundReads = BackgroundReads()
    /// The memory for answers that are made beside the loops.
    let answers: ResponseQuota
    /// Random number of this life of the bus. It tells cursors of lists from those of other lives.
    private let life = UInt64.random(in: .min ... .max)
    /// How long a reader that reconnects by itself should wait, in milliseconds.
    let retryMilliseconds: @Sendable () -> Int
    /// The prefix of every path.
    let prefix: PathPrefix
    /// The page for browsers.
    let pages: PageFiles
    /// The interface's description for programs, `openapi.yaml`.
    let description: [UInt8]
    private let users: UserGroups
    private let state: Protected<State>

    private struct State {
        var configuration: BusAPIConfiguration
        var loops: [LoopHandle] = []
        var meters: [BusMeters] = []
        var figures: [Figures] = []
    }

    /// A service of `bus` and its groups. It charges the memory that it keeps to `memory`.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the server.
    ///   - users: Looks up the groups of a user that is not connected.
    ///   - retryMilliseconds: Draws how long the reader of one event stream is told to wait
    ///   before it reconnects, 1,000 to 5,000 at random if it is nil; called on any loop's thread.
    package init(
        bus: EventBus, groups: WorkGroups, configuration: BusAPIConfiguration,
        prefix: PathPrefix = PathPrefix(), memory: MemoryBudget, log: Log,
        users: @escaping UserGroups = { _ in nil },
        retryMilliseconds: (@Sendable () -> Int)? = nil
    ) {
        self.prefix = prefix
        pages = PageFiles(below: prefix.text)
        description = Self.description(below: prefix)
        self.users = users
        self.retryMilliseconds =
            retryMilliseconds ?? { .random(in: Limits.streamRetryMilliseconds) }
        self.bus = bus
        self.groups = groups
        self.memory = memory
        self.log = log
        let state = Protected(State(configuration: configuration))
        self.state = state
        answers = ResponseQuota(of: memory, relieve: { bus.relieve() }) { bytes in
            for loop in state.read({ $0.loops }) { loop.makeRoom(forAnswersOf: bytes) }
        }
        judgeLetters(by: configuration.access)
    }

    /// `openapi.yaml`, whose server is the one below this prefix.
    private static func description(below prefix: PathPrefix) -> [UInt8] {
        let text = EmbeddedFiles.all["openapi.yaml"]!
        guard !prefix.text.isEmpty else { return Array(text.utf8) }
        let server = "\n  - url: http://localhost:7464"
        return Array(text.replacing(server, with: server + prefix.text, maxReplacements: 1).utf8)
    }

    private func judgeLetters(by access: AccessPolicy) {
        groups.judgeLetters(by: LetterJudge(access, users).verdict(on:))
    }

    /// Adds a loop, which serves the bus from now on. Called once on each loop's thread. Returns
    /// the part of the bus that the loop's requests share.
    func add(_ loop: LoopHandle, within budget: TurnBudget) -> BusLoop {
        let meters = BusMeters()
        let configuration = state.write { state in
            state.loops.append(loop)
            state.meters.append(meters)
            return state.configuration
        }
        return BusLoop(of: self, configuration, on: loop, within: budget, countedBy: meters)
    }

    /// Replaces the configuration; each loop takes it over at its next turn.
    ///
    /// Requests that already wait keep the wait they were given.
    public func reload(_ configuration: BusAPIConfiguration) {
        let loops = state.write { state in
            state.configuration = configuration
            return state.loops
        }
        judgeLetters(by: configuration.access)
        for loop in loops { loop.onBus { $0.reconfigure(configuration) } }
    }

    /// The access rules of this moment, for an answer to a caller that is made beside the loops.
    ///
    /// - Throws: 401 `TOKEN_INVALID` if its token is no longer let in.
    func access(for caller: Caller) throws(Refusal) -> AccessPolicy {
        let access = state.read { $0.configuration.access }
        guard access.stillKnows(caller) else {
            throw Refusal(.tokenInvalid, "The token is no longer valid.")
        }
        return access
    }

    /// Writes figures of its own onto the page of `/metrics`; called on any loop's thread, and must
    /// not block.
    public typealias Figures = @Sendable (inout PrometheusText) -> Void

    /// Has other parts of the process write onto the page of `/metrics`, behind the service's own
    /// figures.
    public func addFigures(_ figures: @escaping Figures) {
        state.write { $0.figures.append(figures) }
    }

    /// The page of `/metrics`.
    func metrics(version: String) -> PrometheusText {
        let (meters, figures) = state.read { ($0.meters, $0.figures) }
        var page = PrometheusText()
        page.family("belfry_build_info", .gauge, "Always 1; says which Belfry this is.")
        page.sample(1, ["version": version])
        bus.write(to: &page)
        groups.write(to: &page)
        BusMeters.write(meters, to: &page)
        memory.write(to: &page)
        for write in figures { write(&page) }
        return page
    }

    /// The loops that serve it.
    var loops: [LoopHandle] { state.read { $0.loops } }

    /// The mark that a cursor of a list carries: a hash of these topics, as far as its reader may
    /// know of them, and of this life of the bus.
    func mark(of selector: Selector) -> Int {
        var hasher = Hasher()
        hasher.combine(life)
        hasher.combine(selector)
        return hasher.finalize()
    }

    /// Subscriptions by form, over all loops, for people to read.
    public var subscribersInWords: String {
        let meters = state.read { $0.meters }
        return DeliveryForm.allCases.map { form in
            "\(form.rawValue)=\(meters.reduce(0) { $0 + $1.subscribers(in: form).value })"
        }.joined(separator: " ")
    }

    /// Requests that wait for events or are answered by a stream at this moment, over all loops.
    public var waitingCount: Int { waiting.value }
}
