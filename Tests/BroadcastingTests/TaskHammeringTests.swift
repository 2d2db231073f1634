import Broadcasting
import Protection
import TestSupport
import Testing

/// Tasks that change their thread between two uses of one broadcaster or subject, and every outcome
/// counted. Means most in an optimised build, as the suite of the same name for protected values.
@Suite(.timeLimit(.minutes(20))) struct TaskHammeringTests {
    private static let tasks = 24
    private static let rounds = Sanitizer.isOn ? 100 : 300

    private let heard = Protected(0)

    @Test func everyNotificationOfATaskReachesWhomTheTaskRegistered() async throws {
        let bus = Broadcaster()
        try await inTasks(Self.tasks) { [heard] task in
            for round in 0..<Self.rounds {
                let listener = Listener { _ in heard.write { $0 += 1 } }
                bus.add(listener, at: task)
                await Task.yield()
                bus.ring(round, at: task)
                await Task.yield()
                bus.drop(listener)
                bus.ring(round, at: task)
            }
        }
        #expect(heard.value == Self.tasks * Self.rounds)
        #expect(bus.observerships.isEmpty)
    }

    @Test func whatTasksSendIsReceivedByTheSinksOfAllTasks() async throws {
        let subject = PassthroughSubject<Int, Never>()
        let latest = CurrentValueSubject<Int, Never>(0)
        let sinks = [subject.counted(in: heard), latest.counted(in: heard)]
        try await inTasks(Self.tasks) { task in
            for round in 0..<Self.rounds {
                subject.send(round)
                await Task.yield()
                latest.send(round)
                await Task.yield()
                let passing = Protected(0)
                let sink = latest.counted(in: passing)
                await Task.yield()
                sink.cancel()
                #expect(passing.value >= 1)
            }
        }
        // The sink of the latest value was given the first one, too.
        #expect(heard.value == 2 * Self.tasks * Self.rounds + 1)
        for sink in sinks { sink.cancel() }
    }

    @Test func whatTasksSendIsReadByTheSequencesOfOthers() async throws {
        let subject = PassthroughSubject<Int, Never>()
        let senders = Self.tasks / 2
        let readers = (0..<senders).map { _ in subject.values(buffering: .newest(65_536)) }
        let sending = Protected(senders)
        try await inTasks(2 * senders) { [heard] task in
            guard task < senders else {
                for await _ in readers[task - senders] { heard.write { $0 += 1 } }
                return
            }
            for round in 0..<Self.rounds {
                subject.send(round)
                await Task.yield()
            }
            let left = sending.write { sending in
                sending -= 1
                return sending
            }
            if left == 0 { subject.send(completion: .finished) }
        }
        #expect(heard.value == senders * senders * Self.rounds)
    }
}

extension Publisher where Failure == Never {
    /// Counts what comes.
    fileprivate func counted(in count: Protected<Int>) -> AnyCancellable {
        sink { _ in count.write { $0 += 1 } }
    }
}
