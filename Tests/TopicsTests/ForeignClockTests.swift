import Protection
import TestSupport
import Testing
import Topics

@Suite("A clock of somebody else's")
struct ForeignClockTests {
    @Test("The clock is asked outside every lock, so that it may use the store")
    func theClockMayUseTheStore() async {
        await #expect(processExitsWith: .success) {
            showExitTestErrors()
            let clock = AskingClock()
            let store = MemoryStore(ceiling: nil)
            _ = try store.open(StoreContext(clock: clock, commitQueueBytesMax: 1 << 20))
            clock.store.value = store
            let batch = PublishBatch(topic: try TopicName("a"), payloads: [.empty])
            let key = IdempotencyKey(
                IdempotencyKey.Identity(high: 1, low: 1), print: 1, windowSeconds: 900)
            let settings = TopicSettings(retention: .standard, persists: true)
            let held = HeldBatch(batch, ttl: nil, at: .after(microseconds: 1))
            for entry: StoreEntry in [
                .events(batch, persists: true), .events(batch.with(key), persists: true),
                .registration(batch.topic, SettingsChange(settings), owner: nil), .hold(held),
                .release(1), .removal(batch.topic),
            ] { store.commit(entry) { _ in } }
            // The two hold each other, which the leak check would report.
            clock.store.value = nil
        }
    }
}

/// A clock that looks at the store before it says the time.
private final class AskingClock: BusClock {
    let store = Protected<MemoryStore?>(nil)

    func now() -> Timestamp {
        precondition(store.value?.readiness ?? .ready == .ready, "the store takes no entries")
        return Timestamp(microseconds: 1_000_000)
    }
}
