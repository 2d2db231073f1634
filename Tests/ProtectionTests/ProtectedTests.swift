import Protection
import TestSupport
import Testing

@Suite(.blocking) struct ProtectedTests {
    private enum Failure: Error, Equatable { case refused(Int) }

    private struct Ticket: ~Copyable {
        var number: Int
    }

    /// Uses the value that guards it while it goes.
    private final class Tenant {
        let house: Protected<Tenant?>
        let left: Gate

        init(of house: Protected<Tenant?>, left: Gate) {
            self.house = house
            self.left = left
        }

        deinit {
            _ = house.read { $0 == nil }
            left.open()
        }
    }

    @Test func writersOnManyThreadsLoseNoChange() throws {
        let total = Protected(0)
        try inParallel(8) { _ in
            for _ in 0..<2_000 { total.write { $0 += 1 } }
        }
        #expect(total.value == 16_000)
    }

    @Test func aReaderNeverSeesHalfAChange() throws {
        let pair = Protected((0, 0))
        try inParallel(8) { index in
            for step in 0..<1_000 {
                if index.isMultiple(of: 2) {
                    pair.write { pair in
                        pair.0 += 1
                        pair.1 += 1
                    }
                } else if pair.read({ $0.0 != $0.1 }) {
                    throw Failure.refused(step)
                }
            }
        }
    }

    @Test func anErrorComesOutTypedAndTheLockIsFreeAfterwards() {
        let number = Protected(1)
        do throws(Failure) {
            try number.write { (number) throws(Failure) in
                number = 2
                throw .refused(number)
            }
            Issue.record("the error was swallowed")
        } catch {
            #expect(error == .refused(2))
        }
        #expect(throws: Failure.refused(2)) { try number.read { throw Failure.refused($0) } }
        #expect(number.value == 2)
    }

    @Test func valuesAndResultsNeedNotBeCopyable() {
        let current = ProtectedResource(Ticket(number: 1))
        let torn = current.write { current in
            let torn = Ticket(number: current.number)
            current = Ticket(number: torn.number + 1)
            return torn
        }
        #expect(torn.number == 1)
        #expect(current.read { $0.number } == 2)
    }

    @Test func aReplacedValueIsReleasedOutsideTheLock() throws {
        let house = Protected<Tenant?>(nil)
        let left = Gate()
        house.value = Tenant(of: house, left: left)
        house.value = nil
        try left.wait()
    }

    @Test func everyKindOfUseIsToldAsMutatingWhileItLasts() throws {
        let number = Protected(0)
        let isInside = Gate()
        let isAsked = Gate()
        try inParallel(2) { index in
            if index == 0 {
                try number.read { _ in
                    isInside.open()
                    try isAsked.wait()
                }
            } else {
                defer { isAsked.open() }
                try isInside.wait()
                if !number.isMutating { throw Failure.refused(index) }
            }
        }
        #expect(!number.isMutating)
        #expect(number.write { _ in number.isMutating })
        #expect(!number.isMutating)
    }
}
