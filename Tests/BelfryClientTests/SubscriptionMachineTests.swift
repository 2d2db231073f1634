import Testing
import Topics

@testable import BelfryClient

/// The rules of one stream after another, without any of them.
@Suite struct SubscriptionMachineTests {
    private static let ok = AnswerHead(status: 200, fields: ["event-cursor": "5"])
    private static let event =
        #"{"id":"7","topic":"a","time":"2026-01-02T03:04:05.000000Z","data":"x"}"# + "\n"

    private func machine(
        from start: StartPosition = .now, through: UInt64? = nil
    ) -> SubscriptionMachine {
        SubscriptionMachine(
            from: start, through: through.map { EventID(rawValue: $0) }, random: { $0 })
    }

    /// A machine that reads a stream.
    private func streaming(through: UInt64? = nil) -> SubscriptionMachine {
        var machine = machine(through: through)
        _ = machine.step()
        machine.take(Self.ok)
        return machine
    }

    private func said(_ step: SubscriptionMachine.Step) -> String {
        switch step {
        case .deliver(.event(let event)): "event \(event.id)"
        case .deliver(.gap(let gap)): "gap \(gap.after) \(gap.through)"
        case .connect(let since, let delay): "connect \(since) in \(delay)"
        case .read: "read"
        case .end: "end"
        case .fail(.refused(let refusal)): "refused \(refusal.status) \(refusal.code)"
        case .fail(.malformedAnswer): "malformed"
        case .fail(let error): "\(error)"
        }
    }

    private func broken(_ machine: inout SubscriptionMachine) {
        machine.take(.broken("it broke", mayHaveArrived: false))
    }

    @Test(arguments: [
        (StartPosition.now, "now"), (.after(EventID(rawValue: 9)), "9"), (.earliest, "earliest"),
        (.latest, "latest"), (.last(4), "-4"), (.ago(microseconds: 60_000_000), "1m"),
        (.time(Timestamp(microseconds: 0)), "1970-01-01T00:00:00.000000Z"),
    ])
    func itBeginsWhereItIsTold(start: StartPosition, since: String) {
        var machine = machine(from: start)
        #expect(said(machine.step()) == "connect \(since) in 0")
        #expect(said(machine.step()) == "read")
        #expect(machine.cursor == nil)
    }

    @Test func aLineThatIsNotWholeWaitsForItsRest() {
        var machine = streaming()
        let bytes = Array(Self.event.utf8)
        for byte in bytes.dropLast() {
            machine.take([byte])
            #expect(said(machine.step()) == "read")
        }
        machine.take([bytes.last!])
        #expect(said(machine.step()) == "event 7")
        #expect(machine.cursor == EventID(rawValue: 7))
    }

    @Test func aBreakGoesOnBehindTheLastWholeLine() {
        var machine = streaming()
        machine.take(Array((Self.event + Self.event.dropLast()).utf8))
        #expect(said(machine.step()) == "event 7")
        #expect(said(machine.step()) == "read")
        broken(&machine)
        #expect(said(machine.step()) == "connect 7 in 100")
        for delay in [200, 400, 800, 1_600, 3_200, 5_000, 5_000] {
            broken(&machine)
            #expect(said(machine.step()) == "connect 7 in \(delay)")
        }
        machine.take(Self.ok)
        #expect(machine.cursor == EventID(rawValue: 7))
        #expect(said(machine.step()) == "read")
        machine.take(.complete)
        #expect(said(machine.step()) == "connect 7 in 100")
    }

    @Test func theCursorMovesWithoutEvents() {
        var machine = streaming()
        #expect(machine.cursor == EventID(rawValue: 5))
        machine.take(
            Array("{\"cursor\":\"9\"}\n\n{\"gap\":{\"after\":\"9\",\"through\":\"3\"}}\n".utf8))
        #expect(said(machine.step()) == "gap 9 3")
        #expect(machine.cursor == EventID(rawValue: 9))
    }

