import Protection
import Testing

@testable import BelfryClient

/// When a user is told that a bus is not there, without a bus and without a clock.
@Suite struct LookoutTests {
    private static let away = ClientError.unreachable("away")
    private static let busy = ClientError.outcomeUnknown("busy")

    /// What happened: times that passed, looks, and what was said.
    private final class Record: Sendable {
        private let events = Protected<[String]>([])
        private let answers: Protected<[ClientError?]>

        init(_ answers: [ClientError?]) { self.answers = Protected(answers) }

        var text: String { events.value.joined(separator: " ") }

        func add(_ event: String) { events.write { $0.append(event) } }

        func look() -> ClientError? {
            add("look")
            return answers.write { $0.removeFirst() }
        }
    }

    /// A lookout whose times pass at once.
    private func lookout(_ record: Record) -> Lookout {
        Lookout(
            look: { record.look() },
            sleep: { time in
                record.add("\(time / .seconds(1))s")
                return !Task.isCancelled
            }, say: { record.add("say \($0)") })
    }

    private func run(_ lookout: Lookout, giveUpAfter time: Duration?) async {
        await lookout.run(silentFor: .seconds(1), giveUpAfter: time)
    }

    @Test func aBusThatIsNotThereIsToldOnceAndGivenUpInTime() async {
        let record = Record([Self.away, Self.away])
        await run(lookout(record), giveUpAfter: .seconds(60))
        #expect(record.text == "1.0s look say the bus was not reached: away 59.0s look")
    }

    @Test func withLittlePatienceItIsGivenUpBehindTheSecondLook() async {
        let record = Record([Self.away, Self.away])
        await run(lookout(record), giveUpAfter: .zero)
        #expect(record.text == "1.0s look say the bus was not reached: away look")
    }

    @Test func aBusThatTakesItsTimeIsNeitherToldNorGivenUp() async {
        let record = Record([nil])
        let lookout = lookout(record)
        let running = Task { await run(lookout, giveUpAfter: .seconds(60)) }
        while record.text != "1.0s look" { await Task.yield() }
        running.cancel()
        await running.value
        #expect(record.text == "1.0s look")
    }

    @Test func aLookThatEndsBecauseTheAnswerCameSaysNothing() async {
        let record = Record([.cancelled])
        let lookout = Lookout(
            look: {
                withUnsafeCurrentTask { $0?.cancel() }
                return record.look()
            }, sleep: { _ in !Task.isCancelled }, say: { record.add("say \($0)") })
        let running = Task { await run(lookout, giveUpAfter: .seconds(60)) }
        await running.value
        #expect(record.text == "look")
    }

    @Test func aBusThatIsThereAndRefusesIsToldWithItsReason() async {
        let record = Record([nil, nil])
        let lookout = lookout(record)
        lookout.note(Self.busy)
        let running = Task { await run(lookout, giveUpAfter: .seconds(60)) }
        let all = "1.0s look 1.0s say \(Self.busy) 58.0s look"
        while record.text != all { await Task.yield() }
        // It is there: whoever asks has to give up by themselves.
        running.cancel()
        await running.value
        #expect(record.text == all)
    }
}
