import Dispatch
import Protection
import TestSupport
import Testing

@Suite(.blocking) struct OnceTokensTests {
    private struct Refused: Error {}

    /// A token of this test alone.
    private struct Token: Hashable, Sendable {
        let test: String
        var number = 0

        init(_ number: Int = 0, test: String = #function) {
            self.test = test
            self.number = number
        }
    }

    /// A token with the hash of all others of its type.
    private struct Colliding: Hashable, Sendable {
        let number: Int
        func hash(into hasher: inout Hasher) {}
    }

    /// A token that uses the table it is looked up in, to be hashed and compared.
    private struct Curious: Hashable, Sendable {
        let number: Int

        static func == (left: Curious, right: Curious) -> Bool {
            DispatchQueue.once(token: Token(test: "compared")) {}
            return left.number == right.number
        }

        func hash(into hasher: inout Hasher) {
            DispatchQueue.once(token: Token(test: "hashed")) {}
        }
    }

    @Test func aTokenIsUsedOnceWhereverItComesFrom() {
        var runs: [String] = []
        #expect(DispatchQueue.once(token: Token()) { runs.append("here") })
        #expect(!DispatchQueue.once(token: Token()) { runs.append("there") })
        #expect(runs == ["here"])
    }

    @Test func tokensThatDifferInValueOrTypeAreTwo() {
        var runs = 0
        for number in [1, 2, 1] { DispatchQueue.once(token: Token(number)) { runs += 1 } }
        #expect(runs == 2)
        let name = "tokensThatDifferInValueOrTypeAreTwo"
        DispatchQueue.once(token: name) { runs += 1 }
        DispatchQueue.once(token: Substring(name)) { runs += 1 }
        DispatchQueue.once(token: name + "") { runs += 1 }
        #expect(runs == 4)
    }

    @Test func tokensOfOneHashAreStillSeveral() throws {
        let runs = Protected([Int](repeating: 0, count: 50))
        try inParallel(4) { _ in
            for number in 0..<50 {
                DispatchQueue.once(token: Colliding(number: number)) { runs.value[number] += 1 }
            }
        }
        #expect(runs.value == [Int](repeating: 1, count: 50))
    }

    @Test func aTokenMayUseOthersToBeHashedAndCompared() {
        var runs = 0
        for number in [1, 2, 1] { DispatchQueue.once(token: Curious(number: number)) { runs += 1 } }
        #expect(runs == 2)
    }

    @Test func anErrorLeavesTheTokenUnused() {
        #expect(throws: Refused.self) {
            try DispatchQueue.once(token: Token()) { throw Refused() }
        }
        #expect(DispatchQueue.once(token: Token()) {})
    }

    @Test func tokensMayBeNested() {
        var order: [Int] = []
        DispatchQueue.once(token: Token(1)) {
            DispatchQueue.once(token: Token(2)) {
                DispatchQueue.once(token: Token(3)) { order.append(3) }
                order.append(2)
            }
            order.append(1)
        }
        #expect(order == [3, 2, 1])
    }

    @Test func aBlockOfOneTokenDoesNotHoldUpAnother() throws {
        let isInside = Gate()
        let isDone = Gate()
        try inParallel(2) { index in
            if index == 0 {
                try DispatchQueue.once(token: Token(0)) {
                    isInside.open()
                    try isDone.wait()
                }
            } else {
                try isInside.wait()
                #expect(DispatchQueue.once(token: Token(1)) {})
                #expect(DispatchQueue.once {})
                isDone.open()
            }
        }
    }

    @Test func aPlaceInTheSourceRunsItsBlockOnce() {
        var runs: [String] = []
        func place(_ text: String) -> Bool { DispatchQueue.once { runs.append(text) } }
        #expect(place("first"))
        #expect(!place("second"))
        for _ in 0..<3 { DispatchQueue.once { runs.append("loop") } }
        #expect(runs == ["first", "loop"])
    }

    @Test func twoCallsInOneLineAreTwoPlaces() {
        var runs = 0
        // swift-format-ignore
        for _ in 0..<2 { DispatchQueue.once { runs += 1 }; DispatchQueue.once { runs += 10 } }
        #expect(runs == 11)
    }

    @Test func eachPartOfAPlaceCounts() {
        var runs = 0
        func run(file: String = "a", function: String = "b", line: UInt = 1, column: UInt = 2) {
            DispatchQueue.once(file: file, function: function, line: line, column: column) {
                runs += 1
            }
        }
        for _ in 0..<2 {
            run()
            run(file: "b")
            run(function: "a")
            run(line: 2)
            run(column: 1)
        }
        #expect(runs == 5)
    }

    @Test func anErrorLeavesThePlaceUnused() throws {
        var isRefused = true
        func place() throws -> Bool {
            try DispatchQueue.once { if isRefused { throw Refused() } }
        }
        #expect(throws: Refused.self) { try place() }
        isRefused = false
        #expect(try place())
    }
}