    @Test(arguments: [
        "x\n", "{}\n", "{\"cursor\":9}\n", "{\"id\":\"1\"}\n", "{\"cursor\":\"9\"} 1\n",
    ])
    func aLineOfNoBusEndsIt(line: String) {
        var machine = streaming()
        machine.take(Array(line.utf8))
        #expect(said(machine.step()) == "malformed")
        #expect(said(machine.step()) == "end")
    }

    @Test func anEndlessLineEndsIt() {
        var machine = streaming()
        machine.take([UInt8](repeating: 0x20, count: Limits.lineBytesMax + 1))
        #expect(said(machine.step()) == "malformed")
    }

    @Test(arguments: [(503, "connect 5 in 200"), (429, "connect 5 in 200"), (403, "refused 403 X")])
    func whatPassesIsWaitedOut(status: Int, next: String) {
        var machine = streaming()
        broken(&machine)
        #expect(said(machine.step()) == "connect 5 in 100")
        machine.take(AnswerHead(status: status, fields: [:]))
        machine.take(Array(#"{"code":"X","detail":"so"}"#.utf8))
        #expect(said(machine.step()) == "read")
        machine.take(.complete)
        #expect(said(machine.step()) == next)
    }

    @Test func anInterruptionIsToldOnceBehindFourConnectionsThatFailed() {
        var machine = streaming()
        broken(&machine)
        var told: [Int] = []
        for attempt in 1...20 {
            if let error = machine.interruption {
                #expect("\(error)" == "the bus was not reached: it broke")
                told.append(attempt)
            }
            _ = machine.step()
            broken(&machine)
        }
        #expect(told == [5])
        _ = machine.step()
        machine.take(Self.ok)
        broken(&machine)
        #expect(machine.interruption == nil)
    }

    @Test func aCertificateThatIsNotTrustedEndsOnlyWhatHasNotBegun() {
        var first = machine()
        _ = first.step()
        first.take(.uncertified("https://a"))
        #expect(said(first.step()) == "the bus is not known: https://a")
        var later = streaming()
        broken(&later)
        _ = later.step()
        later.take(.uncertified("https://a"))
        #expect(said(later.step()) == "connect 5 in 200")
    }

    @Test func theFirstRefusalIsTold() {
        var machine = machine()
        _ = machine.step()
        machine.take(AnswerHead(status: 503, fields: [:]))
        machine.take(.complete)
        #expect(said(machine.step()) == "refused 503 ")
        #expect(said(machine.step()) == "end")
    }

    @Test func anEndlessRefusalIsNotKeptWhole() {
        var machine = machine()
        _ = machine.step()
        machine.take(AnswerHead(status: 404, fields: [:]))
        for _ in 0..<100 { machine.take([UInt8](repeating: 0x20, count: 64 << 10)) }
        #expect(machine.heldBytes <= Limits.refusalBytesMax)
        machine.take(.complete)
        #expect(said(machine.step()) == "refused 404 ")
    }

    @Test func untilAnIdItEndsThereOrBehindIt() {
        var there = streaming(through: 7)
        there.take(Array(Self.event.utf8))
        #expect(said(there.step()) == "event 7")
        #expect(said(there.step()) == "read")
        there.take(.complete)
        #expect(said(there.step()) == "end")

        var behind = streaming(through: 6)
        behind.take(Array(Self.event.utf8))
        #expect(said(behind.step()) == "end")

        // The bus stopped in the middle: there may be more.
        var early = streaming(through: 8)
        early.take(Array(Self.event.utf8))
        #expect(said(early.step()) == "event 7")
        early.take(.complete)
        #expect(said(early.step()) == "connect 7 in 100")
    }

    @Test func aCancelledOneDeliversNothingMore() {
        var machine = streaming()
        machine.take(Array(Self.event.utf8))
        machine.cancel()
        #expect(said(machine.step()) == "end")
        machine.take(Self.ok)
        #expect(said(machine.step()) == "end")
    }
}
