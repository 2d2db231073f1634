import Foundation
import Protection
import Synchronization

/// `Protected` beside the locks it could have been, each around one integer.
enum ProtectedContests {
    static func all() -> [Contest] {
        [writing(), reading(), writing(on: 8)]
    }

    private final class Numbers: Sendable {
        let mutex = Mutex(0)
        let protected = Protected(0)
        let locked = Locked(0)
        let queued = Queued(0)
    }

    private static func writing() -> Contest {
        let number = Numbers()
        return Contest(
            "write an integer",
            [
                Contestant("Protected.write") { times in
                    for step in 0..<times { number.protected.write { $0 &+= step } }
                },
                Contestant("Protected, in place") { times in
                    for step in 0..<times { number.protected.value &+= step }
                },
                Contestant("Mutex", aim: 1.2) { times in
                    for step in 0..<times { number.mutex.withLock { $0 &+= step } }
                },
                Contestant("NSLock") { times in
                    for step in 0..<times { number.locked.write { $0 &+= step } }
                },
                Contestant("barrier queue") { times in
                    for step in 0..<times { number.queued.write { $0 &+= step } }
                },
            ])
    }

    private static func reading() -> Contest {
        let number = Numbers()
        return Contest(
            "read an integer",
            [
                Contestant("Protected.read") { times in
                    for _ in 0..<times { keep(number.protected.read { $0 }) }
                },
                Contestant("Protected.value") { times in
                    for _ in 0..<times { keep(number.protected.value) }
                },
                Contestant("Mutex", aim: 1.2) { times in
                    for _ in 0..<times { keep(number.mutex.withLock { $0 }) }
                },
                Contestant("NSLock") { times in
                    for _ in 0..<times { keep(number.locked.read { $0 }) }
                },
                Contestant("barrier queue") { times in
                    for _ in 0..<times { keep(number.queued.read { $0 }) }
                },
            ])
    }

    /// Enough each that the threads meet, and sleep for each other where the lock lets them.
    private static let stepsOfThread = 10_000

    private static func writing(on threads: Int) -> Contest {
        let number = Numbers()
        return Contest(
            "mix an integer on \(threads) threads", units: threads * stepsOfThread,
            [
                Contestant("Protected.write") { times in
                    on(threads, times) { step in number.protected.write { mix(&$0, step) } }
                },
                Contestant("Mutex") { times in
                    on(threads, times) { step in number.mutex.withLock { mix(&$0, step) } }
                },
                Contestant("NSLock") { times in
                    on(threads, times) { step in number.locked.write { mix(&$0, step) } }
                },
                Contestant("barrier queue") { times in
                    on(threads, times) { step in number.queued.write { mix(&$0, step) } }
                },
            ])
    }

    /// Some 15 ns of work.
    @inline(never)
    private static func mix(_ number: inout Int, _ step: Int) {
        for turn in 0..<20 { number = (number &* 31) ^ (step &+ turn) }
    }

    private static func on(
        _ threads: Int, _ times: Int, _ body: @escaping @Sendable (Int) -> Void
    ) {
        for _ in 0..<times {
            let start = DispatchGroup()
            let end = DispatchGroup()
            start.enter()
            for _ in 0..<threads {
                end.enter()
                Thread.detachNewThread {
                    start.wait()
                    for step in 0..<stepsOfThread { body(step) }
                    end.leave()
                }
            }
            start.leave()
            end.wait()
        }
    }

    @inline(never)
    private static func keep(_ number: Int) {}
}
