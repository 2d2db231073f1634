internal import HTTPFront
internal import Topics

/// A read that takes several turns, or needs the store, on its way to its next answer.
///
/// Its turns are those of ``LongReads``, also behind a page of the store: the store's threads have
/// others to serve. Nothing is told once it is cancelled.
final class LongRead: Sendable {
    private let read: SelectorRead
    private let bus: EventBus
    private let reads: LongReads
    private let account: CallerAccount?
    private let cancellation: Cancellation
    private let then: @Sendable (Result<LogRead, BusError>) -> Void

    init(
        _ read: SelectorRead, from bus: EventBus, by reads: LongReads, for account: CallerAccount?,
        unless cancellation: Cancellation,
        _ then: @escaping @Sendable (Result<LogRead, BusError>) -> Void
    ) {
        self.read = read
        self.bus = bus
        self.reads = reads
        self.account = account
        self.cancellation = cancellation
        self.then = then
    }

    /// Has it go on soon.
    func goOn() {
        reads.add(for: account, unless: cancellation) { self.turn() }
    }

    private func turn() -> Bool {
        switch bus.turn(of: read) {
        case .goOn: return true
        case .done(let found): then(.success(found))
        case .ask(let request):
            bus.readPage(request) { [self] outcome in
                switch outcome {
                case .failure(let error): then(.failure(error))
                case .success(let page):
                    read.take(page)
                    goOn()
                }
            }
        }
        return false
    }
}
