import TestSupport
import Testing

@Suite(.blocking) struct GateTests {
    @Test func aGateThatNobodyOpensFailsWithinItsBound() {
        let gate = Gate(openings: 2)
        gate.open()
        #expect(!gate.isOpen)
        #expect(throws: Gate.TimedOut(missing: 1)) { try gate.wait(within: .milliseconds(10)) }
    }

    @Test func anOpenGateLetsEveryThreadThroughAndStaysOpen() throws {
        let gate = Gate(openings: 3)
        try inParallel(6) { index in
            if index < 3 { gate.open() }
            try gate.wait()
        }
        gate.open()
        #expect(gate.isOpen)
        try gate.wait(within: .zero)
    }

    @Test func threadsOfOneCallMeetEachOther() throws {
        let arrivals = Gate(openings: 8)
        try inParallel(8) { _ in
            arrivals.open()
            try arrivals.wait()
        }
    }

    @Test func anErrorOfAThreadReachesTheCaller() {
        struct Refusal: Error, Equatable { let index: Int }
        #expect(throws: Refusal(index: 3)) {
            try inParallel(5) { index in
                if index == 3 { throw Refusal(index: index) }
            }
        }
    }

    @Test func aThreadThatHangsIsToldByTheBound() {
        let never = Gate()
        defer { never.open() }
        // Long enough for the other thread to have ended on the busiest machine.
        #expect(throws: Gate.TimedOut(missing: 1)) {
            try inParallel(2, within: .seconds(2)) { index in
                if index == 1 { try never.wait() }
            }
        }
    }
}
