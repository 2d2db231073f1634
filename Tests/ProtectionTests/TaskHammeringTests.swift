import Dispatch
import Protection
import TestSupport
import Testing

/// Tasks that change their thread between two accesses to one value, and every outcome counted.
///
/// Means most in an optimised build: there the compiler may keep for the rest of an `async`
/// function what it has found out about the thread before an `await`, so that a task takes itself
/// for another one, and stops the process for a re-entry that there was not.
@Suite(.timeLimit(.minutes(20))) struct TaskHammeringTests {
    private static let tasks = 24
    private static let rounds = Sanitizer.isOn ? 200 : 700

    /// What the documentation of `Protected` shows.
    private final class Census: Sendable {
        private let table = Protected<[String: Int]>([:])

        func count(_ name: String) -> Int {
            table.write { table in
                table[name, default: 0] += 1
                return table[name, default: 0]
            }
        }
    }

    private enum Job: StateMachine {
        case waiting, running

        func canTransition(to next: Job) -> Bool { self != next }
    }

    @Test func everyCountOfACensusIsInItsTable() async throws {
        let census = Census()
        try await inTasks(Self.tasks) { _ in
            for _ in 0..<Self.rounds {
                _ = census.count("a")
                await Task.yield()
                _ = census.count("a")
            }
        }
        #expect(census.count("a") == Self.tasks * Self.rounds * 2 + 1)
    }

    @Test func everyFormOfAccessIsOpenToATaskThatChangesThreads() async throws {
        let number = Protected(0)
        let list = Protected<[Int]>([])
        let resource = ProtectedResource(0)
        try await inTasks(Self.tasks) { _ in
            for _ in 0..<Self.rounds {
                number.write { $0 += 1 }
                await Task.yield()
                number.value += 1
                list.append(1)
                await Task.yield()
                number.mutate { $0 += 1 }
                resource.write { $0 += 1 }
                await Task.yield()
                number.setValue { $0 + 1 }
                _ = list.write { $0.popLast() }
                await Task.yield()
                if number.value == 0 || number.read({ $0 == 0 }) || resource.read({ $0 == 0 }) {
                    number.value = .min
                }
                _ = list.count
                _ = number.isMutating
            }
        }
        #expect(number.value == Self.tasks * Self.rounds * 4)
        #expect(resource.read { $0 } == Self.tasks * Self.rounds)
        #expect(list.value == [])
    }

    @Test func ofTasksThatTryATransitionOneHasIt() async throws {
        let job = Protected(Job.waiting)
        let owners = Protected((now: 0, most: 0))
        try await inTasks(Self.tasks) { _ in
            for _ in 0..<Self.rounds {
                guard job.attemptToTransition(to: .running) else {
                    await Task.yield()
                    continue
                }
                owners.write { owners in
                    owners.now += 1
                    owners.most = max(owners.most, owners.now)
                }
                await Task.yield()
                owners.write { $0.now -= 1 }
                _ = job.attemptToTransition(from: .running, to: .waiting)
            }
        }
        #expect(owners.value == (now: 0, most: 1))
    }

    @Test func everyOnceRunsOneBlockOfTheTasksThatComeToIt() async throws {
        let all = (0..<Self.rounds).map { _ in (first: Once(), second: Once()) }
        let runs = Protected((first: 0, second: 0, token: 0))
        let suite = ObjectIdentifier(runs)
        try await inTasks(Self.tasks) { _ in
            for (round, pair) in all.enumerated() {
                pair.first.run { runs.write { $0.first += 1 } }
                await Task.yield()
                pair.second.run { runs.write { $0.second += 1 } }
                await Task.yield()
                DispatchQueue.once(token: [suite.hashValue, round]) {
                    runs.write { $0.token += 1 }
                }
            }
        }
        #expect(runs.value == (Self.rounds, Self.rounds, Self.rounds))
    }
}
