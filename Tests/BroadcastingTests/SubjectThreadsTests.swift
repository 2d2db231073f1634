import Broadcasting
import Glibc
import Protection
import Synchronization
import TestSupport
import Testing

/// Subjects under eight threads, with counted outcomes.
@Suite struct SubjectThreadsTests {
    /// A value that knows who sent it, and as which of theirs.
    private struct Mark: Sendable, Equatable {
        let sender: Int
        let number: Int
    }

    private static let threads = 8
    /// A sanitizer looks at each access, and finds in a tenth of the rounds what it finds at all.
    private static let share = Sanitizer.isOn ? 10 : 4

    /// Whether each sender's values come in the order it sent them.
    private func keepsTheOrderOfSenders(_ marks: [Mark]) -> Bool {
        var last = [Int](repeating: -1, count: Self.threads)
        return marks.allSatisfy { mark in
            defer { last[mark.sender] = mark.number }
            return mark.number > last[mark.sender]
        }
    }

    @Test(.blocking) func whatWasSentWasReceivedOrReported() throws {
        let each = 6_000 / Self.share
        let subject = PassthroughSubject<Mark, Never>()
        let eager = Recorder<Mark, Never>()
        let modest = Recorder<Mark, Never>(demanding: .max(100)) {
            .max($0.number % 3 == 0 ? 0 : 1)
        }
        subject.subscribe(eager)
        subject.subscribe(modest)
        try inParallel(Self.threads) { index in
            for number in 0..<each {
                subject.send(Mark(sender: index, number: number))
                if number % 100 == 0 { modest.request(.max(20)) }
            }
        }
        for recorder in [eager, modest] {
            #expect(recorder.values.count + recorder.droppedCount == Self.threads * each)
            #expect(recorder.misplacedCalls == 0)
            #expect(keepsTheOrderOfSenders(recorder.values))
        }
        #expect(subject.droppedCount == eager.droppedCount + modest.droppedCount)
    }

    @Test(.blocking) func allSubscribersSeeOneOrder() throws {
        // So few that none can be dropped.
        let each = 4_000 / Self.share
        let subject = PassthroughSubject<Mark, Never>()
        let recorders = (0..<3).map { _ in Recorder<Mark, Never>() }
        for recorder in recorders { subject.subscribe(recorder) }
        try inParallel(Self.threads) { index in
            for number in 0..<each { subject.send(Mark(sender: index, number: number)) }
        }
        #expect(recorders[0].values.count == Self.threads * each)
        #expect(recorders.allSatisfy { $0.values == recorders[0].values })
        #expect(keepsTheOrderOfSenders(recorders[0].values))
    }

