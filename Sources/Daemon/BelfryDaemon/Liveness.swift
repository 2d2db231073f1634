internal import HTTPFront
internal import Protection
internal import Topics

/// Whether everything that has to move has moved since the last look.
///
/// A loop is asked for an echo and is alive once it has given it; one that owes it is not asked
/// again. A store is alive if it is idle or has settled something. Nothing here waits, so that a
/// caller never hangs with a part that hangs.
///
/// Safe from any thread.
final class Liveness: Sendable {
    private let server: HTTPServer
    private let bus: EventBus
    private let state = Protected(State())

    private struct State {
        /// Loops that owe an echo.
        var asked: Set<Int> = []
        var store: StoreProgress?
    }

    init(server: HTTPServer, bus: EventBus) {
        self.server = server
        self.bus = bus
    }

    /// The parts that hang since the last call; none at the first.
    func check() -> [String] {
        let progress = bus.storeProgress
        let (owing, last) = state.write { state in
            defer { state.store = progress }
            return (state.asked, state.store)
        }
        var hanging = owing.sorted().map { "loop \($0)" }
        if !progress.isIdle, progress == last { hanging.append("the store") }
        let free = Set(server.loops.indices).subtracting(owing)
        state.write { $0.asked.formUnion(free) }
        server.askLoops(free) { [weak self] index in
            self?.state.write { _ = $0.asked.remove(index) }
        }
        return hanging
    }
}
