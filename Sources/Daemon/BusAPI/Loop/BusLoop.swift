internal import Access
internal import HTTPFront
internal import Telemetry
internal import Topics
internal import Work

/// The state of the bus on one event loop, which all requests of that loop share.
///
/// Belongs to its loop: made, called and released on that loop's thread, so that nothing here takes a
/// lock. Other threads reach it only through the loop's mailbox (``HTTPFront/LoopHandle/onBus(_:)``).
final class BusLoop {
    let service: BusService
    /// The way to this loop from any thread.
    let handle: LoopHandle
    /// The steps that are left of the loop's turn.
    let budget: TurnBudget
    let encodings: EncodingCache
    let meters: BusMeters
    /// How the requests of this loop look at the log.
    let log: LoopLog
    let reads: ReadCoalescer
    let waits: Waits
    /// The access rules of this moment.
    private(set) var gate: AccessGate
    private(set) var configuration: BusAPIConfiguration
    private let groupBatchOfTurn = GroupBatch()
    /// Whether the end of this turn goes on with that batch.
    private var goesRound = false
    /// The topic of the last request: most requests are about the same one as the request before.
    private var lastTopic: TopicName?
    /// The selector of the last request, with its text.
    private var lastSelector: (text: String, selector: Selector)?

    var bus: EventBus { service.bus }
    /// The groups of the bus.
    var work: WorkGroups { service.groups }

    /// The means to read and write for this loop on other threads.
    var beside: ReadsBeside {
        ReadsBeside(lines: service.backgroundReads, space: service.answers, loop: handle)
    }

    init(
        of service: BusService, _ configuration: BusAPIConfiguration, on handle: LoopHandle,
        within budget: TurnBudget, countedBy meters: BusMeters
    ) {
        self.service = service
        self.configuration = configuration
        self.handle = handle
        self.budget = budget
        self.meters = meters
        encodings = EncodingCache(memory: service.memory)
        log = LoopLog(of: service.bus, within: budget)
        reads = ReadCoalescer(of: log)
        gate = AccessGate(configuration.access, number: 0, service.groups, within: budget)
        waits = Waits(service, gate, configuration, reads, on: handle, within: budget, meters)
    }

    /// Takes over a configuration that was reloaded.
    func reconfigure(_ configuration: BusAPIConfiguration) {
        let isAccessAsBefore = configuration.access == self.configuration.access
        self.configuration = configuration
        if !isAccessAsBefore {
            gate = AccessGate(
                configuration.access, number: gate.number &+ 1, service.groups, within: budget)
        }
        waits.reconfigure(configuration, gate)
    }

    /// The topic of a request's path, or the refusal that names the mistake in it.
    func topic(named name: String) throws(Refusal) -> TopicName {
        if let lastTopic, lastTopic.text == name { return lastTopic }
        let topic = try TopicName(request: name)
        lastTopic = topic
        return topic
    }

    /// The topics of a request's path, or the refusal that names the mistake in it.
    func selector(named text: String) throws(Refusal) -> Selector {
        if let lastSelector, lastSelector.text == text { return lastSelector.selector }
        let selector = try Selector(request: text)
        lastSelector = (text, selector)
        return selector
    }

    /// Counts bytes of a caller that are about to wait for the store, until their wait is over.
    ///
    /// - Throws: `LIMIT_CALLER` when too many of theirs wait already; one batch always may.
    func queue(_ bytes: Int, for account: CallerAccount) throws(Refusal) -> QueuedBytes {
        try QueuedBytes(bytes, of: account, atMost: configuration.queuedBytesPerUIDMax)
    }

    /// The requests to groups of this turn, which are taken further together at its end.
    func workRound() -> GroupBatch {
        if !goesRound {
            goesRound = true
            // It is only touched again on its loop, where the job runs.
            nonisolated(unsafe) let loop = self
            handle.post { _ in
                loop.goesRound = false
                loop.groupBatchOfTurn.go()
            }
        }
        return groupBatchOfTurn
    }
}

/// The handler of a loop that serves the bus.
protocol BusLoopOwner: RequestHandler {
    var loop: BusLoop { get }
}

extension LoopHandle {
    /// Runs `job` on the loop's thread, as ``post(_:)`` does.
    func onBus(_ job: @escaping @Sendable (BusLoop) -> Void) {
        post { handler in job((handler as! any BusLoopOwner).loop) }
    }
}