    @Test(.blocking) func theLastValueReceivedIsTheCurrentOne() throws {
        let subject = CurrentValueSubject<Mark, Never>(Mark(sender: 0, number: -1))
        let eager = Recorder<Mark, Never>()
        let slow = Recorder<Mark, Never>(demanding: .max(1))
        subject.subscribe(eager)
        subject.subscribe(slow)
        let rounds = 100 / Self.share
        for round in 0..<rounds {
            try inParallel(Self.threads) { index in
                for number in 0..<100 {
                    subject.send(Mark(sender: index, number: round * 100 + number))
                    if number % 10 == 0 { slow.request(.max(3)) }
                }
            }
            slow.request(.max(1))
            #expect(eager.values.last == subject.value)
            #expect(slow.values.last == subject.value)
        }
        for recorder in [eager, slow] {
            #expect(
                recorder.values.count + recorder.droppedCount == Self.threads * rounds * 100 + 1)
            #expect(recorder.misplacedCalls == 0)
        }
    }

    @Test(.blocking) func demandIsNeverExceededNorLost() throws {
        let each = 5_000 / Self.share
        let subject = PassthroughSubject<Int, Never>()
        let recorder = Recorder<Int, Never>(demanding: .none)
        subject.subscribe(recorder)
        try inParallel(Self.threads) { index in
            for number in 0..<each {
                if index % 2 == 0 { recorder.request(.max(1)) } else { subject.send(number) }
            }
        }
        let (demanded, received) = (Self.threads / 2 * each, recorder.values.count)
        #expect(received + recorder.droppedCount == demanded)
        for number in 0..<demanded { subject.send(number) }
        #expect(recorder.values.count == demanded)
    }

    @Test(.blocking) func theCompletionComesOnceAndLastWhateverRacesWithIt() throws {
        let each = 60
        for round in 0..<(150 / Self.share) {
            let subject = PassthroughSubject<Int, Trouble>()
            let recorders = (0..<2).map { _ in Recorder<Int, Trouble>() }
            for recorder in recorders { subject.subscribe(recorder) }
            let late = Recorder<Int, Trouble>(demanding: .none)
            try inParallel(Self.threads) { index in
                for number in 0..<each {
                    subject.send(number)
                    if index < 2, number == round % each {
                        subject.send(completion: index == 0 ? .finished : .failure(.fire))
                    }
                    if index == 7, number == each / 2 { subject.subscribe(late) }
                }
            }
            for recorder in recorders + [late] {
                #expect(recorder.completions.count == 1)
                #expect(recorder.completions == recorders[0].completions)
                #expect(recorder.misplacedCalls == 0)
            }
            #expect(recorders[0].values == recorders[1].values)
            #expect(recorders[0].droppedCount == 0)
        }
    }

    @Test(.blocking) func nothingComesAfterACancellationHasReturned() throws {
        for round in 0..<(250 / Self.share) {
            let subject = PassthroughSubject<Int, Never>()
            let hasReturned = Atomic(false)
            let late = Atomic(0)
            let sink = subject.sink { _ in
                if hasReturned.load(ordering: .acquiring) { late.add(1, ordering: .relaxed) }
            }
            try inParallel(Self.threads) { index in
                for number in 0..<50 {
                    subject.send(number)
                    if index == 0, number == round % 50 {
                        sink.cancel()
                        hasReturned.store(true, ordering: .releasing)
                    }
                }
            }
            let count = late.load(ordering: .relaxed)
            #expect(count == 0)
        }
    }

    @Test(.blocking) func noSubscriberOutlivesItsOwner() throws {
        let census = Census()
        let subject = CurrentValueSubject<Int, Never>(0)
        try inParallel(Self.threads) { index in
            for number in 0..<(4_000 / Self.share) {
                switch index % 4 {
                case 0:
                    subject.send(number)
                case 1:
                    let member = census.member()
                    let sink = subject.sink { _ in withExtendedLifetime(member) {} }
                    sink.cancel()
                case 2:
                    let member = census.member()
                    _ = subject.sink { _ in withExtendedLifetime(member) {} }
                default:
                    _ = subject.values(buffering: .newest(1))
                }
            }
        }
        #expect(census.count == 0)
    }

    @Test func whatWasSentWasReadOrReported() async throws {
        let each = 2_500 / Self.share
        for buffering in [ValueBuffering.oldest(64), .newest(64)] {
            let subject = PassthroughSubject<Mark, Never>()
            let values = subject.values(buffering: buffering)
            let reader = Task {
                var read: [Mark] = []
                for await mark in values { read.append(mark) }
                return read
            }
            try await inParallel(Self.threads) { index in
                for number in 0..<each { subject.send(Mark(sender: index, number: number)) }
            }
            subject.send(completion: .finished)
            let read = await reader.value
            #expect(read.count + values.droppedCount == Self.threads * each)
            #expect(keepsTheOrderOfSenders(read))
        }
    }

    @Test func readersThatAreCancelledWhileValuesComeAllEnd() async throws {
        let census = Census()
        // Released here and not by a thread, which may end after the test.
        let subject = Protected<PassthroughSubject<Census.Member, Never>?>(PassthroughSubject())
        let stop = Atomic(false)
        let gate = Gate()
        // Readers share their few threads with all other tests, and may wait for them to end.
        let sending = Task.detached {
            try await inParallel(2) { _ in
                while !stop.load(ordering: .relaxed) {
                    subject.value?.send(census.member())
                    gate.open()
                    // The thread that delivers goes on as long as something comes: senders that are
                    // faster would keep it, and it is one of the readers' own.
                    guard census.count > 1_000 else { continue }
                    while census.count > 16, !stop.load(ordering: .relaxed) { sched_yield() }
                }
            }
        }
        for _ in 0..<(300 / Self.share) {
            let values = try #require(subject.value?.values(buffering: .newest(8)))
            let readers = (0..<2).map { _ in
                Task {
                    for await _ in values { await Task.yield() }
                }
            }
            var iterator = values.makeAsyncIterator()
            _ = await iterator.next()
            readers[0].cancel()
            for reader in readers { await reader.value }
        }
        stop.store(true, ordering: .relaxed)
        try await sending.value
        subject.value = nil
        #expect(gate.isOpen)
        #expect(census.count == 0)
    }

    @Test func updatesOfSeveralThreadsAllCount() throws {
        let (threads, updates) = (8, Sanitizer.isOn ? 500 : 2_000)
        let subject = CurrentValueSubject<Int, Never>(0)
        let recorder = Recorder<Int, Never>()
        subject.subscribe(recorder)
        try inParallel(threads) { _ in
            for _ in 0..<updates { subject.update { $0 += 1 } }
        }
        #expect(subject.value == threads * updates)
        #expect(recorder.values == Array(0...threads * updates))
    }
}
