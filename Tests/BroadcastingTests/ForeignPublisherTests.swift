import Broadcasting
import Protection
import Synchronization
import TestSupport
import Testing

/// What `sink` promises holds over publishers that the library did not write.
@Suite struct ForeignPublisherTests {
    private let publisher = UnrulyPublisher()
    private let calls = Protected<[String]>([])

    private func sink(
        _ onValue: @escaping @Sendable (Int) -> Void = { _ in }
    ) -> AnyCancellable {
        publisher.sink { [calls] completion in
            calls.write { $0.append(completion == .finished ? "finished" : "failure") }
        } receiveValue: { [calls] value in
            calls.write { $0.append("\(value)") }
            onValue(value)
        }
    }

    @Test func everythingIsDemandedOnce() {
        let sink = sink()
        publisher.send(1)
        publisher.send(2)
        publisher.end()
        #expect(calls.value == ["1", "2", "finished"])
        #expect(publisher.bond.demand == .unlimited)
        sink.cancel()
        #expect(publisher.bond.cancellations == 0, "what has ended needs no cancellation")
    }

    @Test func nothingComesAfterTheCancellation() {
        let sink = sink()
        publisher.send(1)
        sink.cancel()
        publisher.send(2)
        publisher.end()
        #expect(calls.value == ["1"])
        #expect(publisher.bond.cancellations == 1)
    }

    @Test func nothingComesAfterTheRelease() {
        var sink: AnyCancellable? = sink()
        publisher.send(1)
        #expect(sink != nil)
        sink = nil
        publisher.send(2)
        publisher.end()
        #expect(calls.value == ["1"])
        #expect(publisher.bond.cancellations == 1)
    }

    @Test func nothingComesAfterTheEndAndThereIsOneEndOnly() {
        let sink = sink()
        publisher.send(1)
        publisher.end(.failure(.fire))
        publisher.send(2)
        publisher.end(.finished)
        publisher.end(.failure(.flood))
        #expect(calls.value == ["1", "failure"])
        withExtendedLifetime(sink) {}
    }

    @Test func aSinkThatCancelsItselfFromInsideGetsNoMore() {
        let own = Protected<AnyCancellable?>(nil)
        own.value = sink { _ in own.value?.cancel() }
        publisher.send(1)
        publisher.send(2)
        publisher.end()
        #expect(calls.value == ["1"])
    }

    @Test func aValueSentFromInsideACallComesAfterThatCall() {
        let isInside = Atomic(false)
        let overlaps = Atomic(0)
        let sink = publisher.sink { _ in
        } receiveValue: { [publisher, calls] value in
            if isInside.exchange(true, ordering: .acquiringAndReleasing) {
                overlaps.add(1, ordering: .relaxed)
            }
            calls.write { $0.append("\(value)") }
            if value < 3 { publisher.send(value + 1) }
            isInside.store(false, ordering: .releasing)
        }
        publisher.send(1)
        #expect(calls.value == ["1", "2", "3"])
        #expect(overlaps.load(ordering: .relaxed) == 0)
        sink.cancel()
    }

    @Test(.blocking) func aValueOfASecondThreadWaitsForTheRunningCall() throws {
        let (inside, sent) = (Gate(), Gate())
        let sink = sink { value in
            guard value == 1 else { return }
            inside.open()
            try? sent.wait()
        }
        let meanwhile = Protected<[String]>([])
        try inParallel(2) { [publisher, calls] index in
            if index == 0 {
                publisher.send(1)
            } else {
                try inside.wait()
                publisher.send(2)
                meanwhile.value = calls.value
                sent.open()
            }
        }
        #expect(meanwhile.value == ["1"])
        #expect(calls.value == ["1", "2"])
        sink.cancel()
    }

    @Test(.blocking) func aCancellationFromOutsideWaitsForTheRunningCall() throws {
        let (inside, cancelled) = (Gate(), Gate())
        let hasEnded = Atomic(false)
        let hadEnded = Atomic(false)
        let sink = sink { _ in
            inside.open()
            // Opens at once if the cancellation does not wait.
            try? cancelled.wait(within: .milliseconds(50))
            hasEnded.store(true, ordering: .releasing)
        }
        try inParallel(2) { [publisher] index in
            if index == 0 {
                publisher.send(1)
            } else {
                try inside.wait()
                sink.cancel()
                hadEnded.store(hasEnded.load(ordering: .acquiring), ordering: .releasing)
                cancelled.open()
            }
        }
        publisher.send(2)
        let waited = hadEnded.load(ordering: .acquiring)
        #expect(waited)
        #expect(calls.value == ["1"])
    }

    @Test(.blocking) func twoThatCancelEachOtherFromInsideBothReturnAndGetNoMore() throws {
        let publishers = [UnrulyPublisher(), UnrulyPublisher()]
        let bothInside = Gate(openings: 2)
        let sinks = Protected<[AnyCancellable]>([])
        for (index, publisher) in publishers.enumerated() {
            let sink = publisher.sink { [calls] _ in
                calls.write { $0.append("end") }
            } receiveValue: { [calls] value in
                calls.write { $0.append("\(value)") }
                bothInside.open()
                try? bothInside.wait()
                sinks.value[1 - index].cancel()
            }
            sinks.write { $0.append(sink) }
        }
        try inParallel(2) { index in publishers[index].send(1) }
        #expect(bothInside.isOpen)
        for publisher in publishers {
            publisher.send(2)
            publisher.end()
        }
        #expect(calls.value == ["1", "1"])
        #expect(publishers.map(\.bond.cancellations) == [1, 1])
        sinks.value = []
    }

    @Test func aSecondSubscriptionIsCancelledAndChangesNothing() {
        let (sink, second) = (sink(), UnrulyPublisher.Bond())
        publisher.subscribeAgain(with: second)
        publisher.send(1)
        #expect(second.cancellations == 1)
        #expect(publisher.bond.cancellations == 0)
        #expect(calls.value == ["1"])
        sink.cancel()
    }

    @Test func whatTheClosuresHoldGoesThoughThePublisherKeepsItsSubscribers() {
        let census = Census()
        func sink() -> AnyCancellable {
            let member = census.member()
            return publisher.sink { _ in
            } receiveValue: { _ in
                withExtendedLifetime(member) {}
            }
        }
        let cancelled = sink()
        #expect(census.count == 1)
        cancelled.cancel()
        #expect(census.count == 0)
        let ended = sink()
        publisher.end()
        #expect(census.count == 0)
        withExtendedLifetime(ended) {}
    }

    @Test func valuesOfAForeignPublisherEndWithItsFirstEnd() async throws {
        var iterator = publisher.values.makeAsyncIterator()
        publisher.send(1)
        publisher.end(.failure(.fire))
        publisher.send(2)
        publisher.end(.finished)
        let first = try await iterator.next()
        #expect(first == 1)
        do {
            _ = try await iterator.next()
            Issue.record("the failure was not told")
        } catch {
            #expect(error == .fire)
        }
        let last = try await iterator.next()
        #expect(last == nil)
    }
}
