import Broadcasting
import Protection
import Testing

/// What subscribers do from inside of their calls.
@Suite struct SubjectReentryTests {
    private let subject = PassthroughSubject<Int, Trouble>()
    private typealias Values = Recorder<Int, Trouble>

    @Test func aSendFromInsideArrivesAfterTheCallThatMadeIt() {
        let recorder = Values { [weak subject] value in
            if value < 1_000 { subject?.send(value + 1) }
            return .none
        }
        subject.subscribe(recorder)
        subject.send(1)
        #expect(recorder.values == Array(1...1_000))
        #expect(recorder.misplacedCalls == 0)
    }

    @Test func allSubscribersSeeOneOrderWhateverIsSentFromInside() {
        let first = Values { [weak subject] value in
            if value < 100 { subject?.send(value + 100) }
            return .none
        }
        let second = Values()
        subject.subscribe(first)
        subject.subscribe(second)
        for value in 1...3 { subject.send(value) }
        #expect(first.values == [1, 101, 2, 102, 3, 103])
        #expect(second.values == first.values)
    }

    @Test func aCompletionFromInsideComesBehindWhatWasSentBefore() {
        let recorder = Values { [weak subject] value in
            if value == 1 {
                subject?.send(2)
                subject?.send(completion: .finished)
                subject?.send(3)
            }
            return .none
        }
        subject.subscribe(recorder)
        subject.send(1)
        #expect(recorder.values == [1, 2])
        #expect(recorder.completions == [.finished])
        #expect(recorder.misplacedCalls == 0)
    }

    @Test func nothingComesAfterACancellationFromInside() {
        let holder = Protected<Values?>(nil)
        let recorder = Values { [weak subject] value in
            if value == 2 {
                subject?.send(3)
                holder.value?.cancel()
                subject?.send(completion: .finished)
            }
            return .max(1)
        }
        holder.value = recorder
        defer { holder.value = nil }
        subject.subscribe(recorder)
        for value in 1...4 { subject.send(value) }
        #expect(recorder.values == [1, 2])
        #expect(recorder.completions == [])
    }

    @Test func aSubscriberMayCancelBeforeItsSubscriptionHasReturned() {
        final class Unwilling: Subscriber {
            let calls = Protected(0)

            func receive(subscription: any Subscription) {
                subscription.request(.unlimited)
                subscription.cancel()
            }

            func receive(_ input: Int) -> Subscribers.Demand {
                calls.write { $0 += 1 }
                return .none
            }

            func receive(completion: Subscribers.Completion<Trouble>) { calls.write { $0 += 1 } }
        }
        let (current, unwilling) = (CurrentValueSubject<Int, Trouble>(1), Unwilling())
        current.subscribe(unwilling)
        current.send(2)
        current.send(completion: .finished)
        current.subscribe(unwilling)
        #expect(unwilling.calls.value == 0)
    }

    @Test func aSubscriberMayCancelAnotherBeforeItsTurn() {
        let second = Values()
        let first = Values { _ in
            second.cancel()
            return .none
        }
        subject.subscribe(first)
        subject.subscribe(second)
        subject.send(1)
        #expect(first.values == [1])
        #expect(second.values == [])
    }

    @Test func whoSubscribesFromInsideGetsWhatIsSentFromThenOn() {
        let second = Values()
        let first = Values { [weak subject] value in
            if value == 1 {
                subject?.subscribe(second)
                subject?.send(2)
            }
            return .none
        }
        subject.subscribe(first)
        subject.send(1)
        #expect(first.values == [1, 2])
        #expect(second.values == [2])
    }

    @Test func demandFromInsideOfACallAddsToWhatTheCallReturns() {
        let holder = Protected<Values?>(nil)
        let recorder = Values(demanding: .max(1)) { value in
            guard value == 1 else { return .none }
            holder.value?.request(.max(1))
            return .max(1)
        }
        holder.value = recorder
        defer { holder.value = nil }
        subject.subscribe(recorder)
        for value in 1...5 { subject.send(value) }
        #expect(recorder.values == [1, 2, 3])
    }

    @Test func aSubjectMayBeReleasedFromInsideOfItsCall() {
        let holder = Protected<PassthroughSubject<Int, Trouble>?>(PassthroughSubject())
        let recorder = Values { value in
            if value == 1 {
                holder.value?.send(2)
                holder.value = nil
            }
            return .none
        }
        holder.value?.subscribe(recorder)
        holder.value?.send(1)
        #expect(recorder.values == [1, 2])
        #expect(recorder.completions == [])
    }
}
