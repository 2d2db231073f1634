import Protection
import TestSupport
import Testing

/// What a protected value looks like from outside: as a property, as a whole, by its members.
@Suite(.blocking) struct ProtectedAccessTests {
    private struct Refused: Error {}

    private struct Hits: Equatable {
        var total = 0
        var names: [String] = []
        var isEven: Bool { total.isMultiple(of: 2) }
    }

    private struct Page {
        @Protected var hits = Hits()
        @Protected var table: [String: Int] = [:]
    }

    /// Notes where it was released: inside a block of the value or outside.
    private final class Watcher: Sendable {
        let house: Protected<Watcher?>
        let wasInside: Protected<[Bool]>

        init(of house: Protected<Watcher?>, telling wasInside: Protected<[Bool]>) {
            self.house = house
            self.wasInside = wasInside
        }

        deinit { wasInside.append(house.isMutating) }
    }

    @Test func aPropertyReadsAndWritesAsIfItWerePlain() {
        let page = Page()
        page.table["a"] = 1
        page.table["a", default: 0] += 1
        page.table.merge(["b": 3]) { $1 }
        #expect(page.table == ["a": 2, "b": 3])
        page.table = ["c": 4]
        #expect(page.table == ["c": 4])
    }

    @Test func theDollarGivesTheWrapperAndCopiesShareIt() {
        let page = Page()
        let copy = page
        copy.$hits.write { $0.total = 7 }
        #expect(page.$hits === copy.$hits)
        #expect(page.hits.total == 7)
        #expect(page.$hits.wrappedValue == page.$hits.value)
    }

    @Test func aLocalPropertyIsReachedFromOtherThreadsByItsWrapper() throws {
        @Protected var total = 0
        try inParallel(4) { [total = $total] _ in
            for _ in 0..<1_000 { total.value += 1 }
        }
        #expect(total == 4_000)
    }

    @Test func changingInPlaceIsOneAccessThatLosesNothing() throws {
        let page = Page()
        try inParallel(8) { [hits = page.$hits, table = page.$table] index in
            for _ in 0..<500 {
                hits.total += 1
                hits.wrappedValue.names.append("x")
                table.value["\(index % 2)", default: 0] += 1
            }
        }
        #expect(page.hits.total == 4_000)
        #expect(page.hits.names.count == 4_000)
        #expect(page.table == ["0": 2_000, "1": 2_000])
    }

    @Test func aChangeInPlaceThatThrowsGivesTheLockBack() {
        func grow(_ number: inout Int) throws {
            number += 1
            throw Refused()
        }
        let number = Protected(1)
        #expect(throws: Refused.self) { try grow(&number.value) }
        let hits = Protected(Hits())
        #expect(throws: Refused.self) { try grow(&hits.total) }
        #expect(!number.isMutating && !hits.isMutating)
        #expect(number.value == 2)
        #expect(hits.total == 1)
    }

    @Test func membersAreReadAndWrittenByTheirNames() {
        let hits = Protected(Hits(total: 3))
        #expect(hits.total == 3)
        #expect(!hits.isEven)
        hits.total = 4
        #expect(hits.isEven)
        #expect(hits.names.isEmpty)
        #expect(Protected([1, 2, 3]).count == 3)
    }

    @Test func setValueMakesTheNewFromTheOld() {
        let number = Protected(20)
        number.setValue { $0 * 2 + 2 }
        #expect(number.value == 42)
        #expect(throws: Refused.self) { try number.setValue { _ in throw Refused() } }
        #expect(number.value == 42)
        #expect(!number.isMutating)
    }

    @Test func setValueLosesNothingBetweenThreads() throws {
        let number = Protected(0)
        try inParallel(8) { _ in
            for _ in 0..<1_000 { number.setValue { $0 + 1 } }
        }
        #expect(number.value == 8_000)
    }

    @Test func mutateReturnsWhatTheBlockReturns() {
        let numbers = Protected([1, 2, 3])
        #expect(numbers.mutate { $0.removeLast() } == 3)
        #expect(numbers.value == [1, 2])
    }

    @Test func mutateChangesAllOrNothing() throws {
        let numbers = Protected([1, 2, 3])
        #expect(throws: Refused.self) {
            try numbers.mutate { numbers in
                numbers.removeAll()
                throw Refused()
            }
        }
        #expect(numbers.value == [1, 2, 3])
        try numbers.mutate { numbers in
            numbers.append(4)
            if numbers.isEmpty { throw Refused() }
        }
        #expect(numbers.value == [1, 2, 3, 4])
        #expect(!numbers.isMutating)
    }

    @Test func whatIsReplacedIsReleasedOutsideTheLock() {
        let house = Protected<Watcher?>(nil)
        let wasInside = Protected<[Bool]>([])
        func move(in tenant: Bool = true) -> Watcher? {
            tenant ? Watcher(of: house, telling: wasInside) : nil
        }
        house.value = move()
        house.value = move()
        house.setValue { _ in move() }
        try? house.mutate { house in
            house = move()
            throw Refused()
        }
        try? house.mutate { house in
            house = move()
            if house == nil { throw Refused() }
        }
        house.value = nil
        #expect(wasInside.value == [false, false, false, false, false])
    }
}
