import Broadcasting
import Dispatch
import Protection
import TestSupport
import Testing

/// Belongs to the main actor, as protocols of user interfaces do.
@MainActor private protocol PanelObserver: AnyObject {
    func refreshed(_ number: Int)
}

@MainActor private final class Panel: PanelObserver {
    private(set) var numbers: [Int] = []
    private let onRefresh: (Int) -> Void

    init(_ onRefresh: @escaping (Int) -> Void = { _ in }) {
        self.onRefresh = onRefresh
    }

    func refreshed(_ number: Int) {
        numbers.append(number)
        onRefresh(number)
    }
}

@Suite struct MainActorDeliveryTests {
    private let bus = Broadcaster()

    /// What code without `await` does.
    private func tell(_ number: Int, at topic: (any Hashable & Sendable)? = nil) {
        bus.notify((any PanelObserver).self, topic: topic, on: MainActor.shared) {
            $0.refreshed(number)
        }
    }

    @Test func aProtocolOfTheMainActorIsToldFromElsewhere() async {
        let panel = await Panel()
        bus.register((any PanelObserver).self, observer: panel)
        bus.register((any PanelObserver).self, topic: "left", observer: panel)
        await bus.notify((any PanelObserver).self, on: MainActor.shared) { $0.refreshed(1) }
        await bus.notify((any PanelObserver).self, topic: "left", on: MainActor.shared) {
            $0.refreshed(2)
        }
        #expect(await panel.numbers == [1, 2])
    }

    @Test func codeThatCannotAwaitTellsItInOrder() async {
        let (told, tellTest) = AsyncStream.makeStream(of: Int.self)
        let panel = await Panel { tellTest.yield($0) }
        bus.register((any PanelObserver).self, observer: panel)
        for number in 0..<100 { tell(number) }
        tell(100, at: "left")
        var next = told.makeAsyncIterator()
        for number in 0...100 { #expect(await next.next() == number) }
    }

    @Test @MainActor func whatCannotBeAwaitedComesLater() async {
        let panel = Panel()
        bus.register((any PanelObserver).self, observer: panel)
        tell(1)
        #expect(panel.numbers == [])
        bus.unregister((any PanelObserver).self, observer: panel)
        await withCheckedContinuation { behind in
            DispatchQueue.main.async { behind.resume() }
        }
        #expect(panel.numbers == [], "it was unregistered before its turn")
    }

    @Test @MainActor func theMainActorItselfTellsAtOnce() {
        let panel = Panel()
        bus.register((any PanelObserver).self, observer: panel)
        bus.notify((any PanelObserver).self) { $0.refreshed(1) }
        #expect(panel.numbers == [1])
    }

    @Test func theDefaultBusDeliversElsewhereToo() async {
        // A protocol of this test alone, as the bus is everybody's.
        class Passenger { let seen = Protected<[String]>([]) }
        actor House {}
        let passenger = Passenger()
        Broadcaster.register(Passenger.self, observer: passenger)
        await Broadcaster.notify(Passenger.self, on: MainActor.shared) {
            MainActor.assertIsolated()
            $0.seen.append("main")
        }
        let house = House()
        await Broadcaster.notify(Passenger.self, on: house) {
            house.assertIsolated()
            $0.seen.append("house")
        }
        let queue = DispatchQueue(label: "passengers")
        Broadcaster.notify(Passenger.self, on: queue) { $0.seen.append("queue") }
        queue.sync {}
        func tell(then done: CheckedContinuation<Void, Never>) {
            Broadcaster.notify(Passenger.self, on: MainActor.shared) {
                $0.seen.append("main, later")
                done.resume()
            }
        }
        await withCheckedContinuation { tell(then: $0) }
        #expect(passenger.seen.value == ["main", "house", "queue", "main, later"])
    }

    @Test func anObserverThatConformsOnAnActorOnlyStopsWithASentence() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { @MainActor in
            final class Shade: @MainActor LampObserver {
                func lit() {}
            }
            Broadcaster().register((any LampObserver).self, observer: Shade())
        }
        let sentence = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            sentence.contains("Shade cannot observe LampObserver: it conforms on an actor only"))
    }
}
