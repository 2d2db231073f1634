internal import HTTPFront
internal import Topics

/// The means of a loop to have something read and written beside it.
struct ReadsBeside {
    let lines: BackgroundReads
    let space: ResponseQuota
    /// The loop that gets the result.
    let loop: LoopHandle
}

/// A read that takes several turns, needs the store, or finds more than a loop writes in one turn,
/// on its way to its next answer.
///
/// Its turns are taken by ``BackgroundReads``, also those behind a page of the store: the store's threads
/// have other readers to serve. It begins once there is room for the events that it may find. It
/// gives the room back while it waits for the store's readers, and after a page without events.
/// Once it is cancelled it tells nothing, and the store reads no more of it.
final class BackgroundRead: Sendable {
    /// Gets the result of the read, and the bytes that were made of its events, if any were made.
    typealias Then = @Sendable (Result<LogRead, BusError>, MadeAnswer?) -> Void

    private let read: SelectorRead
    private let bus: EventBus
    private let reads: BackgroundReads
    private let account: CallerAccount?
    private let cancellation: Cancellation
    private let room: ResponseReservation
    private let make: MadeAnswer.Maker
    private let then: Then

    init(
        _ read: SelectorRead, from bus: EventBus, by reads: BackgroundReads,
        for account: CallerAccount?,
        unless cancellation: Cancellation, in room: ResponseReservation,
        _ make: @escaping MadeAnswer.Maker, _ then: @escaping Then
    ) {
        self.read = read
        self.bus = bus
        self.reads = reads
        self.account = account
        self.cancellation = cancellation
        self.room = room
        self.make = make
        self.then = then
    }

    /// Adds its next turn to its line.
    func goOn() {
        reads.add(for: account, unless: cancellation, in: room) { self.turn() }
    }

    private func turn() -> Bool {
        switch bus.turn(of: read) {
        case .goOn: return true
        case .done(let found):
            then(.success(found), MadeAnswer(of: found, in: room, by: make))
        case .ask(let request):
            room.giveBack()
            reads.addAsking(for: account, unless: cancellation, in: room) { [self] answered in
                ask(request, answered)
            }
        }
        return false
    }

    private func ask(_ request: StoreRead, _ answered: @escaping @Sendable () -> Void) {
        let client = StoreClient(user: account?.uid) { [cancellation] in cancellation.isCancelled }
        bus.readPage(request, for: client) { [self] outcome in
            switch outcome {
            case .failure(let error): then(.failure(error), nil)
            case .success(let page):
                if page.events.isEmpty {
                    room.giveBack()
                } else {
                    room.settle(at: page.events.wireBytes)
                }
                read.take(page)
                goOn()
            }
            answered()
        }
    }
}
