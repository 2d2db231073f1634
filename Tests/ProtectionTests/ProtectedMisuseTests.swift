import Foundation
import Protection
import TestSupport
import Testing

/// What the process is told before it stops.
@Suite(.blocking) struct ProtectedMisuseTests {
    enum Use: String, CaseIterable, Codable, Sendable {
        case read, write, get, set, changeInPlace, member, setValue, mutate, append

        func make(of numbers: Protected<[Int]>) {
            switch self {
            case .read: numbers.read { _ in }
            case .write: numbers.write { _ in }
            case .get: _ = numbers.value
            case .set: numbers.value = []
            case .changeInPlace: numbers.value[0] += 1
            case .member: _ = numbers.count
            case .setValue: numbers.setValue { $0 }
            case .mutate: numbers.mutate { _ in }
            case .append: numbers.append(1)
            }
        }
    }

    private static let reentry = "which would wait for itself: use what the block is given"

    @Test(.serialized, arguments: Use.allCases)
    func reentryStopsWithASentence(use: Use) async {
        let handed = ExitTestValue(use.rawValue, named: "reentry")
        defer { withExtendedLifetime(handed) {} }
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let use = try #require(Use(rawValue: ExitTestValue.taken("reentry")))
            let numbers = Protected([0])
            numbers.read { _ in use.make(of: numbers) }
        }
        #expect(sentence(of: result).contains(Self.reentry))
    }

    @Test func reentryFromAChangeInPlaceStopsWithASentence() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let numbers = Protected([0])
            numbers.value.removeAll { _ in numbers.value.isEmpty }
        }
        #expect(sentence(of: result).contains(Self.reentry))
    }

    @Test func reentryStopsWithASentenceWhenOthersWaitToo() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let number = Protected(0)
            let isInside = Gate()
            try inParallel(4) { index in
                if index > 0 {
                    try isInside.wait()
                    number.write { $0 += 1 }
                } else {
                    number.write { _ in
                        isInside.open()
                        for _ in 0..<1_000 where !number.isMutating {}
                        number.write { $0 += 1 }
                    }
                }
            }
        }
        #expect(sentence(of: result).contains(Self.reentry))
    }

    @Test func aChangeThatEndsOnAnotherThreadStopsWithASentence() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let threads = ThreadForEachStep()
            func grow(_ number: inout Int) async {
                await threads.change()
                number += 1
            }
            await Task(executorPreference: threads) {
                let number = Protected(0)
                await grow(&number.value)
            }.value
        }
        #expect(
            sentence(of: result).contains("do not pass it inout to an async function, take a copy"))
    }

    private func sentence(of result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }
}

/// Goes on with a task on a new thread after each suspension; the earlier ones stay.
private final class ThreadForEachStep: TaskExecutor {
    private let suspended = Protected<CheckedContinuation<Void, Never>?>(nil)
    private let end = Gate()

    func enqueue(_ job: consuming ExecutorJob) {
        let step = UnownedJob(job)
        Thread.detachNewThread { [self] in
            step.runSynchronously(on: asUnownedTaskExecutor())
            suspended.write { $0.take() }?.resume()
            try? end.wait()
        }
    }

    /// Suspends the task until its thread has let go of it.
    func change() async {
        await withCheckedContinuation { suspended.value = $0 }
    }
}
