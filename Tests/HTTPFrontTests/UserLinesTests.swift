import TestSupport
import Testing

@testable import HTTPFront

/// The order in which what users want has its turn.
struct UserLinesTests {
    /// Something of a user, with its number among all that came.
    private struct Wish: Equatable {
        let user: UInt32?
        let number: Int
    }

    private let lines = UserLines<Wish>(by: \.user)
    private let many = HTTPFrontLimits.arrivalsWithoutLinesMax + 1

    /// Lets so many have their turn, and returns them.
    private func run(atMost count: Int = .max) -> [Wish] {
        var served: [Wish] = []
        lines.run(while: { served.count < count }) { served.append($0) }
        return served
    }

    @Test func nobodyStandsBehindAllConnectionsOfAnotherUser() {
        for number in 0..<100 { lines.append(Wish(user: 1, number: number)) }
        lines.append(Wish(user: 2, number: 100))
        lines.append(Wish(user: nil, number: 101))
        #expect(run(atMost: 3).map(\.number) == [0, 100, 101])
        lines.append(Wish(user: 2, number: 102))
        #expect(run(atMost: 2).contains { $0.number == 102 })
    }

    @Test func thoseOfOneUserAreServedAsTheyCame() {
        for number in 0..<(3 * many) { lines.append(Wish(user: 7, number: number)) }
        #expect(run(atMost: many).map(\.number) == Array(0..<many))
        #expect(run().map(\.number) == Array(many..<(3 * many)))
        #expect(lines.isEmpty)
    }

    @Test func fewAreServedAsTheyCame() {
        for number in 0..<4 { lines.append(Wish(user: number < 3 ? 1 : 2, number: number)) }
        #expect(run(atMost: 1).map(\.number) == [0])
        #expect(run().map(\.number) == [1, 2, 3])
        #expect(lines.isEmpty)
    }

    @Test(arguments: [1, 100])
    func whatIsAddedMeanwhileWaitsForTheNextTime(count: Int) {
        for number in 0..<count { lines.append(Wish(user: 1, number: number)) }
        var served = 0
        lines.run(while: { true }) { wish in
            served += 1
            lines.append(wish)
        }
        #expect(served == count)
        #expect(run().count == count)
    }

    @Test func nothingIsLeftOfWhatIsGivenUp() {
        for number in 0..<100 { lines.append(Wish(user: UInt32(number % 3), number: number)) }
        _ = run(atMost: 10)
        lines.removeAll()
        #expect(lines.isEmpty && run().isEmpty)
    }

    /// Users with any number of connections come at any time.
    @Test(arguments: [1, 2, 3, SeededRandom.runSeed])
    func eachIsServedOnceAndNobodyWaitsLongerThanForEachUserOnce(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var waiting: [UInt32: [Int]] = [:]
        var number = 0
        for _ in 0..<500 {
            for _ in 0..<Int.random(in: 0...20, using: &random) {
                let user = UInt32.random(in: 0..<5, using: &random)
                lines.append(Wish(user: user, number: number))
                waiting[user, default: []].append(number)
                number += 1
            }
            let total = waiting.values.reduce(0) { $0 + $1.count }
            let users = waiting.count
            let served = run(atMost: Int.random(in: 0...20, using: &random))
            if total > HTTPFrontLimits.arrivalsWithoutLinesMax, served.count >= users {
                #expect(Set(served.prefix(users).map(\.user)).count == users, "seed \(seed)")
            }
            for wish in served {
                let user = wish.user!
                #expect(waiting[user]?.removeFirst() == wish.number, "seed \(seed)")
                if waiting[user]?.isEmpty == true { waiting[user] = nil }
            }
            #expect(lines.isEmpty == waiting.isEmpty)
        }
        #expect(run().count == waiting.values.reduce(0) { $0 + $1.count })
    }
}
