import Broadcasting
import Testing

@Suite struct SubjectTests {
    private let subject = PassthroughSubject<Int, Trouble>()
    private typealias Values = Recorder<Int, Trouble>

    @Test func aPassthroughSubjectDropsWhatNobodyDemands() {
        let recorder = Values(demanding: .none)
        subject.send(1)
        subject.subscribe(recorder)
        subject.send(2)
        recorder.request(.max(2))
        for value in 3...5 { subject.send(value) }
        #expect(recorder.values == [3, 4])
        #expect(recorder.droppedCount == 2)
        #expect(subject.droppedCount == 2)
    }

    @Test func demandAddsUpAndOnlyValuesTakeFromIt() {
        let recorder = Values(demanding: .max(1)) { $0 == 1 ? .max(2) : .none }
        subject.subscribe(recorder)
        recorder.request(.max(1))
        recorder.request(.none)
        for value in 1...6 { subject.send(value) }
        #expect(recorder.values == [1, 2, 3, 4])
        #expect(recorder.droppedCount == 2)
    }

    @Test func oneSubscribersDemandIsNotAnothers() {
        let (eager, slow) = (Values(), Values(demanding: .max(1)))
        subject.subscribe(eager)
        subject.subscribe(slow)
        for value in 1...3 { subject.send(value) }
        #expect(eager.values == [1, 2, 3])
        #expect(slow.values == [1])
        #expect((eager.droppedCount, slow.droppedCount, subject.droppedCount) == (0, 2, 2))
    }

    @Test func completionNeedsNoDemandAndComesOnce() {
        let recorder = Values(demanding: .none)
        subject.subscribe(recorder)
        subject.send(completion: .failure(.fire))
        subject.send(completion: .finished)
        subject.send(1)
        recorder.request(.unlimited)
        #expect(recorder.values == [])
        #expect(recorder.completions == [.failure(.fire)])
        #expect(recorder.droppedCount == 0)
    }

    @Test func whoSubscribesAfterTheCompletionGetsItAtOnce() {
        let current = CurrentValueSubject<Int, Trouble>(1)
        for subject in [subject, current] as [any Subject<Int, Trouble>] {
            subject.send(completion: .failure(.flood))
            let recorder = Values()
            subject.receive(subscriber: recorder)
            #expect(recorder.subscription != nil)
            #expect(recorder.values == [])
            #expect(recorder.completions == [.failure(.flood)])
            #expect(recorder.misplacedCalls == 0)
        }
    }

    @Test func aCurrentValueIsDeliveredWithTheFirstDemand() {
        let subject = CurrentValueSubject<Int, Trouble>(1)
        let recorder = Values(demanding: .none)
        subject.subscribe(recorder)
        #expect(recorder.values == [])
        recorder.request(.max(1))
        #expect(recorder.values == [1])
        recorder.request(.max(1))
        #expect(recorder.values == [1])
        subject.send(2)
        #expect(recorder.values == [1, 2])
    }

    @Test func theLatestValueWaitsForDemandAndThoseBeforeItAreDropped() {
        let subject = CurrentValueSubject<Int, Trouble>(1)
        let recorder = Values(demanding: .max(1))
        subject.subscribe(recorder)
        for value in 2...5 { subject.value = value }
        #expect(recorder.values == [1])
        recorder.request(.max(2))
        #expect(recorder.values == [1, 5])
        #expect(recorder.droppedCount == 3)
        subject.send(6)
        #expect(recorder.values == [1, 5, 6])
    }

    @Test func theValueIsTheOneSentLastUntilTheCompletion() {
        let subject = CurrentValueSubject<Int?, Never>(nil)
        #expect(subject.value == nil)
        subject.send(1)
        #expect(subject.value == 1)
        subject.value = nil
        #expect(subject.value == nil)
        subject.value = 2
        subject.send(completion: .finished)
        subject.send(3)
        subject.value = 4
        #expect(subject.value == 2)
    }

