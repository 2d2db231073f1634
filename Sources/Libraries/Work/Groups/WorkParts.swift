internal import Protection
internal import Telemetry
internal import Topics

/// The parts that all groups of a bus share.
final class WorkParts: Sendable {
    let bus: EventBus
    let quota: JobQuota
    let meters = WorkMeters()
    let thread: WorkThread
    /// Memory for events that groups read from the store.
    let space: ReadSpace
    let hub: WorkHub
    let replies = Replies()
    let letters: LetterPolicy
    let log: Log
    /// The way to the order that hosts share; nil on a bus of one host.
    let shared: SharedGroups?
    /// Microseconds of the bus's ``BootClock``, by which its store counts too.
    let clock: @Sendable () -> Int64
    /// A new token of 128 random bits.
    let mint: @Sendable () -> LeaseToken

    init(
        bus: EventBus, quota: JobQuota, letters: LetterRule?, log: Log, starter: any WorkStarter,
        mint: @escaping @Sendable () -> LeaseToken
    ) {
        thread = WorkThread(starter)
        space = ReadSpace(of: bus.memory, on: thread) { bus.relieve() }
        hub = WorkHub(waking: thread)
        self.bus = bus
        self.quota = quota
        self.letters = LetterPolicy(by: letters)
        self.log = log
        clock = bus.bootClock.now
        self.mint = mint
        shared = bus.sharedOrder.map { SharedGroups($0, mint) }
    }
}

/// The rule by which dead letters go, which may be replaced at any time.
final class LetterPolicy: Sendable {
    private let rule: Protected<LetterRule?>

    /// - Parameter rule: Nil lets all of them go.
    init(by rule: LetterRule?) { self.rule = Protected(rule) }

    func use(_ rule: @escaping LetterRule) { self.rule.value = rule }

    func verdict(on question: LetterQuestion) -> LetterVerdict {
        // The rule is foreign code, so it is called outside of the lock.
        let rule = rule.value
        return rule?(question) ?? .allowed
    }
}
