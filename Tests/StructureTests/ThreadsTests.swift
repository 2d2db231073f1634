import Glibc
import Protection
import TestSupport
import Testing

/// Threads that tests start by ``inParallel(_:within:_:)``.
@Suite(.blocking) struct ThreadsTests {
    @Test func anExpectationOnAThreadBelongsToItsTest() throws {
        let names = Protected<[String?]>([])
        try inParallel(2) { _ in names.write { $0.append(Test.current?.name) } }
        #expect(names.value == Array(repeating: Test.current?.name, count: 2))
        #expect(Test.current != nil)
    }

    @Test func anExpectationOnAThreadOfATaskBelongsToItsTest() async throws {
        let names = Protected<[String?]>([])
        try await inParallel(2) { _ in names.write { $0.append(Test.current?.name) } }
        #expect(names.value == Array(repeating: Test.current?.name, count: 2))
        #expect(Test.current != nil)
    }

    @Test func eachIndexHasAThreadOfItsOwn() throws {
        let threads = Protected<Set<UInt>>([])
        try inParallel(8) { _ in
            threads.write { _ = $0.insert(UInt(pthread_self())) }
        }
        #expect(threads.value.count == 8)
    }
}
