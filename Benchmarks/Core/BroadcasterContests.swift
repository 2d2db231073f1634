import Broadcasting
import Foundation

/// `Broadcaster` beside Foundation's `NotificationCenter`, the textbook's bus and a bare loop.
enum BroadcasterContests {
    static func all() -> [Contest] {
        [0, 1, 10, 1_000].map(notify) + [changes(at: 10_000), otherKeys(10_000)]
    }

    private static let name = Notification.Name("bell")

    private static func notify(to count: Int) -> Contest {
        let counters = (0..<count).map { _ in Counter() }
        let bus = Broadcaster()
        let textbook = TextbookBus()
        let center = NotificationCenter()
        let loop = BareLoop(counters)
        for counter in counters {
            bus.register((any Bell).self, observer: counter)
            textbook.register((any Bell).self, observer: counter)
            _ = center.addObserver(forName: name, object: nil, queue: nil) { [weak counter] _ in
                counter?.ring()
            }
        }
        let title = count == 1 ? "notify 1 observer" : "notify \(count) observers, each"
        return Contest(
            count == 0 ? "notify nobody" : title, units: max(count, 1),
            [
                Contestant("Broadcaster") { times in
                    expect(times, of: counters) {
                        bus.notify((any Bell).self) { $0.ring() }
                    }
                },
                Contestant(
                    "NotificationCenter", aim: count == 1 ? 1 / 4 : count == 1_000 ? 1 / 1.5 : nil
                ) { times in
                    expect(times, of: counters) { center.post(name: name, object: nil) }
                },
                Contestant("textbook bus") { times in
                    expect(times, of: counters) {
                        textbook.notify((any Bell).self) { $0.ring() }
                    }
                },
                Contestant("bare loop", aim: count == 1_000 ? 1.2 : nil) { times in
                    expect(times, of: counters) { loop.notify { $0.ring() } }
                },
            ])
    }

    /// Somebody comes and goes where many stand.
    private static func changes(at count: Int) -> Contest {
        let counters = (0..<count).map { _ in Counter() }
        let passing = Counter()
        let bus = Broadcaster()
        let textbook = TextbookBus()
        let center = NotificationCenter()
        for counter in counters {
            bus.register((any Bell).self, observer: counter)
            textbook.register((any Bell).self, observer: counter)
            _ = center.addObserver(forName: name, object: nil, queue: nil) { [weak counter] _ in
                counter?.ring()
            }
        }
        return Contest(
            "register and unregister beside \(count)",
            [
                Contestant("Broadcaster") { times in
                    for _ in 0..<times {
                        bus.register((any Bell).self, observer: passing)
                        bus.unregister((any Bell).self, observer: passing)
                    }
                },
                Contestant("NotificationCenter") { times in
                    for _ in 0..<times {
                        let token = center.addObserver(forName: name, object: nil, queue: nil) {
                            [weak passing] _ in passing?.ring()
                        }
                        center.removeObserver(token)
                    }
                },
                Contestant("textbook bus") { times in
                    for _ in 0..<times {
                        textbook.register((any Bell).self, observer: passing)
                        textbook.unregister((any Bell).self, observer: passing)
                    }
                    withExtendedLifetime(counters) {}
                },
            ])
    }

    /// One topic in a crowd of others, and one alone.
    private static func otherKeys(_ count: Int) -> Contest {
        let counters = [Counter(), Counter()]
        let (crowded, lonely) = (Broadcaster(), Broadcaster())
        let others = (0..<count).map { _ in Counter() }
        for (topic, other) in others.enumerated() {
            crowded.register((any Bell).self, topic: topic, observer: other)
        }
        crowded.register((any Bell).self, topic: count, observer: counters[0])
        lonely.register((any Bell).self, topic: count, observer: counters[1])
        return Contest(
            "notify one topic of \(count + 1)",
            [
                Contestant("Broadcaster") { times in
                    expect(times, of: [counters[0]]) {
                        crowded.notify((any Bell).self, topic: count) { $0.ring() }
                    }
                },
                Contestant("Broadcaster, one topic of one", aim: 1.05) { times in
                    expect(times, of: [counters[1]]) {
                        lonely.notify((any Bell).self, topic: count) { $0.ring() }
                    }
                    withExtendedLifetime(others) {}
                },
            ])
    }

    /// Notifies so many times, and stops unless everybody heard each.
    @inline(__always)
    private static func expect(_ times: Int, of counters: [Counter], _ notify: () -> Void) {
        let before = counters.first?.rings ?? 0
        for _ in 0..<times { notify() }
        guard let last = counters.last, let first = counters.first else { return }
        guard first.rings == before + times, last.rings == first.rings else {
            fatalError("\(first.rings - before) of \(times) calls arrived")
        }
    }
}