    @Test func aLatestValueThatIsOwedIsDroppedAtTheCompletion() {
        let subject = CurrentValueSubject<Int, Trouble>(1)
        let recorder = Values(demanding: .none)
        subject.subscribe(recorder)
        subject.send(completion: .finished)
        recorder.request(.unlimited)
        #expect(recorder.values == [])
        #expect(recorder.completions == [.finished])
        #expect(recorder.droppedCount == 1)
    }

    @Test func subscribersAreCalledInOrderOfSubscription() {
        let order = Recorder<String, Never>()
        let names = PassthroughSubject<String, Never>()
        names.subscribe(order)
        var bag: [AnyCancellable] = []
        for name in ["first", "second", "third"] {
            subject.sink(receiveCompletion: { _ in }, receiveValue: { _ in names.send(name) })
                .store(in: &bag)
        }
        subject.send(1)
        withExtendedLifetime(bag) {}
        #expect(order.values == ["first", "second", "third"])
    }

    @Test func aSinkGetsValuesAndTheEndUntilItIsCancelled() {
        let (values, ends) = (Recorder<Int, Never>(), PassthroughSubject<Int, Never>())
        ends.subscribe(values)
        let sink = subject.sink { _ in
            ends.send(-1)
        } receiveValue: {
            ends.send($0)
        }
        subject.send(1)
        sink.cancel()
        subject.send(2)
        let other = subject.sink { _ in
            ends.send(-2)
        } receiveValue: {
            ends.send($0 * 10)
        }
        subject.send(3)
        subject.send(completion: .finished)
        other.cancel()
        #expect(values.values == [1, 30, -2])
    }

    @Test func aSubjectOfSignalsSendsWithoutAValue() {
        let signals = PassthroughSubject<Void, Never>()
        let recorder = Recorder<Void, Never>()
        signals.subscribe(recorder)
        signals.send()
        #expect(recorder.values.count == 1)
    }

    @Test func moreThanMayWaitIsDroppedAndCounted() {
        let (count, room) = (70_000, 65_536)
        let recorder = Values { [weak subject] value in
            if value == 0 { for value in 1...count { subject?.send(value) } }
            return .none
        }
        subject.subscribe(recorder)
        subject.send(0)
        #expect(recorder.values == Array(0...room))
        #expect(recorder.droppedCount == count - room)
        subject.send(-1)
        #expect(recorder.values.last == -1)
    }

    @Test func theLatestValueSurvivesEvenWhenNoMoreMayWait() {
        let subject = CurrentValueSubject<Int, Trouble>(0)
        let count = 70_000
        let recorder = Values { [weak subject] value in
            if value == 0 { for value in 1...count { subject?.send(value) } }
            return .none
        }
        subject.subscribe(recorder)
        #expect(recorder.values.last == count)
        #expect(recorder.values.count + recorder.droppedCount == count + 1)
    }

    @Test func anUpdateChangesAndSendsInOneStep() {
        let subject = CurrentValueSubject<[Int], Never>([])
        let recorder = Recorder<[Int], Never>()
        subject.subscribe(recorder)
        #expect(subject.update { $0.append(1) } == [1])
        subject.update { $0.append(2) }
        #expect(subject.value == [1, 2])
        #expect(recorder.values == [[], [1], [1, 2]])
    }

    @Test func anUpdateThatThrowsChangesAndSendsNothing() {
        let subject = CurrentValueSubject<Int, Never>(1)
        let recorder = Recorder<Int, Never>()
        subject.subscribe(recorder)
        #expect(throws: Trouble.fire) {
            try subject.update { value throws(Trouble) in
                value = 2
                throw .fire
            }
        }
        #expect(subject.value == 1)
        #expect(recorder.values == [1])
    }

    @Test func anUpdateAfterTheEndDoesNothing() {
        let subject = CurrentValueSubject<Int, Never>(1)
        subject.send(completion: .finished)
        #expect(subject.update { $0 = 2 } == 1)
        #expect(subject.value == 1)
    }
}
