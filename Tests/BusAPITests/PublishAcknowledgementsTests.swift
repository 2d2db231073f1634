import HTTPFront
import Protection
import TestSupport
import Testing
import Topics

@testable import BusAPI

@Suite struct PublishAcknowledgementsTests {
    @Test func answersComeInTheOrderOfTheMessagesHoweverTheySettle() throws {
        var random = SeededRandom(for: "answers in order")
        var answers = PublishAcknowledgements()
        var reader = WebSocketReader()
        var waiting: [Int] = []
        var (asked, answered) = (0, 0)
        for _ in 0..<20_000 {
            switch Int.random(in: 0..<3, using: &random) {
            case 0 where !answers.isFull:
                waiting.append(answers.await(try ref("\(asked)"), bytes: 1))
                asked += 1
            case 1:
                guard let index = waiting.indices.randomElement(using: &random) else { continue }
                let number = waiting.remove(at: index)
                answers.settle(number, outcome(number))
            default:
                for message in try reader.feed(answers.take()) {
                    #expect(message == .text(text(answered)))
                    answered += 1
                }
                let unsettled = waiting.min() ?? asked
                #expect(answered == unsettled, "none is held back that could go")
                #expect(answers.isEmpty == (answered == asked))
            }
        }
        #expect(answered > 1_000)
    }

    @Test func anAnswerWithoutARefHasNone() throws {
        var answers = PublishAcknowledgements()
        answers.settle(answers.await(nil, bytes: 0), .success(EventID(rawValue: 7)))
        answers.settle(
            answers.await(nil, bytes: 0), .failure(Refusal(.limitBus, "Say \"when\".")))
        var reader = WebSocketReader()
        #expect(
            try reader.feed(answers.take()) == [
                .text(#"{"id":"7"}"#),
                .text(
                    #"{"status":503,"title":"Service Unavailable","code":"LIMIT_BUS","#
                        + #""detail":"Say \"when\"."}"#),
            ])
    }

    @Test func thereAreAsManyUnderWayAsMayBe() {
        var answers = PublishAcknowledgements()
        var numbers: [Int] = []
        while !answers.isFull { numbers.append(answers.await(nil, bytes: 1)) }
        #expect(numbers.count == Limits.publishesMax)
        // The answer leaves, not the outcome, makes room.
        answers.settle(numbers[1], .success(.zero))
        #expect(answers.take().isEmpty && answers.isFull)
        answers.settle(numbers[0], .success(.zero))
        #expect(answers.isFull)
        #expect(!answers.take().isEmpty && !answers.isFull)
    }

    @Test func oneMessageMayBeAsLargeAsItLikesAndIsThenTheOnlyOne() {
        var answers = PublishAcknowledgements()
        #expect(!answers.isFull)
        let number = answers.await(nil, bytes: Limits.publishesBytesMax)
        #expect(answers.isFull)
        answers.settle(number, .success(.zero))
        _ = answers.take()
        #expect(!answers.isFull && answers.isEmpty)
    }

    @Test func outcomesOfManyThreadsWakeOnceForAllThatWereNotTaken() async throws {
        let outcomes = PublishCompletionQueue()
        let wakeUps = Protected(0)
        try await inParallel(4) { thread in
            for number in 0..<100 where outcomes.add(thread * 100 + number, .success(.zero)) {
                wakeUps.write { $0 += 1 }
            }
        }
        #expect(wakeUps.value == 1)
        #expect(Set(outcomes.take().map(\.number)) == Set(0..<400))
        #expect(outcomes.take().isEmpty)
        #expect(outcomes.add(0, .success(.zero)))
    }

    private func ref(_ json: String) throws -> MessageRef {
        try Array(json.utf8).withUnsafeBytes { try MessageRef($0) }
    }

    private func outcome(_ number: Int) -> PublishAcknowledgements.Outcome {
        number % 3 == 0
            ? .failure(Refusal(.parameterInvalid, "no \(number)"))
            : .success(EventID(rawValue: UInt64(number)))
    }

    private func text(_ number: Int) -> String {
        number % 3 == 0
            ? #"{"ref":\#(number),"status":400,"title":"Bad Request","code":"PARAMETER_INVALID","#
                + #""detail":"no \#(number)"}"#
            : #"{"ref":\#(number),"id":"\#(number)"}"#
    }
}
