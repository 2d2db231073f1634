import Broadcasting
import Protection
import Testing

@Suite struct SubjectValuesTests {
    private let subject = PassthroughSubject<Int, Trouble>()

    @Test func valuesSentAfterTheSequenceWasMadeAreRead() async throws {
        let values = subject.values
        for value in 1...100 { subject.send(value) }
        subject.send(completion: .finished)
        var read: [Int] = []
        for try await value in values { read.append(value) }
        #expect(read == Array(1...100))
        #expect(values.droppedCount == 0)
    }

    @Test func theOldestAreKeptWithinTheBoundAndTheRestIsCounted() async throws {
        let values = subject.values(buffering: .oldest(3))
        for value in 1...10 { subject.send(value) }
        #expect(values.droppedCount == 7)
        subject.send(completion: .finished)
        #expect(try await all(values) == [1, 2, 3])
        #expect(values.droppedCount == 7)
    }

    @Test func theNewestAreKeptWithinTheBoundAndTheRestIsCounted() async throws {
        let values = subject.values(buffering: .newest(3))
        for value in 1...10 { subject.send(value) }
        #expect(values.droppedCount == 7)
        subject.send(completion: .finished)
        #expect(try await all(values) == [8, 9, 10])
    }

    @Test func aFailureIsThrownOnceBehindTheValues() async throws {
        let values = subject.values
        subject.send(1)
        subject.send(completion: .failure(.flood))
        var iterator = values.makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        await #expect(throws: Trouble.flood) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test func aCurrentValueIsReadFirst() async {
        let subject = CurrentValueSubject<Int, Never>(7)
        let values = subject.values
        subject.send(8)
        subject.send(completion: .finished)
        var read: [Int] = []
        for await value in values { read.append(value) }
        #expect(read == [7, 8])
    }

    @Test func aReaderThatWaitsGetsTheValueAndTheEnd() async throws {
        let (replies, reply) = AsyncStream.makeStream(of: Int.self)
        let values = subject.values(buffering: .oldest(1))
        let reader = Task {
            for try await value in values { reply.yield(value) }
            reply.finish()
        }
        var iterator = replies.makeAsyncIterator()
        for value in 1...100 {
            subject.send(value)
            #expect(await iterator.next() == value)
        }
        subject.send(completion: .finished)
        #expect(await iterator.next() == nil)
        try await reader.value
        #expect(values.droppedCount == 0)
    }

    @Test func aCancelledTaskReadsTheEndAndTheSubscriptionGoes() async throws {
        let census = Census()
        let subject = PassthroughSubject<Census.Member, Never>()
        let (replies, reply) = AsyncStream.makeStream(of: Void.self)
        let values = subject.values
        let reader = Task {
            var count = 0
            for await _ in values {
                count += 1
                reply.yield()
            }
            return count
        }
        var iterator = replies.makeAsyncIterator()
        subject.send(census.member())
        await iterator.next()
        reader.cancel()
        #expect(await reader.value == 1)
        for _ in 0..<10 { subject.send(census.member()) }
        #expect(census.count == 0)
        #expect(values.droppedCount == 0)
        var late = values.makeAsyncIterator()
        #expect(await late.next() == nil)
    }

    @Test func aTaskThatIsCancelledBeforeItReadsGetsTheEnd() async {
        let subject = CurrentValueSubject<Int, Never>(1)
        let values = subject.values
        let reader = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var iterator = values.makeAsyncIterator()
            return await iterator.next()
        }
        #expect(await reader.value == nil)
    }

    @Test func aSequenceThatIsReleasedIsNoSubscriberAnyMore() {
        let census = Census()
        let subject = CurrentValueSubject<Census.Member?, Never>(nil)
        var values: PublisherValues<Census.Member?, Never>? = subject.values
        subject.send(census.member())
        subject.send(nil)
        #expect(census.count == 1)
        var iterator = values?.makeAsyncIterator()
        values = nil
        #expect(census.count == 1)
        iterator = nil
        #expect(census.count == 0)
        withExtendedLifetime((values, iterator)) {}
    }

    @Test func theSequenceEndsWithASubjectThatIsReleased() async throws {
        var subject: PassthroughSubject<Int, Trouble>? = PassthroughSubject()
        let values = try #require(subject?.values)
        let (replies, reply) = AsyncStream.makeStream(of: Int.self)
        let reader = Task {
            for try await value in values { reply.yield(value) }
        }
        subject?.send(1)
        var iterator = replies.makeAsyncIterator()
        #expect(await iterator.next() == 1)
        subject?.send(2)
        subject = nil
        #expect(await iterator.next() == 2)
        try await reader.value
    }

    @Test func twoReadersShareTheValues() async throws {
        let values = subject.values
        let readers = (0..<2).map { _ in Task { try await all(values) } }
        for value in 1...200 { subject.send(value) }
        subject.send(completion: .finished)
        var read: [Int] = []
        for reader in readers {
            let part = try await reader.value
            #expect(part == part.sorted())
            read += part
        }
        #expect(read.sorted() == Array(1...200))
    }

    private func all(_ values: PublisherValues<Int, Trouble>) async throws -> [Int] {
        var read: [Int] = []
        for try await value in values { read.append(value) }
        return read
    }
}
