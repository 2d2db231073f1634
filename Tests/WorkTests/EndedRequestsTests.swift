import TestSupport
import Testing
import Topics

@testable import Work

/// What is remembered of requests that ended before their time.
struct EndedRequestsTests {
    private func id(_ number: Int) -> EventID { EventID(rawValue: UInt64(number)) }

    @Test func theUserWithTheMostForgetsTheirOwnWhoseTimeEndsFirst() {
        var ended = EndedRequests(countMax: 4)
        for number in 1...2 { ended.add(id(number), until: 100 - Int64(number), of: 1) }
        for number in 11...14 { ended.add(id(number), until: 100, of: 2) }
        #expect(ended.count == 4)
        #expect([1, 2, 13, 14].allSatisfy { ended.has(id($0)) })
        // Another user takes a place of one that has more than an equal part, again and again.
        ended.add(id(21), until: 1, of: nil)
        #expect([1, 2, 14, 21].allSatisfy { ended.has(id($0)) })
        ended.add(id(15), until: 200, of: 2)
        #expect([1, 2, 15, 21].allSatisfy { ended.has(id($0)) })
        #expect(ended.count == 4)
    }

    @Test func whatHasItsTimeBehindItTakesNoPlace() {
        var ended = EndedRequests(countMax: 3)
        ended.add(id(1), until: 30, of: 1)
        ended.add(id(2), until: 10, of: 1)
        ended.add(id(2), until: 99, of: 1)
        ended.add(id(3), until: 20, of: nil)
        ended.expire(now: 9)
        #expect(ended.count == 3)
        ended.expire(now: 20)
        #expect(ended.count == 1 && ended.has(id(1)))
        ended.add(id(4), until: 40, of: 2)
        ended.add(id(5), until: 40, of: 2)
        #expect([1, 4, 5].allSatisfy { ended.has(id($0)) })
        ended.expire(now: .max)
        #expect(ended.count == 0)
    }

    /// Random users against a model: an equal part is never touched.
    @Test func nobodyForgetsOneOfAnEqualPart() {
        var random = SeededRandom(for: "ended requests")
        var ended = EndedRequests(countMax: 60)
        var model: [Int: Int] = [:]
        for number in 0..<5_000 {
            let user = Int.random(in: 0..<3, using: &random)
            // The first of them hangs up all the time.
            let isGreedy = Int.random(in: 0..<4, using: &random) > 0
            let line = isGreedy ? 0 : user
            guard line == 0 || model.values.count(where: { $0 == line }) < 20 else { continue }
            ended.add(id(number), until: Int64(number % 97), of: UInt32(line))
            model[number] = line
            #expect(ended.count <= 60)
        }
        let forgotten = model.filter { $0.value != 0 && !ended.has(id($0.key)) }.count
        #expect(forgotten == 0)
        #expect(ended.count == 60)
    }
}
