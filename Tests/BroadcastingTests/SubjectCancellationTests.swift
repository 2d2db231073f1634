import Protection
import Synchronization
import TestSupport
import Testing

@testable import Broadcasting

@Suite struct SubjectCancellationTests {
    private let subject = PassthroughSubject<Int, Never>()

    @Test(.blocking) func aCancellationFromOutsideWaitsForTheRunningCall() throws {
        let (inside, cancelled) = (Gate(), Gate())
        let hasEnded = Atomic(false)
        let sink = subject.sink { _ in
            inside.open()
            // Opens at once if the cancellation does not wait.
            let result = Result { try cancelled.wait(within: .milliseconds(50)) }
            #expect(throws: Gate.TimedOut.self) { try result.get() }
            hasEnded.store(true, ordering: .releasing)
        }
        try inParallel(3) { [subject] index in
            if index == 0 {
                subject.send(1)
            } else {
                try inside.wait()
                sink.cancel()
                let ended = hasEnded.load(ordering: .acquiring)
                #expect(ended)
                cancelled.open()
            }
        }
    }

    @Test(.blocking) func twoThatCancelEachOtherFromInsideBothReturn() throws {
        let subjects = [subject, PassthroughSubject<Int, Never>()]
        let bothInside = Gate(openings: 2)
        let sinks = Protected<[AnyCancellable]>([])
        for index in 0..<2 {
            let sink = subjects[index].sink { _ in
                bothInside.open()
                try? bothInside.wait()
                sinks.value[1 - index].cancel()
            }
            sinks.write { $0.append(sink) }
        }
        try inParallel(2) { index in subjects[index].send(1) }
        #expect(bothInside.isOpen)
        sinks.value = []
    }

    @Test(.blocking) func releasingWhatCancelsDoesNotWait() throws {
        let (inside, released) = (Gate(), Gate())
        let count = Atomic(0)
        let sink = Protected<AnyCancellable?>(
            subject.sink { _ in
                count.add(1, ordering: .relaxed)
                inside.open()
                #expect(throws: Never.self) { try released.wait() }
            })
        try inParallel(2) { [subject] index in
            if index == 0 {
                subject.send(1)
            } else {
                try inside.wait()
                sink.value = nil
                released.open()
                subject.send(2)
            }
        }
        let calls = count.load(ordering: .relaxed)
        #expect(calls == 1)
    }

    @Test func aTaskMadeInsideOfACallIsInsideNoLongerThanTheCall() async {
        let tasks = Protected<[Task<Bool, Never>]>([])
        let (stream, end) = AsyncStream.makeStream(of: Void.self)
        let sink = subject.sink { _ in
            #expect(!CallContext.mayWait)
            let task = Task {
                for await _ in stream {}
                return CallContext.mayWait
            }
            tasks.write { $0.append(task) }
        }
        subject.send(1)
        #expect(CallContext.mayWait)
        end.finish()
        for task in tasks.value { #expect(await task.value) }
        #expect(tasks.value.count == 1)
        sink.cancel()
    }

    @Test func aBlockThatCancelsRunsOnce() {
        let count = Protected(0)
        var bag: Set<AnyCancellable> = []
        AnyCancellable { count.write { $0 += 1 } }.store(in: &bag)
        bag.first?.cancel()
        bag.first?.cancel()
        bag = []
        #expect(count.value == 1)
        AnyCancellable { count.write { $0 += 1 } }.store(in: &bag)
        bag = []
        #expect(count.value == 2)
    }

    @Test func aSecondSubscriptionIsCancelled() {
        final class Bond: Subscription {
            let cancellations = Atomic(0)
            let droppedCount = 0
            func request(_ demand: Subscribers.Demand) {}
            func cancel() { cancellations.add(1, ordering: .relaxed) }
        }
        let bonds = [Bond(), Bond()]
        let sink = Sink<Int, Never>(receiveCompletion: { _ in }, receiveValue: { _ in })
        for bond in bonds { sink.receive(subscription: bond) }
        #expect(bonds.map { $0.cancellations.load(ordering: .relaxed) } == [0, 1])
        sink.slot.cancel()
        #expect(bonds.map { $0.cancellations.load(ordering: .relaxed) } == [1, 1])
    }

    @Test func everyEndReleasesTheSubscriberAndWhatItsClosuresHold() {
        let census = Census()
        var subject: PassthroughSubject<Int, Never>? = PassthroughSubject()
        func sink() -> AnyCancellable? {
            let member = census.member()
            return subject?.sink { _ in withExtendedLifetime(member) {} }
        }
        let cancelled = sink()
        var released = sink()
        #expect(census.count == 2)
        cancelled?.cancel()
        #expect(census.count == 1)
        released = nil
        #expect(census.count == 0)
        _ = released

        let completed = sink()
        subject?.send(completion: .finished)
        #expect(census.count == 0)

        subject = PassthroughSubject()
        let orphaned = sink()
        subject = nil
        #expect(census.count == 0)
        withExtendedLifetime((cancelled, completed, orphaned)) {}
    }

    @Test func aSubscriberThatHoldsItsSubscriptionGoesWithTheSubject() {
        weak var recorder: Recorder<Int, Never>?
        do {
            let subject = CurrentValueSubject<Int, Never>(1)
            let held = Recorder<Int, Never>()
            recorder = held
            subject.subscribe(held)
        }
        #expect(recorder == nil)
    }

    @Test func aSubjectIsNotKeptByItsSubscriptions() {
        weak var weakly: PassthroughSubject<Int, Never>?
        let sink: AnyCancellable
        do {
            let subject = PassthroughSubject<Int, Never>()
            weakly = subject
            sink = subject.sink { _ in }
        }
        #expect(weakly == nil)
        sink.cancel()
    }

    @Test func noValueIsReleasedUnderALock() {
        /// Uses its subject when it goes.
        final class Value: Sendable {
            let onEnd: @Sendable () -> Void
            init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
            deinit { onEnd() }
        }
        let (ends, calls) = (Protected(0), Protected(0))
        let subject = CurrentValueSubject<Value?, Never>(nil)
        @Sendable func value() -> Value {
            Value { [weak subject] in
                ends.write { $0 += 1 }
                _ = subject?.value
                _ = subject?.droppedCount
            }
        }
        let slow = Recorder<Value?, Never>(demanding: .none)
        subject.subscribe(slow)
        for _ in 0..<3 { subject.send(value()) }
        #expect(ends.value == 2)

        let busy = Protected<AnyCancellable?>(nil)
        busy.value = subject.sink { [weak subject] _ in
            calls.write { $0 += 1 }
            guard calls.value == 2 else { return }
            for _ in 0..<2 { subject?.send(value()) }
            busy.value?.cancel()
        }
        subject.send(value())
        #expect(calls.value == 2)
        #expect(ends.value == 5)
        subject.send(nil)
        #expect(ends.value == 6)
        busy.value = nil
    }
}
