import Broadcasting
import Foundation
import Synchronization

/// Subjects beside the least that could call closures from several threads, and beside
/// `NotificationCenter`.
enum SubjectContests {
    static func all() -> [Contest] {
        [1, 10, 1_000].map(send)
    }

    private static let name = Notification.Name("number")

    /// The sum of what one subscriber got, by which a contest proves that it got it.
    // @unchecked: contests send on one thread.
    private final class Sum: @unchecked Sendable {
        private(set) var value = 0

        func add(_ number: Int) { value &+= number }
    }

    /// Closures that are called under the lock which guards their list.
    private final class Closures: Sendable {
        private let closures = Mutex<[@Sendable (Int) -> Void]>([])

        func append(_ closure: @escaping @Sendable (Int) -> Void) {
            closures.withLock { $0.append(closure) }
        }

        func send(_ number: Int) {
            closures.withLock { closures in
                for closure in closures { closure(number) }
            }
        }
    }

    private static func send(to count: Int) -> Contest {
        let sums = (0..<count).map { _ in Sum() }
        let passing = PassthroughSubject<Int, Never>()
        let current = CurrentValueSubject<Int, Never>(0)
        let closures = Closures()
        let center = NotificationCenter()
        var sinks: Set<AnyCancellable> = []
        for sum in sums {
            passing.sink { sum.add($0) }.store(in: &sinks)
            current.sink { sum.add($0) }.store(in: &sinks)
            closures.append { sum.add($0) }
            _ = center.addObserver(forName: name, object: nil, queue: nil) { _ in sum.add(1) }
        }
        return Contest(
            count == 1 ? "send to 1 subscriber" : "send to \(count) subscribers, each",
            units: count,
            [
                Contestant("PassthroughSubject") { [sinks] times in
                    expect(times, of: sums) { passing.send(1) }
                    withExtendedLifetime(sinks) {}
                },
                Contestant("CurrentValueSubject") { times in
                    expect(times, of: sums) { current.send(1) }
                },
                Contestant("closures under a lock") { times in
                    expect(times, of: sums) { closures.send(1) }
                },
                Contestant("NotificationCenter, no value") { times in
                    expect(times, of: sums) { center.post(name: name, object: nil) }
                },
            ])
    }

    /// Sends ones so many times, and stops unless everybody got each.
    @inline(__always)
    private static func expect(_ times: Int, of sums: [Sum], _ send: () -> Void) {
        let before = sums[0].value
        for _ in 0..<times { send() }
        guard sums.allSatisfy({ $0.value == before + times }) else {
            fatalError("not all of \(times) values arrived")
        }
    }
}
